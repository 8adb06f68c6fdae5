package dev.wheelhouse.controllers.replicaset;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random lives of a ReplicaSet: users, nodes, late watches, writes that are refused, lost or unanswered, and crashes of
 * the controller, in an order determined by a seed. No sync creates more pods than the ReplicaSet that it read asks
 * for. No pod of another owner changes. In the end everything is as desired and the plan is empty.
 * {@code -Dreplicaset.seeds=N} sets the number of seeds.
 */
class ReplicaSetLivesTest {
    private final ReplicaSetSystem system = new ReplicaSetSystem();
    private final List<String> story = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    @AfterEach
    void close() {
        system.close();
    }

    static LongStream seeds() {
        return LongStream.range(0, Sizes.of("replicaset.seeds", 40, 200, 1000));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void endsWellWhateverHappens(long seed) {
        Random random = new Random(seed);
        V1Pod foreign = ReplicaSetSystem.pod("foreign", "web");
        foreign.getMetadata().addOwnerReferencesItem(
                new V1OwnerReference().apiVersion("v1").kind("X").name("x").uid("x").controller(true));
        V1Pod foreignBefore = system.createPod(foreign);
        system.create("web", 1 + random.nextInt(5));
        system.cluster.requests.fault(new Faults(random));
        for (int i = 0; i < 120; i++) {
            act(random);
            assertThat(broken).as("seed %d: %s", seed, story).isEmpty();
        }
        system.cluster.requests.noFault();
        story.add("quiet");
        for (int i = 0; i < 3; i++) {
            system.settle();
            system.cluster.clock.advance(Duration.ofMinutes(6));
            system.pods().stream().filter(Pods::isDeleting)
                    .forEach(system::remove);
        }
        system.settle();
        V1ReplicaSet set = system.set("web");
        String told = "seed " + seed + ": " + story;
        int wanted = set.getSpec().getReplicas();
        assertThat(Pods.active(system.podsOf("web"))).as(told).hasSize(wanted);
        assertThat(set.getStatus().getReplicas()).as(told).isEqualTo(wanted);
        assertThat(set.getStatus().getObservedGeneration()).as(told).isEqualTo(set.getMetadata().getGeneration());
        assertThat(set.getStatus().getConditions()).as(told).isNullOrEmpty();
        assertThat(system.pods()).as(told).contains(foreignBefore);
        assertThat(system.pods()).as(told).filteredOn(p -> "web".equals(p.getMetadata().getLabels().get("app")))
                .allMatch(p -> Pods.isFinished(p) || OwnerReferences.controllerOf(p.getMetadata()) != null);
        assertThat(system.controller.plan(ReplicaSetSystem.key("web"))).as(told).isEmpty();
    }

    private void act(Random random) {
        int what = random.nextInt(20);
        if (what < 8) {
            story.add("step");
            system.step();
        } else if (what < 13) {
            story.add("deliver");
            system.cluster.deliverOne();
        } else if (what < 15) {
            story.add("wait");
            system.cluster.clock.advance(Duration.ofMillis(1 + random.nextInt(3000)));
        } else if (what == 15) {
            int replicas = random.nextInt(7);
            story.add("scale to " + replicas);
            system.scale("web", replicas);
        } else if (what == 16 && random.nextInt(4) == 0) {
            story.add("crash");
            system.restart();
        } else {
            List<V1Pod> pods = system.pods().stream()
                    .filter(p -> !p.getMetadata().getName().equals("foreign") && Pods.isActive(p)).toList();
            if (!pods.isEmpty()) {
                happen(pods.get(random.nextInt(pods.size())), random.nextInt(6));
            }
        }
    }

    private void happen(V1Pod pod, int what) {
        String name = pod.getMetadata().getName();
        switch (what) {
            case 0 -> system.ready(pod);
            case 1 -> system.editPod(pod, p -> p.setStatus(new V1PodStatus().phase("Failed")));
            case 2 -> system.editPod(pod, p -> p.getMetadata().setLabels(Map.of("app", "other")));
            case 3 -> system.editPod(pod, p -> p.getMetadata().setLabels(Map.of("app", "web")));
            case 4 -> system.remove(pod);
            default -> system.bind(pod, "node");
        }
        story.add(List.of("ready ", "fail ", "relabel ", "label back ", "remove ", "bind ").get(what) + name);
    }

    /** Lets one write in six fail: refused, in conflict, lost before the server, or executed without a response. */
    private final class Faults implements Requests.Fault {
        private final Random random;
        private int next;

        Faults(Random random) {
            this.random = random;
        }

        @Override
        public @Nullable KubeApiException before(String verb, ResourceType type, ObjectKey key) {
            next = random.nextInt(24);
            if (verb.equals("create") && type.equals(ResourceType.PODS)) {
                checkCreate();
            }
            return switch (next) {
                case 0 -> new KubeApiException(verb, 403, "Forbidden", "quota", null);
                case 1 -> new KubeApiException(verb, 409, "Conflict", "modified", null);
                case 2 -> new KubeApiException(verb, 500, "InternalError", "oops", null);
                case 3 -> new KubeApiException(verb, new IOException("refused"));
                default -> null;
            };
        }

        @Override
        public @Nullable KubeApiException after(String verb, ResourceType type, ObjectKey key) {
            return next == 4 || next == 5 ? new KubeApiException(verb, new IOException("timed out")) : null;
        }

        private void checkCreate() {
            story.add("create");
            V1ReplicaSet read = system.cluster.informers().informer(ResourceType.REPLICA_SETS, V1ReplicaSet.class)
                    .get(ReplicaSetSystem.key("web"));
            long active = system.pods().stream().filter(Pods::isActive)
                    .filter(p -> read != null && OwnerReferences.isControlledBy(p, read.getMetadata()))
                    .filter(this::countsAsRead).count();
            if (read == null || active >= read.getSpec().getReplicas()) {
                broken.add("a pod more than wanted: there are " + active);
            }
        }

        /**
         * Whether the controller must count a pod. It cannot know users' changes that its cache does not show, but it
         * knows its own. It does not find a pod whose creation got no answer and that a user has relabeled since: such
         * a pod is no longer wanted.
         */
        private boolean countsAsRead(V1Pod pod) {
            V1Pod cached = system.cluster.informers().informer(ResourceType.PODS, V1Pod.class).get(ObjectKey.of(pod));
            V1Pod known = cached == null ? pod : cached;
            return Pods.isActive(known) && "web".equals(known.getMetadata().getLabels().get("app"));
        }
    }
}
