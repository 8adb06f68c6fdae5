package dev.wheelhouse.clients;

import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import com.marcnuri.helm.ReleaseHistory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.Kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The real Helm and a chart with every hook that it has, on the embedded API server with its controllers and one node.
 */
@EmbeddedApiServer(controllers = true, nodes = 1)
@Timeout(1200)
@Tag("processes")
@Tag("full")
class HelmTest {
    private static final Path CHART = Path.of("src/test/resources/charts/hooked");
    private static final String NAMESPACE = "shop";

    private final AppsV1Api apps;
    private final CoreV1Api core;
    private final Path kubeconfig;

    HelmTest(ApiClient client, @Kubeconfig Path kubeconfig) {
        this.apps = new AppsV1Api(client);
        this.core = new CoreV1Api(client);
        this.kubeconfig = kubeconfig;
    }

    @Test
    void aReleaseIsInstalledTestedUpgradedRolledBackAndUninstalledAndItsHooksRunInTheirPlaces() throws Exception {
        Release installed = new Helm(CHART).install().withName("web").withNamespace(NAMESPACE).createNamespace()
                .withKubeConfig(kubeconfig).waitReady().withTimeout(240).call();
        assertThat(installed.getStatus()).isEqualTo("deployed");
        // Helm waits for what the ReplicaSet counts; the Deployment's own count comes a sync later
        Eventually.eventually("the Deployment counts its available replica", Duration.ofMinutes(4),
                () -> Integer.valueOf(1).equals(deployment().getStatus().getAvailableReplicas()));
        assertThat(end("pre-install")).isBeforeOrEqualTo(deployment().getMetadata().getCreationTimestamp());
        assertThat(hook("post-install").getMetadata().getAnnotations()).containsEntry("revision", "1");
        assertThat(Helm.test("web").withNamespace(NAMESPACE).withKubeConfig(kubeconfig).withTimeout(240).call()
                .getStatus()).isEqualTo("deployed");
        assertThat(core.readNamespacedPod("web-test", NAMESPACE).execute().getStatus().getPhase())
                .isEqualTo("Succeeded");

        Release upgraded = new Helm(CHART).upgrade().withName("web").withNamespace(NAMESPACE)
                .set("image", "nginx:1.28").withKubeConfig(kubeconfig).waitReady().withTimeout(240).call();
        assertThat(upgraded.getRevision()).isEqualTo("2");
        assertThat(image()).isEqualTo("nginx:1.28");
        assertThat(end("pre-upgrade")).isBeforeOrEqualTo(end("post-upgrade"));

        // Helm rolls back what it could not upgrade "atomically": the only way to its rollback in this library.
        assertThatThrownBy(() -> new Helm(CHART).upgrade().withName("web").withNamespace(NAMESPACE)
                .set("image", "nginx:1.29").set("failAfterUpgrade", "true").atomic().withKubeConfig(kubeconfig)
                .withTimeout(240).call()).hasMessageContaining("post-upgrade hooks failed")
                .hasMessageContaining("rolled back");
        assertThat(image()).isEqualTo("nginx:1.28");
        assertThat(end("pre-rollback")).isBeforeOrEqualTo(end("post-rollback"));
        List<ReleaseHistory> history = Helm.history("web").withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call();
        assertThat(history).extracting(ReleaseHistory::getRevision).containsExactly(1, 2, 3, 4);
        assertThat(history).extracting(ReleaseHistory::getStatus).containsExactly("superseded", "superseded",
                "failed", "deployed");
        assertThat(history.getLast().getDescription()).isEqualTo("Rollback to 2");

        Release status = Helm.status("web").withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call();
        assertThat(status.getRevision()).isEqualTo("4");
        assertThat(Helm.list().withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call())
                .extracting(Release::getName, Release::getStatus).containsExactly(
                        tuple("web", "deployed"));
        assertThat(Helm.get("web").values().withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call())
                .contains("nginx:1.28");

        Helm.uninstall("web").withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call();
        assertThat(end("pre-delete")).isBeforeOrEqualTo(end("post-delete"));
        assertThatThrownBy(this::deployment).isInstanceOfSatisfying(ApiException.class,
                e -> assertThat(e.getCode()).isEqualTo(404));
        assertThat(Helm.list().withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call()).isEmpty();
        assertThat(core.listNamespacedSecret(NAMESPACE).execute().getItems()).isEmpty();
    }

    private V1Deployment deployment() throws ApiException {
        return apps.readNamespacedDeployment("web", NAMESPACE).execute();
    }

    private String image() throws ApiException {
        return deployment().getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
    }

    private V1Pod hook(String name) throws ApiException {
        return core.readNamespacedPod(name, NAMESPACE).execute();
    }

    /** When a hook's pod succeeded. */
    private OffsetDateTime end(String hook) throws ApiException {
        V1Pod pod = hook(hook);
        assertThat(pod.getStatus().getPhase()).as(hook).isEqualTo("Succeeded");
        return pod.getStatus().getContainerStatuses().getFirst().getState().getTerminated().getFinishedAt();
    }
}
