package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.IdleController;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controller.TypeMonitors;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Deletes objects whose owners do not exist, and carries out foreground deletion and orphaning (upstream:
 * {@code pkg/controller/garbagecollector}).
 *
 * <p>It follows the metadata of every type that discovery lists. It starts to act when all types have been read, or 30
 * s after its start. Thread safe.
 */
public final class GarbageCollector extends KeyedController<ObjectCheck> {
    public static final String NAME = "garbage-collector-controller";

    private static final Set<String> IGNORED = Set.of("events", "events.events.k8s.io");
    private static final Measure FAILURES = Measure.counter("garbagecollector_controller_resources_sync_error_total",
            "Reads of discovery that failed or named no types");
    private static final Duration NOT_READY_YET = Duration.ofMillis(100);

    private final TypeMonitors monitors;
    private final GraphKeeper keeper;
    private final KubeClient client;
    private final CheckReconciler reconciler;

    /** The controller if {@link ControllerOptions.Switches#garbageCollector} is set, else one that does nothing. */
    public static Controller of(ControllerContext context) {
        return context.options().get(ControllerOptions.Switches.DEFAULTS).garbageCollector()
                ? new GarbageCollector(context)
                : new IdleController(NAME);
    }

    /**
     * A controller that waits for no informers, because it discovers its types itself, and a type that cannot be read
     * must not block it.
     */
    public GarbageCollector(ControllerContext context) {
        super(NAME, context);
        client = context.client().sharing();
        monitors = new TypeMonitors("the garbage collector", context, new OfTypes(context.metrics()));
        addLoop(monitors);
        keeper = new GraphKeeper(queue, addQueue("garbage_collector_attempt_to_orphan", RateLimits.CONTROLLER),
                events(NAME), context.of(NAME).observes());
        reconciler = new CheckReconciler(keeper, monitors::isWatched, client);
    }

    @Override
    protected Result sync(ObjectCheck check, SyncRun run) {
        return monitors.isReady() ? reconciler.reconcile(check, run) : Result.requeueAfter(NOT_READY_YET);
    }

    /** {@inheritDoc} Reads the object live. */
    @Override
    protected @Nullable ObjectCheck keyOf(String groupResource, ObjectKey object) {
        ResourceType type = monitors.followed(groupResource).orElse(null);
        V1ObjectMeta live = type == null
                ? null
                : client.metadata(type).find(object).map(PartialObjectMetadata::getMetadata).orElse(null);
        return type == null || live == null
                ? null
                : new ObjectCheck(
                        Finalizers.isBeingDeleted(live) && Finalizers.has(live, Finalizers.ORPHAN)
                                ? ObjectCheck.Kind.ORPHAN
                                : ObjectCheck.Kind.DELETE,
                        ObjectRef.of(type, live));
    }

    @Override
    protected boolean isOwn(ObjectCheck check, ObjectKey object) {
        return true;
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
