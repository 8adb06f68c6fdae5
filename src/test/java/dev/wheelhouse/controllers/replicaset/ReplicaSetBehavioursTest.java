package dev.wheelhouse.controllers.replicaset;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.informer.SharedInformerFactory;

import static dev.wheelhouse.Workloads.eventually;
import static dev.wheelhouse.Workloads.orZero;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The assertions of upstream's end-to-end and integration suites about ReplicaSets, on the whole system (upstream:
 * {@code test/e2e/apps/replica_set.go}, {@code test/integration/replicaset}). The controller's own tests, which step
 * it, cover behaviour that depends on the order of single steps: expectations, slow start, the whole order of victims.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@Tag("processes")
class ReplicaSetBehavioursTest {
    @TempDir
    private static Path directory;

    private RunningService service;
    private Workloads user;
    private int namespaces;

    @BeforeAll
    void start() {
        service = RunningService.start(directory, "--wheelhouse.nodes.cpu=64");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @BeforeEach
    void namespace() {
        user = new Workloads(service.bean(KubeClient.class), "replicas-" + ++namespaces);
    }

    private V1ReplicaSetStatus status(String name) {
        return user.replicaSet(name).getStatus();
    }

    private void awaitReady(String name, int replicas) {
        eventually(name + " has " + replicas + " ready pods",
                () -> orZero(status(name).getReadyReplicas()) == replicas
                        && orZero(status(name).getReplicas()) == replicas
                        && user.podsOf(user.replicaSet(name)).size() == replicas);
    }

    private V1ReplicaSet create(String name, int replicas) {
        user.replicaSets().create(user.newReplicaSet(name, replicas));
        awaitReady(name, replicas);
        return user.replicaSet(name);
    }

    private boolean isControlled(String pod, V1ReplicaSet by) {
        V1OwnerReference reference = OwnerReferences.controllerOf(user.pods().get(user.key(pod)).getMetadata());
        return reference != null && reference.getUid().equals(by.getMetadata().getUid());
    }

    @Test
    void anOwnerThatIsNoControllerStaysBesideTheNewController() {
        V1Pod pod = user.newPod("orphan", Map.of("app", "web"));
        String owner = user.replicaSets().create(user.newReplicaSet("elsewhere", 0)).getMetadata().getUid();
        pod.getMetadata().addOwnerReferencesItem(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet")
                .name("elsewhere").uid(owner).controller(false));
        user.pods().create(pod);
        awaitCached();
        V1ReplicaSet web = user.replicaSets().create(user.newReplicaSet("web", 1));
        eventually("it is adopted", () -> isControlled("orphan", web));
        assertThat(user.pods().get(user.key("orphan")).getMetadata().getOwnerReferences()).hasSize(2);
    }

    /** Waits until the controllers' cache has the namespace's pods as the server has them. */
    private void awaitCached() {
        var cache = service.bean(SharedInformerFactory.class).informer(ResourceType.PODS, V1Pod.class);
        eventually("the cache has the pods", () -> user.list(user.pods(), Map.of()).stream().allMatch(pod -> {
            V1Pod cached = cache.get(user.key(pod.getMetadata().getName()));
            return cached != null && cached.getMetadata().getResourceVersion()
                    .equals(pod.getMetadata().getResourceVersion());
        }));
    }

    @Test
    void replacePatchListAndDeletecollectionWork() {
        create("one", 1);
        create("two", 1);
        user.update("one", user.replicaSets(), one -> {
            one.getSpec().setReplicas(2);
            one.getMetadata().putLabelsItem("test", "replaced");
            user.replicaSets().update(one);
        });
        awaitReady("one", 2);
        user.patchSet("two", "{'spec': {'replicas': 3, 'template': {'spec': {'terminationGracePeriodSeconds': 0}}}}");
        awaitReady("two", 3);
        assertThat(user.list(user.replicaSets(), Map.of("test", "replaced"))).hasSize(1);
        assertThat(user.list(user.replicaSets(), Map.of())).hasSize(2);
        user.replicaSets().deleteCollection(user.namespace, Deletion.unconditional());
        eventually("all are gone, and their pods", () -> user.list(user.replicaSets(), Map.of()).isEmpty()
                && user.list(user.pods(), Map.of()).isEmpty());
    }

    @Test
    void aReplicationControllerKeepsItsPodsLikeAReplicaSet() throws Exception {
        CoreV1Api core = new CoreV1Api(service.api());
        core.createNamespacedReplicationController(user.namespace, Yaml.loadAs("""
                apiVersion: v1
                kind: ReplicationController
                metadata: {name: old}
                spec:
                  replicas: 2
                  selector: {app: old}
                  template:
                    metadata: {labels: {app: old}}
                    spec:
                      containers: [{name: main, image: "app:1"}]
                """, V1ReplicationController.class)).execute();
        eventually("both are available", () -> Integer.valueOf(2).equals(core
                .readNamespacedReplicationController("old", user.namespace).execute().getStatus()
                .getAvailableReplicas()));
        eventually("its Events come from upstream's component",
                () -> core.listNamespacedEvent(user.namespace).execute().getItems().stream()
                        .anyMatch(event -> "SuccessfulCreate".equals(event.getReason())
                                && "replication-controller".equals(event.getSource().getComponent())));
        core.deleteNamespacedReplicationController("old", user.namespace).propagationPolicy("Background").execute();
        eventually("its pods go with it", () -> user.podsLabelled("old").isEmpty());
    }
}
