package dev.wheelhouse.controllers.autoscaling;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RunningService;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The real kubectl's commands about usage, on the whole service. */
@Timeout(900)
@Tag("processes")
@Tag("full")
class KubectlAutoscaleTest {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Test
    void topShowsTheUsageAndAnAutoscalerFollowsTheLoad(@TempDir Path home) {
        try (RunningService service = RunningService.start(home,
                "--wheelhouse.horizontal-pod-autoscaler-sync-period=2s")) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), home);
            kubectl.shell("""
                    kubectl create deployment web --image=nginx:1.27 --dry-run=client -o yaml \
                    | kubectl set resources -f - --requests=cpu=100m,memory=64Mi --local -o yaml \
                    | kubectl patch -f - --local -o yaml -p '{"spec":{"template":{"metadata":{"annotations":
                      {"hollow.wheelhouse.dev/cpu":"shared 240m"}}}}}' \
                    | kubectl apply -f -""").succeeded();
            eventually("the pod has metrics", SOON,
                    () -> kubectl.run("top", "pods").output().contains("240m"));
            assertThat(kubectl.run("top", "pods", "--containers").succeeded().output())
                    .containsPattern("NAME +CPU\\(cores\\) +MEMORY\\(bytes\\)").containsPattern("nginx +\\d+m +32Mi");
            assertThat(kubectl.run("top", "nodes").succeeded().output()).containsPattern("node-[12] +\\d+m +\\d+% +");

            kubectl.run("autoscale", "deployment/web", "--cpu-percent=80", "--min=1", "--max=6").succeeded();
            eventually("240m are three pods at 80 % of 100m", SOON, () -> kubectl
                    .run("get", "hpa", "web").output().matches("(?s).*cpu: 80%/80% +1 +6 +3 .*"));
            eventually("its conditions and events say so", SOON,
                    () -> Stream.of("SuccessfulRescale", "ScalingActive", "ValidMetricFound")
                            .allMatch(kubectl.run("describe", "hpa", "web").succeeded().output()::contains));
        }
    }
}
