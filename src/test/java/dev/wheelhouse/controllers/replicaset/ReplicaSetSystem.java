package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.fake.FakeCluster;
import dev.wheelhouse.fake.FakeInformers;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/** The controller on a fake API server, stepped by one thread. */
final class ReplicaSetSystem {
    /** The longest delay, in nanoseconds, that the system waits for when it settles. */
    private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

    final ManualClock clock = new ManualClock();
    final FakeCluster api = new FakeCluster(clock);
    final List<String> events = new ArrayList<>();
    FakeInformers informers;
    ReplicaSetController controller;
    private Loop worker;

    ReplicaSetSystem() {
        informers = new FakeInformers(api);
        controller = newController(informers);
        worker = controller.loops().get(0);
    }

    /** Drops the controller's memory, as a crash does, and starts a new one. */
    void restart() {
        informers = new FakeInformers(api);
        controller = newController(informers);
        worker = controller.loops().get(0);
        informers.deliver();
    }

    private ReplicaSetController newController(FakeInformers from) {
        return new ReplicaSetController(new DefaultControllerContext(api, from, clock,
                component -> (regardingType, regarding, fieldPath, type, reason, message) -> events
                        .add(type + " " + reason + " " + message),
                DefaultControllerContext.Settings.stepped()));
    }

    static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    V1ReplicaSet create(String name, int replicas) {
        return api.resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class).create(replicaSet(name, replicas));
    }

    static V1ReplicaSet replicaSet(String name, int replicas) {
        return new V1ReplicaSet().apiVersion("apps/v1").kind("ReplicaSet")
                .metadata(new V1ObjectMeta().namespace("default").name(name))
                .spec(new V1ReplicaSetSpec().replicas(replicas)
                        .selector(new V1LabelSelector().matchLabels(Map.of("app", name)))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(Map.of("app", name)))
                                .spec(new V1PodSpec().containers(List.of(new V1Container().name("app").image("i"))))));
    }

    V1Pod createPod(V1Pod pod) {
        return api.resource(ResourceType.PODS, V1Pod.class).create(pod);
    }

    static V1Pod pod(String name, String app) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name(name).labels(Map.of("app", app)))
                .spec(new V1PodSpec());
    }

    /** Delivers everything and lets the worker run, with short waits, until nothing happens any more. */
    void settle() {
        for (int steps = 0; steps < 100_000; steps++) {
            informers.deliver();
            long wait = step();
            if (wait > PATIENCE) {
                return;
            }
            clock.advance(Duration.ofNanos(wait));
        }
        throw new AssertionError("it does not come to rest");
    }

    long step() {
        try {
            return worker.step();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    V1ReplicaSet set(String name) {
        return api.resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class).get(key(name));
    }

    void scale(String name, int replicas) {
        api.edit(ResourceType.REPLICA_SETS, V1ReplicaSet.class, key(name), set -> {
            set.getSpec().setReplicas(replicas);
            set.getMetadata().setGeneration(set.getMetadata().getGeneration() + 1);
        });
    }

    List<V1Pod> pods() {
        return api.all(ResourceType.PODS, V1Pod.class);
    }

    List<V1Pod> podsOf(String name) {
        V1ReplicaSet set = set(name);
        return pods().stream().filter(pod -> OwnerReferences.isControlledBy(pod, set.getMetadata())).toList();
    }

    void bind(V1Pod pod, String node) {
        editPod(pod, p -> p.getSpec().setNodeName(node));
    }

    void ready(V1Pod pod) {
        ready(pod, 0);
    }

    void ready(V1Pod pod, long secondsAgo) {
        editPod(pod, p -> {
            if (p.getSpec().getNodeName() == null) {
                p.getSpec().setNodeName("hollow-0");
            }
            p.setStatus(new V1PodStatus().phase("Running").conditions(List.of(condition("True", secondsAgo))));
        });
    }

    void status(V1Pod pod, String phase) {
        editPod(pod, p -> p.setStatus(new V1PodStatus().phase(phase).conditions(List.of(condition("False", 0)))));
    }

    private V1PodCondition condition(String status, long secondsAgo) {
        return new V1PodCondition().type("Ready").status(status).lastTransitionTime(OffsetDateTime
                .ofInstant(clock.now(), ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).minusSeconds(secondsAgo));
    }

    void editPod(V1Pod pod, java.util.function.Consumer<V1Pod> change) {
        api.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod), change);
    }
}
