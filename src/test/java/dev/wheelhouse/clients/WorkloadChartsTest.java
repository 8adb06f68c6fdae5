package dev.wheelhouse.clients;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.AutoscalingV2Api;
import io.kubernetes.client.openapi.apis.BatchV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.PolicyV1Api;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.Kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;

/** Charts with workloads of all kinds, installed by the real Helm, which waits for them. */
@EmbeddedApiServer(controllers = true, nodes = 2)
@Timeout(1800)
@Tag("processes")
@Tag("full")
class WorkloadChartsTest {
    private static final Duration SOON = Duration.ofMinutes(4);

    private final AppsV1Api apps;
    private final AutoscalingV2Api autoscaling;
    private final BatchV1Api batch;
    private final CoreV1Api core;
    private final PolicyV1Api policy;
    private final Path kubeconfig;

    WorkloadChartsTest(ApiClient client, @Kubeconfig Path kubeconfig) {
        apps = new AppsV1Api(client);
        autoscaling = new AutoscalingV2Api(client);
        batch = new BatchV1Api(client);
        core = new CoreV1Api(client);
        policy = new PolicyV1Api(client);
        this.kubeconfig = kubeconfig;
    }

    private Release install(String chart, String name) {
        return new Helm(Path.of(chart)).install().withName(name).withNamespace(name).createNamespace()
                .withKubeConfig(kubeconfig).waitReady().withTimeout(240).call();
    }

    @Test
    void theBookshopIsInstalledUpgradedAndUninstalled() throws Exception {
        String shop = "bookshop";
        assertThat(install("examples/bookshop", shop).getStatus()).isEqualTo("deployed");

        assertThat(apps.readNamespacedStatefulSet("database", shop).execute().getStatus().getReadyReplicas())
                .isEqualTo(2);
        assertThat(core.listNamespacedPersistentVolumeClaim(shop).execute().getItems())
                .extracting(claim -> claim.getMetadata().getName() + " " + claim.getStatus().getPhase())
                .containsExactly("data-database-0 Bound", "data-database-1 Bound");
        assertThat(core.listNamespacedPod(shop).labelSelector("app.kubernetes.io/name=log-agent").execute().getItems())
                .extracting(pod -> pod.getSpec().getNodeName()).doesNotHaveDuplicates().hasSize(2);
        V1Job migration = batch.readNamespacedJob("migrate", shop).execute();
        assertThat(migration.getStatus().getSucceeded()).isEqualTo(1);
        assertThat(batch.readNamespacedCronJob("report", shop).execute().getStatus().getLastScheduleTime()).isNull();
        Eventually.eventually("the autoscaler keeps at least two web servers", SOON, () -> {
            Integer replicas = apps.readNamespacedDeployment("web", shop).execute().getStatus().getReadyReplicas();
            return replicas != null && replicas >= 2;
        });
        Eventually.eventually("one of the web servers may be disrupted", SOON,
                () -> policy.readNamespacedPodDisruptionBudget("web", shop).execute().getStatus()
                        .getDisruptionsAllowed() == 1);

        Release upgraded = new Helm(Path.of("examples/bookshop")).upgrade().withName(shop).withNamespace(shop)
                .set("database.image", "postgres:18").withKubeConfig(kubeconfig).waitReady().withTimeout(240).call();
        assertThat(upgraded.getRevision()).isEqualTo("2");
        assertThat(core.listNamespacedPod(shop).labelSelector("app.kubernetes.io/name=database").execute().getItems())
                .extracting(pod -> pod.getSpec().getContainers().getFirst().getImage()).containsOnly("postgres:18");
        assertThat(batch.readNamespacedJob("migrate", shop).execute().getMetadata().getUid()).as("a second migration")
                .isNotEqualTo(migration.getMetadata().getUid());

        Helm.uninstall(shop).withNamespace(shop).withKubeConfig(kubeconfig).call();
        Eventually.eventually("all but the hook is gone, with the claims of the database", SOON,
                () -> pods(shop).stream().allMatch(pod -> pod.getMetadata().getName().startsWith("migrate-"))
                        && claims(shop).isEmpty());
    }

    @Test
    void aChartOfTheUsualStructureIsInstalledScaledByItsAutoscalerTestedAndUninstalled() throws Exception {
        String store = "store";
        assertThat(install("src/test/resources/charts/stateful", store).getStatus()).isEqualTo("deployed");

        assertThat(batch.listNamespacedJob(store).execute().getItems())
                .extracting(job -> job.getMetadata().getName()).as("the hook that succeeded is deleted")
                .containsExactly("store-init");
        Eventually.eventually("the autoscaler has at least three pods", SOON, () -> {
            Integer replicas = apps.readNamespacedStatefulSet("store", store).execute().getStatus().getReadyReplicas();
            return replicas != null && replicas >= 3;
        });
        Eventually.eventually("the autoscaler says that it scales", SOON, () -> autoscaling
                .readNamespacedHorizontalPodAutoscaler("store", store).execute().getStatus().getConditions().stream()
                .anyMatch(c -> c.getType().equals("AbleToScale") && c.getStatus().equals("True")));
        Eventually.eventually("the budget counts the pods of the StatefulSet", SOON, () -> policy
                .readNamespacedPodDisruptionBudget("store", store).execute().getStatus().getExpectedPods() >= 3);
        assertThat(Helm.test(store).withNamespace(store).withKubeConfig(kubeconfig).withTimeout(240).call().getStatus())
                .isEqualTo("deployed");

        Helm.uninstall(store).withNamespace(store).withKubeConfig(kubeconfig).call();
        Eventually.eventually("the claims of the StatefulSet stay, its pods do not", SOON,
                () -> pods(store).stream().noneMatch(pod -> pod.getMetadata().getName().matches("store-\\d"))
                        && claims(store).size() >= 3);
    }

    private List<V1Pod> pods(String namespace) throws Exception {
        return core.listNamespacedPod(namespace).execute().getItems();
    }

    private List<V1PersistentVolumeClaim> claims(String namespace) throws Exception {
        return core.listNamespacedPersistentVolumeClaim(namespace).execute().getItems();
    }
}
