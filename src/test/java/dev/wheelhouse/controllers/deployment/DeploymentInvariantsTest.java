package dev.wheelhouse.controllers.deployment;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStrategy;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1RollingUpdateDeployment;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random lives of a Deployment. A seed determines the life; {@code -Ddeployment.seeds=N} sets the number of seeds.
 */
@Tag("sized")
@DisplayName("Whatever users and pods do, the Deployment controller")
class DeploymentInvariantsTest {
    private static final int SEEDS = Sizes.of("deployment.seeds", 6, 100, 600);
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    static LongStream seeds() {
        return LongStream.rangeClosed(1, SEEDS);
    }

    /** One random life of a Deployment. */
    private static final class Life implements AutoCloseable {
        private final Random random;
        private final Cluster cluster = new Cluster();
        private final List<Loop> workers = new ArrayList<>();

        Life(long seed) {
            random = new Random(seed);
            ControllerContext context = cluster.context();
            workers.addAll(new DeploymentController(context).loops());
            workers.addAll(new ReplicaSetController(context).loops());
            V1Deployment deployment = Deployments.named("web").replicas(random.nextInt(12)).image("app:0").build();
            deployment.getMetadata().setResourceVersion(null);
            strategy(deployment);
            cluster.create(ResourceType.DEPLOYMENTS, deployment);
        }

        void change(Consumer<V1Deployment> change) {
            cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, WEB, change);
        }

        void strategy(V1Deployment deployment) {
            V1DeploymentStrategy strategy = new V1DeploymentStrategy();
            if (random.nextInt(4) == 0) {
                strategy.setType("Recreate");
            } else {
                int surge = random.nextInt(4);
                int unavailable = surge == 0 ? 1 + random.nextInt(2) : random.nextInt(3);
                strategy.setType("RollingUpdate");
                strategy.setRollingUpdate(
                        new V1RollingUpdateDeployment().maxSurge(bound(surge)).maxUnavailable(bound(unavailable)));
            }
            deployment.getSpec().setStrategy(strategy);
        }

