package dev.wheelhouse.controllers.deployment;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStrategy;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1RollingUpdateDeployment;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("Whatever users and pods do, the Deployment controller")
class DeploymentInvariantsTest {
    private static final int SEEDS = 300;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, SEEDS);
    }

    /** One random life of a Deployment. */
    private static final class Life {
        final Random random;
        final World world = new World();

        Life(long seed) {
            random = new Random(seed);
            world.order = random::nextInt;
            world.create(Deployments.named("web").replicas(random.nextInt(12)).image("app:0").build());
            change(this::strategy);
        }

        void change(java.util.function.Consumer<V1Deployment> change) {
            V1Deployment deployment = ModelJson.copy(world.deployment("web"));
            change.accept(deployment);
            world.put(deployment);
        }

        void strategy(V1Deployment deployment) {
            V1DeploymentStrategy strategy = new V1DeploymentStrategy();
            if (random.nextInt(4) == 0) {
                strategy.setType("Recreate");
            } else {
                int surge = random.nextInt(4);
                strategy.setType("RollingUpdate");
                strategy.setRollingUpdate(new V1RollingUpdateDeployment()
                        .maxSurge(random.nextBoolean() ? new IntOrString(surge) : new IntOrString(surge * 15 + "%"))
                        .maxUnavailable(random.nextBoolean()
                                ? new IntOrString(surge == 0 ? 1 : random.nextInt(3))
                                : new IntOrString(random.nextInt(3) * 15 + "%")));
            }
            deployment.getSpec().setStrategy(strategy);
        }

        void live() {
            for (int i = 0; i < 40; i++) {
                switch (random.nextInt(8)) {
                    case 0 -> change(d -> d.getSpec().setReplicas(random.nextInt(12)));
                    case 1 -> change(d -> d.getSpec().getTemplate().getSpec().getContainers().getFirst()
                            .setImage("app:" + random.nextInt(4)));
                    case 2 -> change(d -> d.getSpec().setPaused(random.nextInt(3) == 0));
                    case 3 -> change(d -> {
                        strategy(d);
                        d.getSpec().setReplicas(random.nextInt(12));
                    });
                    case 4 -> tamper();
                    default -> pods();
                }
                for (int turns = random.nextInt(20); turns > 0; turns--) {
                    world.turn();
                }
                world.clock.advance(java.time.Duration.ofSeconds(random.nextInt(3)));
            }
        }

        /** Lets a user change a ReplicaSet's annotations. */
        void tamper() {
            List<V1ReplicaSet> all = List.copyOf(world.replicaSets.values());
            if (!all.isEmpty()) {
                V1ReplicaSet replicaSet = ModelJson.copy(all.get(random.nextInt(all.size())));
                replicaSet.getMetadata().putAnnotationsItem(
                        random.nextBoolean() ? Annotations.DESIRED_REPLICAS : Annotations.MAX_REPLICAS,
                        List.of("7", "0", "-1", "x", "99999999999").get(random.nextInt(5)));
                world.put(replicaSet);
            }
        }

        void pods() {
            for (World.Pod pod : List.copyOf(world.pods)) {
                if (random.nextInt(3) == 0) {
                    if (pod.terminating) {
                        world.pods.remove(pod);
                    } else {
                        pod.phase = "Running";
                        pod.readySince = world.clock.now();
                    }
                }
            }
        }

        /** Makes all pods ready, and ends all that are being deleted. */
        void calmDown() {
            change(d -> d.getSpec().setPaused(null));
            for (int round = 0; round < 200; round++) {
                world.settle();
                if (world.pods.stream().noneMatch(p -> p.terminating || p.readySince == null)) {
                    return;
                }
                world.pods.removeIf(p -> p.terminating);
                world.pods.forEach(p -> {
                    p.phase = "Running";
                    p.readySince = p.readySince == null ? world.clock.now() : p.readySince;
                });
            }
            throw new AssertionError("pods still come and go: " + world.eventMessages);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void alwaysFinishesTheRolloutAndThenHasNothingToDo(long seed) {
        Life life = new Life(seed);
        life.live();
        life.calmDown();
        V1Deployment deployment = life.world.deployment("web");
        int replicas = deployment.getSpec().getReplicas();
        Draft draft = new Draft(life.world.view("web"));
        assertThat(draft.newReplicaSet()).isNotNull();
        assertThat(draft.newReplicaSet().replicas()).isEqualTo(replicas);
        assertThat(draft.activeOldReplicaSets()).isEmpty();
        assertThat(Progress.isComplete(draft, deployment.getStatus())).isTrue();
        assertThat(Conditions.hasReason(Conditions.find(deployment.getStatus(), Conditions.PROGRESSING),
                "NewReplicaSetAvailable")).isTrue();
        assertThat(Annotations.of(deployment.getMetadata()).get(Annotations.REVISION))
                .isEqualTo(draft.newReplicaSet().annotation(Annotations.REVISION));
        assertThat(DeploymentDecision.decide(life.world.view("web"))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void neverGoesBeyondSurgeNorBelowAvailabilityByItsOwnAction(long seed) {
        Life life = new Life(seed);
        life.world.observer = (view, actions) -> {
            Draft draft = new Draft(view);
            if (Fenceposts.isRollingUpdate(view.deployment()) && !draft.isPaused()
                    && !Scaling.isScalingEvent(draft)) {
                checkSurge(draft, actions);
                checkAvailability(draft, actions);
            }
        };
        life.live();
        life.calmDown();
    }

    private static void checkSurge(Draft draft, List<Action> actions) {
        Map<String, Integer> sizes = sizesAfter(draft, actions);
        int before = draft.allReplicaSets().mapToInt(ReplicaSetDraft::occupiedReplicas).sum();
        int after = sizes.entrySet().stream().mapToInt(e -> Math.max(e.getValue(), actual(draft, e.getKey()))).sum();
        if (after > before) {
            assertThat(after).as("pods after %s", actions)
                    .isLessThanOrEqualTo(draft.replicas() + draft.maxSurge());
        }
    }

    private static int actual(Draft draft, String name) {
        return draft.allReplicaSets().filter(r -> r.name().equals(name)).mapToInt(ReplicaSetDraft::actualReplicas)
                .sum();
    }

    private static void checkAvailability(Draft draft, List<Action> actions) {
        Map<String, Integer> sizes = sizesAfter(draft, actions);
        int before = draft.allReplicaSets().mapToInt(ReplicaSetDraft::lastingAvailableReplicas).sum();
        int after = draft.allReplicaSets()
                .mapToInt(r -> Math.min(r.lastingAvailableReplicas(), sizes.getOrDefault(r.name(), 0))).sum();
        boolean newShrinks = draft.newReplicaSet() != null && draft.newReplicaSet().replicas() > draft.replicas();
        if (after < before && !newShrinks) {
            assertThat(after).as("available pods after %s", actions)
                    .isGreaterThanOrEqualTo(draft.replicas() - draft.maxUnavailable());
        }
    }

    private static Map<String, Integer> sizesAfter(Draft draft, List<Action> actions) {
        Map<String, Integer> sizes = new java.util.HashMap<>();
        draft.allReplicaSets().forEach(r -> sizes.put(r.name(), r.replicas()));
        for (Action action : actions) {
            switch (action) {
                case Action.Create c -> put(sizes, (V1ReplicaSet) c.object());
                case Action.Update u when u.object() instanceof V1ReplicaSet r -> put(sizes, r);
                default -> {
                }
            }
        }
        return sizes;
    }

    private static void put(Map<String, Integer> sizes, V1ReplicaSet replicaSet) {
        sizes.put(replicaSet.getMetadata().getName(), replicaSet.getSpec().getReplicas());
    }
}
