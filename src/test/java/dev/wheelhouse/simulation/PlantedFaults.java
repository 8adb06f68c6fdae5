package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ForwardingControllerContext;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/** Typical programming errors, injected from outside. */
final class PlantedFaults {
    private PlantedFaults() {}

    /** The controller sets no expectations for its creations and deletions, so that the next sync may repeat them. */
    static final PlantedFault EXPECTATIONS_SKIPPED = (server, context) -> new Surgery(context) {
        @Override
        public ActionExecutor executor(String controller) {
            return new Executor(context.executor(controller), (owner, actions) -> actions) {
                @Override
                public boolean writes() {
                    return false;
                }
            };
        }
    };

    /** The controller syncs although its caches are older than its own writes. */
    static final PlantedFault STALE_READ = (server, context) -> new Surgery(context) {
        @Override
        public ConsistencyStore consistency(String controller) {
            return new ConsistencyStore(context.clock());
        }

        @Override
        public ActionExecutor executor(String controller) {
            return EXPECTATIONS_SKIPPED.plant(server, context).executor(controller);
        }
    };

    /** A ReplicaSet becomes larger by one pod than it should. */
    static final PlantedFault FENCEPOST = (server, context) -> new Surgery(context) {
        @Override
        public ActionExecutor executor(String controller) {
            return new Executor(context.executor(controller), (owner, actions) -> actions.stream()
                    .map(a -> a instanceof Action.Update u && u.object() instanceof V1ReplicaSet r ? grown(u, r) : a)
                    .toList());
        }

        private Action grown(Action.Update update, V1ReplicaSet wanted) {
            V1ReplicaSet stored = context.client().resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class)
                    .get(update.target());
            if (wanted.getSpec().getReplicas() <= stored.getSpec().getReplicas()) {
                return update;
            }
            V1ReplicaSet grown = ModelJson.copy(wanted);
            grown.getSpec().setReplicas(wanted.getSpec().getReplicas() + 1);
            return new Action.Update(update.type(), grown, update.why());
        }
    };

    /** Keys that should be retried are dropped. */
    static final PlantedFault LOST_REQUEUE = (server, context) -> new Surgery(context) {
        @Override
        public <K> WorkQueue<K> queue(String name, RateLimits limits) {
            WorkQueue<K> queue = context.queue(name, limits);
            return new ForgetfulQueue<>(queue);
        }
    };

    /** The pods that should be deleted last are deleted first. */
    static final PlantedFault VICTIMS_REVERSED = (server, context) -> new Surgery(context) {
        @Override
        public ActionExecutor executor(String controller) {
            return new Executor(context.executor(controller),
                    (owner, actions) -> controller.equals("replicaset-controller")
                            ? actions.stream().map(a -> a instanceof Action.Batch b ? reversed(server, owner, b) : a)
                                    .toList()
                            : actions);
        }
    };

    private static Action reversed(ApiServer server, ObjectKey owner, Action.Batch batch) {
        if (!batch.writes().stream().allMatch(w -> w instanceof Action.Delete)) {
            return batch;
        }
        KubeClient truth = server.client("truth");
        V1ReplicaSet replicaSet = truth.resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class).get(owner);
        List<V1Pod> pods = new Checks(truth, new Story(Clock.system()), () -> null, () -> null).pods().stream()
                .filter(p -> OwnerReferences.isControlledBy(p, replicaSet.getMetadata()) && Checks.isActive(p))
                .sorted(Comparator.comparing(p -> !Checks.isReady(p))).limit(batch.writes().size()).toList();
        return Action.Batch.each(pods.stream().map(p -> new Action.Delete(ResourceType.PODS,
                ObjectKey.of(p), Deletion.ofUid(Checks.uid(p)), "too many pods")).toList());
    }

    /** The controller writes the status that it computed in the sync before. */
    static PlantedFault statusOfAnOldView() {
        return (server, context) -> new Surgery(context) {
            private final Map<ObjectKey, V1Deployment> before = new HashMap<>();

            @Override
            public ActionExecutor executor(String controller) {
                return new Executor(context.executor(controller), (owner, actions) -> actions.stream()
                        .map(a -> a instanceof Action.UpdateStatus u && u.object() instanceof V1Deployment d
                                ? new Action.UpdateStatus(u.type(), late(u.target(), d), u.why())
                                : a)
                        .toList());
            }

            private V1Deployment late(ObjectKey key, V1Deployment now) {
                V1Deployment last = before.put(key, now);
                if (last == null) {
                    return now;
                }
                V1Deployment late = ModelJson.copy(now);
                late.setStatus(last.getStatus());
                return late;
            }
        };
    }

    /** The controller treats every pod that its selector matches as its own, even if another controller owns it. */
    static final PlantedFault CONTROLLER_REF_IGNORED = new PlantedFault() {
        @Override
        public ControllerContext plant(ApiServer server, ControllerContext context) {
            return context;
        }

        @Override
        public Interceptor view(ApiServer server) {
            KubeClient truth = server.client("truth");
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

    private static void claim(KubeClient truth, @Nullable Object object) {
        if (object instanceof V1Pod pod && pod.getMetadata().getOwnerReferences() != null) {
            for (V1OwnerReference owner : pod.getMetadata().getOwnerReferences()) {
                if (owner.getName().equals("two")) {
                    try {
                        V1ReplicaSet one = truth.resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class)
                                .get(ObjectKey.of("default", "one"));
                        owner.name("one").uid(one.getMetadata().getUid());
                    } catch (ApiError e) {
                        // There is no such ReplicaSet.
                    }
                }
            }
        }
    }

    private record Claiming<T>(WatchStream<T> behind, KubeClient truth) implements WatchStream<T> {
        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            WatchEvent<T> event = behind.next(maxWait);
            if (event instanceof WatchEvent.Added<T> added) {
                claim(truth, added.object());
            } else if (event instanceof WatchEvent.Modified<T> modified) {
                claim(truth, modified.object());
            }
            return event;
        }

        @Override
        public boolean isEnded() {
            return behind.isEnded();
        }

        @Override
        public boolean onReady(Runnable wake) {
            return behind.onReady(wake);
        }

        @Override
        public void close() {
            behind.close();
        }
    }

    private interface Change {
        List<Action> of(ObjectKey owner, List<Action> actions);
    }

    private static class Executor implements ActionExecutor {
        private final ActionExecutor behind;
        private final Change change;

        Executor(ActionExecutor behind, Change change) {
            this.behind = behind;
            this.change = change;
        }

        @Override
        public Outcome execute(ObjectKey owner, List<Action> actions) {
            return behind.execute(owner, change.of(owner, new ArrayList<>(actions)));
        }

        @Override
        public void begin(ObjectKey owner) {
            behind.begin(owner);
        }

        @Override
        public void end(ObjectKey owner) {
            behind.end(owner);
        }

        @Override
        public boolean writes() {
            return behind.writes();
        }
    }

    /** A context of which a subclass changes one part. Both executors are changed alike. */
    private abstract static class Surgery extends ForwardingControllerContext {
        Surgery(ControllerContext behind) {
            super(behind);
        }

        @Override
        public ActionExecutor executor(String controller, String eventSource) {
            return executor(controller);
        }
    }

    private record ForgetfulQueue<K>(WorkQueue<K> behind) implements WorkQueue<K> {
        @Override
        public void add(K key, Priority priority) {
            behind.add(key, priority);
        }

        @Override
        public void addAfter(K key, Duration delay) {
            // Drop the key.
        }

        @Override
        public void addRateLimited(K key, Duration atLeast) {
            // Drop the key.
        }

        @Override
        public void forget(K key) {
            behind.forget(key);
        }

        @Override
        public int numRequeues(K key) {
            return behind.numRequeues(key);
        }

        @Override
        public @Nullable K poll() {
            return behind.poll();
        }

        @Override
        public void awaitReady(long nanos) throws InterruptedException {
            behind.awaitReady(nanos);
        }

        @Override
        public long nanosToNextDue() {
            return behind.nanosToNextDue();
        }

        @Override
        public void done(K key) {
            behind.done(key);
        }

        @Override
        public int size() {
            return behind.size();
        }

        @Override
        public void shutDown() {
            behind.shutDown();
        }

        @Override
        public boolean isShutDown() {
            return behind.isShutDown();
        }

        @Override
        public boolean awaitIdle(Duration within) throws InterruptedException {
            return behind.awaitIdle(within);
        }
    }
}