        private IntOrString bound(int size) {
            return random.nextBoolean() ? new IntOrString(size) : new IntOrString(size * 15 + "%");
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
                    turn();
                }
                cluster.clock.advance(Duration.ofSeconds(random.nextInt(3)));
            }
        }

        /** Delivers one change, or lets a controller act. */
        private void turn() {
            int which = random.nextInt(workers.size() + 1);
            if (which == workers.size()) {
                cluster.deliverOne();
                checkDecision();
            } else {
                Cluster.step(workers.get(which));
            }
        }

        /** Lets a user change a ReplicaSet's annotations. */
        void tamper() {
            List<V1ReplicaSet> all = cluster.all(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
            if (!all.isEmpty()) {
                cluster.edit(ResourceType.REPLICA_SETS, V1ReplicaSet.class,
                        ObjectKey.of(all.get(random.nextInt(all.size()))),
                        replicaSet -> replicaSet.getMetadata().putAnnotationsItem(
                                random.nextBoolean() ? Annotations.DESIRED_REPLICAS : Annotations.MAX_REPLICAS,
                                List.of("7", "0", "-1", "x", "99999999999").get(random.nextInt(5))));
            }
        }

        void pods() {
            for (V1Pod pod : cluster.all(ResourceType.PODS, V1Pod.class)) {
                if (random.nextInt(3) == 0) {
                    nodeWorksOn(pod);
                }
            }
        }

        /** Ends a pod that is being deleted, and makes another one ready. */
        private void nodeWorksOn(V1Pod pod) {
            if (pod.getMetadata().getDeletionTimestamp() != null) {
                cluster.remove(ResourceType.PODS, ObjectKey.of(pod));
            } else if (pod.getSpec().getNodeName() == null) {
                cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod), p -> {
                    p.getSpec().setNodeName("hollow-0");
                    p.setStatus(new V1PodStatus().phase("Running").addConditionsItem(new V1PodCondition().type("Ready")
                            .status("True").lastTransitionTime(cluster.clock.now().atOffset(ZoneOffset.UTC))));
                });
            }
        }

        /** Makes all pods ready, and ends all that are being deleted. */
        void calmDown() {
            change(d -> d.getSpec().setPaused(null));
            for (int round = 0; round < 200; round++) {
                cluster.settle(workers, Duration.ofSeconds(5));
                List<V1Pod> restless = cluster.all(ResourceType.PODS, V1Pod.class).stream()
                        .filter(p -> p.getMetadata().getDeletionTimestamp() != null
                                || p.getSpec().getNodeName() == null)
                        .toList();
                if (restless.isEmpty()) {
                    return;
                }
                restless.forEach(this::nodeWorksOn);
            }
            throw new AssertionError("pods still come and go: " + cluster.eventTexts());
        }

        V1Deployment deployment() {
            return cluster.read(ResourceType.DEPLOYMENTS, WEB, V1Deployment.class);
        }

        /** The view of the controller's caches; null if they do not contain the Deployment yet. */
        @Nullable
        DeploymentView view() {
            V1Deployment cached = cluster.informers().informer(ResourceType.DEPLOYMENTS, V1Deployment.class).get(WEB);
            return cached == null
                    ? null
                    : DeploymentView.of(cached, cached(ResourceType.REPLICA_SETS, V1ReplicaSet.class),
                            this::unfinishedPods, cluster.clock.now());
        }

        private <T extends KubernetesObject> List<T> cached(ResourceType type, Class<T> model) {
            return cluster.informers().informer(type, model).getIndexer().list();
        }

        private int unfinishedPods(V1ReplicaSet replicaSet) {
            return (int) cached(ResourceType.PODS, V1Pod.class).stream()
                    .filter(p -> OwnerReferences.isControlledBy(p, replicaSet.getMetadata()) && !isFinished(p))
                    .count();
        }

        private static boolean isFinished(V1Pod pod) {
            return Set.of("Failed", "Succeeded").contains(String.valueOf(pod.getStatus().getPhase()));
        }

        /** Checks what the controller would do now. */
        private void checkDecision() {
            DeploymentView view = view();
            if (view == null) {
                return;
            }
            List<Action> actions = DeploymentDecision.decide(view);
            checkEffects(view, actions);
            Draft draft = new Draft(view);
            if (Fenceposts.isRollingUpdate(view.deployment()) && !draft.isPaused()
                    && !Scaling.isScalingEvent(draft)) {
                checkSurge(draft, actions);
                checkAvailability(draft, actions);
            }
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void staysWithinItsBoundsFinishesTheRolloutAndThenHasNothingToDo(long seed) {
        try (Life life = new Life(seed)) {
            life.live();
            life.calmDown();
            V1Deployment deployment = life.deployment();
            DeploymentView view = Objects.requireNonNull(life.view());
            Draft draft = new Draft(view);
            assertThat(draft.newReplicaSet()).isNotNull();
            assertThat(draft.newReplicaSet().replicas()).isEqualTo(deployment.getSpec().getReplicas());
            assertThat(draft.activeOldReplicaSets()).isEmpty();
            assertThat(Progress.isComplete(draft, deployment.getStatus())).isTrue();
            assertThat(DeploymentConditions.hasReason(
                    DeploymentConditions.find(deployment.getStatus(), DeploymentConditions.PROGRESSING),
                    "NewReplicaSetAvailable")).isTrue();
            assertThat(Metadata.annotations(deployment.getMetadata()).get(Annotations.REVISION))
                    .isEqualTo(draft.newReplicaSet().annotation(Annotations.REVISION));
            assertThat(DeploymentDecision.decide(view)).isEmpty();
        }
    }

    private static void checkEffects(DeploymentView view, List<Action> actions) {
        List<KubernetesObject> read = new ArrayList<>(view.owned());
        read.add(view.deployment());
        for (Action action : actions) {
            if (action instanceof Action.Update update) {
                assertThat(read).as("an update changes something").doesNotContain(update.object());
            } else if (action instanceof Action.UpdateStatus update) {
                assertThat(read).as("a status update changes something").doesNotContain(update.object());
            }
        }
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
        Map<String, Integer> sizes = new HashMap<>();
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
