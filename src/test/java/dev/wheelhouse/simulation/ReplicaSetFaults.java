package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.simulation.PlantedFault.Defect;
import dev.wheelhouse.testing.Interceptor;

/** Errors of the controllers of ReplicaSets and ReplicationControllers. */
final class ReplicaSetFaults {
    /** The pods that should be deleted last are deleted first. */
    private static final Defect VICTIMS_REVERSED = Defects.each(ReplicaSetController.NAME,
            (truth, owner, a) -> a instanceof Action.Batch b ? reversed(truth, Defects.object(owner), b) : a);

    /** The controller treats every pod that its selector matches as its own, even if another controller owns it. */
    private static final Defect CONTROLLER_REF_IGNORED = new Defect() {
        @Override
        public ControllerContext plant(ApiServer server, ControllerContext context) {
            return context;
        }

        @Override
        public Interceptor view(ApiServer server) {
            Truth truth = new Truth(new Contents(server.store()), Simulation.NAMESPACE);
            return new Interceptor() {
                @Override
                public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options,
                        Supplier<ListPage<T>> call) {
                    ListPage<T> page = call.get();
                    page.items().forEach(o -> claim(truth, o));
                    return page;
                }

                @Override
                public <T> WatchStream<T> watch(ResourceType type, WatchOptions options,
                        Supplier<WatchStream<T>> call) {
                    return new Claiming<>(call.get(), truth);
                }
            };
        }
    };

    /** The controller of ReplicationControllers creates one pod too many. */
    private static final Defect ONE_TOO_MANY = Defects.each(ReplicaSetController.REPLICATION_CONTROLLERS,
            (truth, owner, a) -> a instanceof Action.Batch b && !b.writes().isEmpty()
                    && b.writes().getFirst() instanceof Action.Create first
                            ? new Action.Batch(Stream.concat(b.writes().stream(), Stream.of(first)).toList(),
                                    b.slowStart())
                            : a);

    private ReplicaSetFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("deletions not recorded", "is deleted twice|a creation gives .* pods",
                        Defects.DELETIONS_NOT_RECORDED),
                new PlantedFault("controllerRef ignored",
                        "a deletion leaves .* pods|of another than it read|a creation gives .* pods",
                        CONTROLLER_REF_IGNORED),
                new PlantedFault("a stale cache read",
                        "a creation gives .* pods|a deletion leaves .* pods|is deleted twice", Defects.STALE_READ),
                new PlantedFault("a new leader on old caches", "a creation gives .* pods", Defects.OLD_CACHES),
                new PlantedFault("the victims' order reversed", "is deleted, which is ready, before .*, which is not",
                        VICTIMS_REVERSED),
                new PlantedFault("a pod of a ReplicationController too many", "a creation gives .* pods",
                        ONE_TOO_MANY));
    }

    private static Action reversed(Truth truth, ObjectKey owner, Action.Batch batch) {
        V1ReplicaSet replicaSet = truth.get(ResourceType.REPLICA_SETS, V1ReplicaSet.class, owner.name());
        if (replicaSet == null || !batch.writes().stream().allMatch(w -> w instanceof Action.Delete)) {
            return batch;
        }
        List<V1Pod> pods = truth.pods().stream()
                .filter(p -> Truth.owns(replicaSet, p) && Truth.isActive(p))
                .sorted(Comparator.comparing(p -> !Truth.isReady(p))).limit(batch.writes().size()).toList();
        return Action.Batch.each(pods.stream().map(p -> new Action.Delete(ResourceType.PODS,
                ObjectKey.of(p), Deletion.ofUid(Truth.uid(p)), "too many pods")).toList());
    }

    private static void claim(Truth truth, @Nullable Object object) {
        if (object instanceof V1Pod pod && pod.getMetadata().getOwnerReferences() != null) {
            for (V1OwnerReference owner : pod.getMetadata().getOwnerReferences()) {
                String one = owner.getName().replaceAll("-two$", "-one");
                V1ReplicaSet other = one.equals(owner.getName())
                        ? null
                        : truth.get(ResourceType.REPLICA_SETS,
                                V1ReplicaSet.class, one);
                if (other != null) {
                    owner.name(one).uid(other.getMetadata().getUid());
                }
            }
        }
    }

    private static final class Claiming<T> extends ForwardingWatchStream<T> {
        private final Truth truth;

        Claiming(WatchStream<T> behind, Truth truth) {
            super(behind);
            this.truth = truth;
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            WatchEvent<T> event = super.next(maxWait);
            if (event instanceof WatchEvent.Added<T> added) {
                claim(truth, added.object());
            } else if (event instanceof WatchEvent.Modified<T> modified) {
                claim(truth, modified.object());
            }
            return event;
        }
    }
}
