package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controller.IdleController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.Outage;
import dev.wheelhouse.controller.PlansForAnyType;
import dev.wheelhouse.controller.TypeMonitors;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Deletes objects whose owners do not exist, and carries out foreground deletion and orphaning (upstream:
 * {@code pkg/controller/garbagecollector}).
 *
 * <p>It follows the metadata of every type that discovery lists. It starts to act when all types have been read, or 30
 * s after its start. Thread safe.
 */
public final class GarbageCollector implements PlansForAnyType {
    public static final String NAME = "garbage-collector-controller";

    private static final Set<String> IGNORED = Set.of("events", "events.events.k8s.io");
    private static final Measure FAILURES = Measure.counter("garbagecollector_controller_resources_sync_error_total",
            "Reads of discovery that failed or named no types");
    private static final Duration NOT_READY_YET = Duration.ofMillis(100);

    private final WorkQueue<String> toDelete;
    private final WorkQueue<String> toOrphan;
    private final TypeMonitors monitors;
    private final GraphKeeper keeper;
    private final Clock clock;
    private final KubeClient client;
    private final VerdictReconciler delete;
    private final VerdictReconciler orphan;
    private final List<Loop> loops = new ArrayList<>();

    /** The controller if {@link ControllerOptions.Switches#garbageCollector} is set, else one that does nothing. */
    public static Controller of(ControllerContext context) {
        return context.options().get(ControllerOptions.Switches.DEFAULTS).garbageCollector()
                ? new GarbageCollector(context)
                : new IdleController(NAME);
    }

    public GarbageCollector(ControllerContext context) {
        clock = context.clock();
        toDelete = context.queue("garbage_collector_attempt_to_delete");
        toOrphan = context.queue("garbage_collector_attempt_to_orphan");
        keeper = new GraphKeeper(toDelete, toOrphan, context.events(NAME));
        monitors = new TypeMonitors("the garbage collector", context, new OfTypes(context.metrics()));
        ActionExecutor executor = context.executor(NAME);
        ConsistencyStore consistency = context.consistency(NAME);
        client = context.client().sharing();
        delete = new VerdictReconciler(keeper, Decisions::decideDelete, monitors::isWatched, client, executor,
                consistency);
        orphan = new VerdictReconciler(keeper, Decisions::decideOrphan, monitors::isWatched, client, executor,
                consistency);
        loops.add(monitors);
        Outage<String> ofDeletes = new Outage<>(toDelete, clock);
        Outage<String> ofOrphans = new Outage<>(toOrphan, clock);
        for (int i = 0; i < context.workers(NAME); i++) {
            loops.add(worker(context, toDelete, ofDeletes, delete));
            loops.add(worker(context, toOrphan, ofOrphans, orphan));
        }
    }

    private Loop worker(ControllerContext context, WorkQueue<String> queue, Outage<String> outage,
            VerdictReconciler reconciler) {
        return new Worker<>(NAME, queue, outage, uid -> monitors.isReady() ? Duration.ZERO : NOT_READY_YET, reconciler,
                context.clock(), context.metrics());
    }

    @Override
    public String name() {
        return NAME;
    }

    /**
     * {@inheritDoc} Returns none, because it discovers its types itself, and a type that cannot be read must not block
     * it.
     */
    @Override
    public List<SharedIndexInformer<?>> informers() {
        return List.of();
    }

    @Override
    public List<Loop> loops() {
        return List.copyOf(loops);
    }

    @Override
    public Optional<List<Action>> plan(String groupResource, ObjectKey key) {
        ResourceType type = monitors.followed(groupResource).orElse(null);
        if (type == null) {
            return Optional.empty();
        }
        return client.metadata(type).find(key).map(PartialObjectMetadata::getMetadata).map(live -> {
            boolean orphans = Finalizers.isBeingDeleted(live) && Finalizers.has(live, Finalizers.ORPHAN);
            return (orphans ? orphan : delete).plan(live.getUid());
        });
    }

    /** The types whose objects have not all been read, each with the reason. */
    List<String> typesNotSynced() {
        return monitors.notSynced();
    }

    /** Whether it acts: all types have been read, or 30 s have passed. */
    boolean isReady() {
        return monitors.isReady();
    }

    /** The number of objects in the graph, owners that no informer has shown included. */
    int objects() {
        return keeper.size();
    }

    @Override
    public void close() {
        toDelete.shutDown();
        toOrphan.shutDown();
        loops.forEach(Loop::close);
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        return toDelete.awaitIdle(within)
                && toOrphan.awaitIdle(clock.until(deadline));
    }

    private final class OfTypes implements TypeMonitors.Follower {
        private final ControllerMetrics metrics;

        OfTypes(ControllerMetrics metrics) {
            this.metrics = metrics;
        }

        @Override
        public boolean wants(ResourceType type) {
            return !IGNORED.contains(type.groupResource());
        }

        @Override
        public <T extends KubernetesObject> ResourceEventHandler<T> handler(ResourceType type) {
            return keeper.handler(type);
        }

        @Override
        public void discovered(Collection<ResourceType> types, Collection<ResourceType> otherVersions) {
            keeper.setTypes(new Types(types, otherVersions));
        }

        @Override
        public void failed() {
            metrics.record(FAILURES, 1);
        }
    }
}
