package dev.wheelhouse.controllers.daemonset;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A DaemonSet as its user sees it: the controller, the scheduler, hollow nodes and the real kubectl together. */
@Timeout(900)
@Tag("processes")
@Tag("full")
class DaemonSetRolloutTest {
    private static final String MANIFEST = """
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: log}
            spec:
              selector: {matchLabels: {app: log}}
              template:
                metadata: {labels: {app: log}}
                spec: {containers: [{name: log, image: 'log:1'}]}
            """;

    private static final Duration SOON = Duration.ofMinutes(4);

    @TempDir
    private Path home;

    @Test
    void kubectlRollsADaemonSetOutShowsItsHistoryAndRollsItBack() {
        try (TestServer server = TestServer.start(ApiServerOptions.defaults(), true, 3)) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), home);
            kubectl.shell("kubectl apply -f - <<'END'\n" + MANIFEST + "END").succeeded();
            // A node that the controller has not seen yet counts a sync later.
            eventually("it runs on all nodes", SOON, () -> kubectl.run("get", "daemonset", "log").output()
                    .matches("(?s).*log +3 +3 +3 +3 +3 +<none>.*"));
            assertThat(kubectl.run("get", "pods", "-l", "app=log", "-o", "jsonpath={.items[*].spec.nodeName}").output()
                    .split(" ")).containsExactlyInAnyOrder("node-1", "node-2", "node-3");

            kubectl.shell("kubectl set image daemonset/log log=log:2").succeeded();
            kubectl.shell("kubectl rollout status daemonset/log --timeout=180s").succeeded();
            assertThat(images(kubectl)).isEqualTo("log:2 log:2 log:2");
            assertThat(kubectl.run("rollout", "history", "daemonset/log").output())
                    .containsPattern("1 +<none>\\R2 +<none>");

            kubectl.shell("kubectl rollout undo daemonset/log").succeeded();
            kubectl.shell("kubectl rollout status daemonset/log --timeout=180s").succeeded();
            assertThat(images(kubectl)).isEqualTo("log:1 log:1 log:1");
            assertThat(kubectl.run("rollout", "history", "daemonset/log").output())
                    .containsPattern("2 +<none>\\R3 +<none>");

            kubectl.shell("kubectl delete daemonset log --timeout=180s").succeeded();
            eventually("its pods and revisions are gone", SOON,
                    () -> kubectl.run("get", "pods,controllerrevisions", "-o", "name").output().isEmpty());
        }
    }

    private static String images(Kubectl kubectl) {
        return kubectl.run("get", "pods", "-l", "app=log", "-o", "jsonpath={.items[*].spec.containers[0].image}")
                .output();
    }
}
