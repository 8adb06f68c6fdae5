package dev.wheelhouse.controllers.deployment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1DeploymentStrategy;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.util.PatchUtils;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Rollouts from end to end, as a program sees them through the official Java client. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class RolloutTest {
    private static final String NAMESPACE = "default";

    @TempDir
    private static Path directory;

    private RunningService service;
    private AppsV1Api apps;
    private CoreV1Api core;

    @BeforeAll
    void start() {
        service = RunningService.start(directory);
        apps = new AppsV1Api(service.api());
        core = new CoreV1Api(service.api());
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private static V1Deployment deployment(String name, int replicas, String image) {
        return new V1Deployment().metadata(new V1ObjectMeta().name(name)).spec(new V1DeploymentSpec().replicas(replicas)
                .selector(new V1LabelSelector().matchLabels(Map.of("app", name)))
                .template(new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(Map.of("app", name)))
                        .spec(new V1PodSpec().containers(List.of(new V1Container().name("main").image(image))))));
    }

    private V1Deployment read(String name) throws ApiException {
        return apps.readNamespacedDeployment(name, NAMESPACE).execute();
    }

    private List<V1Pod> pods(String name) throws ApiException {
        return core.listNamespacedPod(NAMESPACE).labelSelector("app=" + name).execute().getItems();
    }

    private List<V1ReplicaSet> replicaSets(String name) throws ApiException {
        return apps.listNamespacedReplicaSet(NAMESPACE).labelSelector("app=" + name).execute().getItems();
    }

    private static void eventually(String what, Callable<Boolean> condition) {
        Eventually.eventually(what, Duration.ofMinutes(2), condition);
    }

    private void patch(String name, String json) throws ApiException {
        PatchUtils.patch(V1Deployment.class,
                () -> apps.patchNamespacedDeployment(name, NAMESPACE, new V1Patch(json)).buildCall(null),
                V1Patch.PATCH_FORMAT_JSON_PATCH, service.api());
    }

    private void awaitComplete(String name, int replicas) {
        eventually(name + " is complete with " + replicas, () -> {
            V1Deployment d = read(name);
            var status = d.getStatus();
            return status != null && d.getMetadata().getGeneration().equals(status.getObservedGeneration())
                    && orZero(status.getReplicas()) == replicas && orZero(status.getUpdatedReplicas()) == replicas
                    && orZero(status.getAvailableReplicas()) == replicas;
        });
    }

    private static int orZero(Integer number) {
        return number == null ? 0 : number;
    }

    private static String image(String image) {
        return "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"" + image + "\"}]";
    }

    @Test
    void aDeploymentIsCreatedScaledUpdatedAndRolledBack() throws ApiException {
        apps.createNamespacedDeployment(NAMESPACE, deployment("web", 3, "nginx:1.27")).execute();
        awaitComplete("web", 3);
        assertThat(pods("web")).hasSize(3).allSatisfy(pod -> {
            assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
            assertThat(pod.getSpec().getNodeName()).startsWith("node-");
        });

        patch("web", "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":5}]");
        awaitComplete("web", 5);

        patch("web", image("nginx:1.28"));
        awaitComplete("web", 5);
        eventually("the pods of the old image are gone", () -> pods("web").stream()
                .allMatch(pod -> "nginx:1.28".equals(pod.getSpec().getContainers().get(0).getImage())));
        assertThat(replicaSets("web")).hasSize(2);

        patch("web", image("nginx:1.27"));
        awaitComplete("web", 5);
        assertThat(replicaSets("web")).as("the old ReplicaSet is used again").hasSize(2);
        assertThat(read("web").getMetadata().getAnnotations()).containsEntry("deployment.kubernetes.io/revision", "3");
    }

    @Test
    void recreateNeverRunsOldAndNewPodsTogether() throws ApiException {
        V1Deployment deployment = deployment("batch", 3, "job:1");
        deployment.getSpec().strategy(new V1DeploymentStrategy().type("Recreate"));
        apps.createNamespacedDeployment(NAMESPACE, deployment).execute();
        awaitComplete("batch", 3);

        patch("batch", image("job:2"));
        eventually("only new pods run", () -> {
            List<String> images = pods("batch").stream().map(p -> p.getSpec().getContainers().get(0).getImage())
                    .distinct().toList();
            assertThat(images).hasSizeLessThanOrEqualTo(1);
            return images.equals(List.of("job:2"));
        });
        awaitComplete("batch", 3);
    }

    @Test
    void aPausedDeploymentScalesButDoesNotRollUntilItIsResumed() throws ApiException {
        apps.createNamespacedDeployment(NAMESPACE, deployment("held", 2, "app:1")).execute();
        awaitComplete("held", 2);
        patch("held", "[{\"op\":\"add\",\"path\":\"/spec/paused\",\"value\":true}]");
        patch("held", image("app:2"));
        patch("held", "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":4}]");
        eventually("it scales",
                () -> pods("held").size() == 4 && orZero(read("held").getStatus().getAvailableReplicas()) == 4);
        assertThat(replicaSets("held")).hasSize(1);
        assertThat(pods("held"))
                .allSatisfy(pod -> assertThat(pod.getSpec().getContainers().get(0).getImage()).isEqualTo("app:1"));

        patch("held", "[{\"op\":\"remove\",\"path\":\"/spec/paused\"}]");
        awaitComplete("held", 4);
        eventually("the pods of the old image are gone", () -> pods("held").stream()
                .map(pod -> pod.getSpec().getContainers().get(0).getImage()).toList()
                .equals(List.of("app:2", "app:2", "app:2", "app:2")));
    }

    @Test
    void deletingADeploymentTakesItsReplicaSetsAndPodsAlong() throws ApiException {
        apps.createNamespacedDeployment(NAMESPACE, deployment("gone", 3, "app:1")).execute();
        awaitComplete("gone", 3);

        apps.deleteNamespacedDeployment("gone", NAMESPACE).execute();

        eventually("nothing is left", () -> replicaSets("gone").isEmpty() && pods("gone").isEmpty());
    }

    @Test
    void aPodThatFitsNowhereSaysSo() throws ApiException {
        V1Deployment deployment = deployment("huge", 1, "app:1");
        deployment.getSpec().getTemplate().getSpec().getContainers().get(0)
                .resources(new io.kubernetes.client.openapi.models.V1ResourceRequirements()
                        .requests(Map.of("cpu", io.kubernetes.client.custom.Quantity.fromString("64"))));
        apps.createNamespacedDeployment(NAMESPACE, deployment).execute();

        eventually("the pod is Pending with FailedScheduling", () -> {
            List<V1Pod> pods = pods("huge");
            return pods.size() == 1 && "Pending".equals(pods.get(0).getStatus().getPhase())
                    && failedScheduling(pods.get(0)).stream()
                            .anyMatch(why -> why.startsWith("0/2 nodes are available: 2 Insufficient cpu."));
        });
    }

    /** The messages of its Events: a scheduler that has not seen all nodes yet counts fewer at first. */
    private List<String> failedScheduling(V1Pod pod) throws ApiException {
        return core.listNamespacedEvent(NAMESPACE)
                .fieldSelector("involvedObject.name=" + pod.getMetadata().getName() + ",reason=FailedScheduling")
                .execute().getItems()
                .stream().map(event -> String.valueOf(event.getMessage())).toList();
    }
}
