package dev.wheelhouse.chart;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;

import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The chart, installed by the real Helm on the embedded API server. */
@Timeout(1200)
@Tag("processes")
class HelmInstallTest {
    @TempDir
    private Path directory;

    @Test
    void theChartInstallsBecomesReadyUpgradesAndLeavesNothingBehind() throws Exception {
        try (RunningService service = RunningService.start(directory)) {
            AppsV1Api apps = new AppsV1Api(service.api());

            Release installed = new Helm(Path.of("helm/wheelhouse")).install().withName("wh").withNamespace("ops")
                    .createNamespace()
                    .withKubeConfig(service.kubeconfig()).waitReady().withTimeout(240).call();

            assertThat(installed.getStatus()).isEqualTo("deployed");
            // Helm waits for the ready pods that the ReplicaSet counts; the Deployment's own count comes a sync later
            Eventually.eventually("the Deployment counts its available replica", Duration.ofMinutes(4),
                    () -> Integer.valueOf(1).equals(apps.readNamespacedDeployment("wh-wheelhouse", "ops").execute()
                            .getStatus().getAvailableReplicas()));
            assertThat(new CoreV1Api(service.api()).readNamespacedService("wh-wheelhouse", "ops").execute().getSpec()
                    .getPorts()).hasSize(1);
            assertThat(new RbacAuthorizationV1Api(service.api()).readClusterRole("wh-wheelhouse").execute().getRules())
                    .isNotEmpty();

            Release upgraded = new Helm(Path.of("helm/wheelhouse")).upgrade().withName("wh").withNamespace("ops")
                    .set("wheelhouse.manage", "takeover").withKubeConfig(service.kubeconfig()).waitReady()
                    .withTimeout(240).call();

            assertThat(upgraded.getRevision()).isEqualTo("2");
            List<String> args = apps.readNamespacedDeployment("wh-wheelhouse", "ops").execute().getSpec().getTemplate()
                    .getSpec()
                    .getContainers().get(0).getArgs();
            assertThat(args).contains("--wheelhouse.manage=takeover");

            Helm.uninstall("wh").withNamespace("ops").withKubeConfig(service.kubeconfig()).call();
            Eventually.eventually("nothing of the release is left", Duration.ofMinutes(4),
                    () -> apps.listNamespacedDeployment("ops").execute().getItems().isEmpty()
                            && apps.listNamespacedReplicaSet("ops").execute().getItems().isEmpty()
                            && new CoreV1Api(service.api()).listNamespacedPod("ops").execute().getItems().isEmpty());
        }
    }
}
