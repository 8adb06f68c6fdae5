package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1ReplicationControllerSpec;
import io.kubernetes.client.openapi.models.V1ReplicationControllerStatus;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.fake.FakeCluster;
import dev.wheelhouse.fake.FakeInformers;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** ReplicationControllers, which the ReplicaSet controller serves. */
class ReplicationControllerTest {
    private static final ResourceType TYPE = ResourceType.REPLICATION_CONTROLLERS;
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private final ManualClock clock = new ManualClock();
    private final FakeCluster api = new FakeCluster(clock);
    private final FakeInformers informers = new FakeInformers(api);
    private final List<String> events = new ArrayList<>();
    private final ReplicaSetController controller = ReplicaSetController
            .ofReplicationControllers(new DefaultControllerContext(api, informers, clock,
                    component -> (regardingType, regarding, fieldPath, type, reason, message) -> events
                            .add(component + " " + regardingType + " " + type + " " + reason + " " + message),
                    DefaultControllerContext.Settings.stepped()));
    private final Loop worker = controller.loops().get(0);

    private void settle() throws InterruptedException {
        for (int i = 0; i < 10_000; i++) {
            informers.deliver();
            long wait = worker.step();
            if (wait > Duration.ofSeconds(30).toNanos()) {
                return;
            }
            clock.advance(Duration.ofNanos(wait));
        }
        throw new AssertionError("it does not come to rest");
    }

    private void create(int replicas) {
        api.resource(TYPE, V1ReplicationController.class)
                .create(new V1ReplicationController().metadata(new V1ObjectMeta().namespace("default").name("web"))
                        .spec(new V1ReplicationControllerSpec().replicas(replicas).minReadySeconds(5)
                                .selector(Map.of("app", "web"))
                                .template(new V1PodTemplateSpec()
                                        .metadata(new V1ObjectMeta().labels(Map.of("app", "web")))
                                        .spec(new V1PodSpec().containers(
                                                List.of(new V1Container().name("app").image("i")))))));
    }

    private V1ReplicationController web() {
        return api.resource(TYPE, V1ReplicationController.class).get(WEB);
    }

    private List<V1Pod> pods() {
        return api.all(ResourceType.PODS, V1Pod.class);
    }

    private void scale(int replicas) {
        api.edit(TYPE, V1ReplicationController.class, WEB, set -> {
            set.getSpec().setReplicas(replicas);
            set.getMetadata().setGeneration(set.getMetadata().getGeneration() + 1);
        });
    }

    @Test
    void itKeepsAsManyPodsAsAskedForAndOwnsThem() throws InterruptedException {
        create(3);
        settle();
        assertThat(pods()).hasSize(3).allSatisfy(pod -> {
            assertThat(pod.getMetadata().getGenerateName()).isEqualTo("web-");
            assertThat(OwnerReferences.controllerOf(pod.getMetadata()))
                    .isEqualTo(new V1OwnerReference().apiVersion("v1").kind("ReplicationController").name("web")
                            .uid(web().getMetadata().getUid()).controller(true).blockOwnerDeletion(true));
        });
        assertThat(events).hasSize(3).allMatch(e -> e.startsWith(
                "replication-controller replicationcontrollers Normal SuccessfulCreate Created pod: web-"));
        scale(1);
        settle();
        assertThat(pods()).hasSize(1);
        assertThat(web().getStatus().getReplicas()).isEqualTo(1);
        assertThat(web().getStatus().getObservedGeneration()).isEqualTo(web().getMetadata().getGeneration());
    }

    @Test
    void itsStatusCountsReadyAndAvailablePods() throws InterruptedException {
        create(2);
        settle();
        for (V1Pod pod : pods()) {
            api.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod),
                    p -> p.setStatus(new V1PodStatus().phase("Running")
                            .conditions(List.of(new V1PodCondition().type("Ready").status("True")
                                    .lastTransitionTime(OffsetDateTime.ofInstant(clock.now(), ZoneOffset.UTC))))));
        }
        informers.deliver();
        worker.step();
        V1ReplicationControllerStatus ready = web().getStatus();
        assertThat(ready.getReadyReplicas()).isEqualTo(2);
        assertThat(ready.getFullyLabeledReplicas()).isEqualTo(2);
        assertThat(ready.getAvailableReplicas()).isNull();
        clock.advance(Duration.ofSeconds(6));
        settle();
        assertThat(web().getStatus().getAvailableReplicas()).isEqualTo(2);
        assertThat(controller.plan(WEB)).isEmpty();
        api.takeRequests();
        settle();
        assertThat(api.takeRequests()).as("a status that says the same is not written").isEmpty();
    }

    @Test
    void aRefusedCreationShowsAsReplicaFailureAndClears() throws InterruptedException {
        boolean[] refuse = {true};
        api.fault((verb, type, key) -> refuse[0] && verb.equals("create") && type.equals(ResourceType.PODS)
                ? new ApiError("create pods", 403, "Forbidden", "exceeded quota", null)
                : null);
        create(1);
        settle();
        assertThat(web().getStatus().getConditions()).singleElement().satisfies(condition -> {
            assertThat(condition.getType()).isEqualTo("ReplicaFailure");
            assertThat(condition.getReason()).isEqualTo("FailedCreate");
            assertThat(condition.getMessage()).isEqualTo("exceeded quota");
        });
        refuse[0] = false;
        clock.advance(Duration.ofMinutes(2));
        settle();
        assertThat(pods()).hasSize(1);
        assertThat(web().getStatus().getConditions()).isNullOrEmpty();
    }

    @Test
    void itAdoptsMatchingOrphansReleasesOthersAndLeavesTheReplicaSetsAlone() throws InterruptedException {
        V1Pod orphan = ReplicaSetSystem.pod("orphan", "web");
        api.resource(ResourceType.PODS, V1Pod.class).create(orphan);
        V1Pod foreign = ReplicaSetSystem.pod("foreign", "web");
        foreign.getMetadata().addOwnerReferencesItem(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet")
                .name("web").uid("another").controller(true));
        api.resource(ResourceType.PODS, V1Pod.class).create(foreign);
        create(2);
        settle();
        assertThat(pods().stream().filter(p -> OwnerReferences.isControlledBy(p, web().getMetadata()))).hasSize(2)
                .anyMatch(p -> p.getMetadata().getName().equals("orphan"));
        api.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "orphan"),
                p -> p.getMetadata().setLabels(Map.of("app", "other")));
        settle();
        assertThat(api.resource(ResourceType.PODS, V1Pod.class).get(ObjectKey.of("default", "orphan")).getMetadata()
                .getOwnerReferences()).isNullOrEmpty();
        assertThat(pods().stream().filter(p -> OwnerReferences.isControlledBy(p, web().getMetadata()))).hasSize(2);
    }
}
