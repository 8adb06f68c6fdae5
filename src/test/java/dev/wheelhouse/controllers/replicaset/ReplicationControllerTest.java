package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1ReplicationControllerSpec;
import io.kubernetes.client.openapi.models.V1ReplicationControllerStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/** ReplicationControllers, which the ReplicaSet controller serves. */
class ReplicationControllerTest {
    private static final ResourceType TYPE = ResourceType.REPLICATION_CONTROLLERS;
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();
    private final ReplicaSetController controller = ReplicaSetController.ofReplicationControllers(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(controller.loops(), Duration.ofSeconds(30));
    }

    private void create(int replicas) {
        cluster.create(TYPE, new V1ReplicationController().metadata(new V1ObjectMeta().namespace("default").name("web"))
                .spec(new V1ReplicationControllerSpec().replicas(replicas).minReadySeconds(5)
                        .selector(Map.of("app", "web")).template(Manifests.podTemplate("web"))));
    }

    private V1ReplicationController web() {
        return cluster.read(TYPE, WEB, V1ReplicationController.class);
    }

    private List<V1Pod> pods() {
        return cluster.all(ResourceType.PODS, V1Pod.class);
    }

    @Test
    void itsStatusCountsReadyAndAvailablePods() {
        create(2);
        settle();
        for (V1Pod pod : pods()) {
            cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod),
                    p -> p.setStatus(new V1PodStatus().phase("Running")
                            .conditions(List.of(new V1PodCondition().type("Ready").status("True")
                                    .lastTransitionTime(cluster.clock.now().atOffset(ZoneOffset.UTC))))));
        }
        cluster.deliver();
        Cluster.step(controller.loops().getFirst());
        V1ReplicationControllerStatus ready = web().getStatus();
        assertThat(ready.getReadyReplicas()).isEqualTo(2);
        assertThat(ready.getFullyLabeledReplicas()).isEqualTo(2);
        assertThat(ready.getAvailableReplicas()).isNull();
        cluster.clock.advance(Duration.ofSeconds(6));
        settle();
        assertThat(web().getStatus().getAvailableReplicas()).isEqualTo(2);
        assertThat(controller.plan(WEB)).isEmpty();
        cluster.requests.take();
        settle();
        assertThat(cluster.requests.take()).as("a status that says the same is not written").isEmpty();
    }

    @Test
    void aRefusedCreationShowsAsReplicaFailureAndClears() {
        cluster.requests.fault(Requests.Fault.on("create", ResourceType.PODS,
                () -> new KubeApiException("create pods", 403, "Forbidden", "exceeded quota", null)));
        create(1);
        settle();
        assertThat(web().getStatus().getConditions()).singleElement().satisfies(condition -> {
            assertThat(condition.getType()).isEqualTo("ReplicaFailure");
            assertThat(condition.getReason()).isEqualTo("FailedCreate");
            assertThat(condition.getMessage()).isEqualTo("exceeded quota");
        });
        cluster.requests.noFault();
        cluster.clock.advance(Duration.ofMinutes(2));
        settle();
        assertThat(pods()).hasSize(1);
        assertThat(web().getStatus().getConditions()).isNullOrEmpty();
    }

    @Test
    void itAdoptsMatchingOrphansReleasesOthersAndLeavesTheReplicaSetsAlone() {
        V1Pod orphan = ReplicaSetSystem.pod("orphan", "web");
        cluster.create(ResourceType.PODS, orphan);
        V1Pod foreign = ReplicaSetSystem.pod("foreign", "web");
        foreign.getMetadata().addOwnerReferencesItem(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet")
                .name("web").uid("another").controller(true));
        cluster.create(ResourceType.PODS, foreign);
        create(2);
        settle();
        assertThat(pods().stream().filter(p -> OwnerReferences.isControlledBy(p, web().getMetadata()))).hasSize(2)
                .anyMatch(p -> p.getMetadata().getName().equals("orphan"));
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "orphan"),
                p -> p.getMetadata().setLabels(Map.of("app", "other")));
        settle();
        assertThat(cluster.json(ResourceType.PODS, ObjectKey.of("default", "orphan")).at("/metadata/ownerReferences"))
                .isEmpty();
        assertThat(pods().stream().filter(p -> OwnerReferences.isControlledBy(p, web().getMetadata()))).hasSize(2);
    }
}
