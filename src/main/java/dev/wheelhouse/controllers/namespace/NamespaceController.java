package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Namespace;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controller.Outage;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.RecordingExecutor;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Empties namespaces that are being deleted, reports the remaining content in conditions, and finalizes a namespace
 * when it is empty (upstream: {@code pkg/controller/namespace/namespace_controller.go}). If content remains, it tries
 * again after 1 s, 2 s, 4 s, …, at most after half of the estimated time and one second; after a failure, at least once
 * a minute.
 */
public final class NamespaceController implements Plannable {
    public static final String NAME = "namespace-controller";

    /** Upstream's delay before the controller acts, for API servers that do not show the deletion at once. */
    static final Duration GRACE_PERIOD = Duration.ofSeconds(5);

    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private final KubeClient client;
    private final Clock clock;
    private final WorkQueue<ObjectKey> queue;
    private final ActionExecutor executor;
    private final ConsistencyStore consistency;
    private final NamespaceSync sync;
    private final SharedIndexInformer<V1Namespace> informer;
    private final List<Loop> loops = new ArrayList<>();

    /** A controller that waits for 5 s before it acts, as upstream does. */
    public NamespaceController(ControllerContext context) {
        this(context, GRACE_PERIOD);
    }

    /** @param gracePeriod the delay before the controller acts; zero is enough if there is one API server */
    public NamespaceController(ControllerContext context, Duration gracePeriod) {
        client = context.client();
        clock = context.clock();
        queue = context.queue("namespace");
        executor = context.executor(NAME);
        consistency = context.consistency(NAME);
        sync = new NamespaceSync(client, clock, executor);
        informer = context.informers().informer(ResourceType.NAMESPACES, V1Namespace.class);
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1Namespace namespace, boolean initial) {
                if (namespace.getMetadata().getDeletionTimestamp() != null) {
                    queue.addAfter(ObjectKey.of(namespace), gracePeriod);
                }
            }

            @Override
            public void onUpdate(V1Namespace before, V1Namespace after) {
                onAdd(after, false);
            }

            @Override
            public void onDelete(V1Namespace namespace, boolean finalStateUnknown) {
                sync.forget(ObjectKey.of(namespace));
            }
        }, context.options().get(ControllerOptions.Periods.DEFAULTS).namespaceSyncPeriod());
        Outage<ObjectKey> outage = new Outage<>(queue, clock);
        for (int i = 0; i < context.workers(NAME); i++) {
            loops.add(new Worker<>(NAME, queue, outage, this::syncOnce, clock, context.metrics()));
        }
    }

    private Result syncOnce(ObjectKey key) {
        executor.begin(key);
        try {
            Result result = knows(key) ? sync.sync(key) : Result.done();
            if (result instanceof Result.Retry) {
                // The key comes back at the earlier of this time and the rate limiter's delay.
                queue.addAfter(key, LONGEST_RETRY);
            }
            return result;
        } finally {
            executor.end(key);
            consistency.forget(key);
        }
    }

    @Override
    public ResourceType plansFor() {
        return ResourceType.NAMESPACES;
    }

    @Override
    public boolean knows(ObjectKey key) {
        return informer.get(key) != null;
    }

    /** {@inheritDoc} Reads the namespace's content live. */
    @Override
    public List<Action> plan(ObjectKey key) {
        RecordingExecutor recorder = new RecordingExecutor();
        if (knows(key) && new NamespaceSync(client, clock, recorder).sync(key) instanceof Result.Retry retry
                && recorder.recorded().isEmpty() && retry.cause() instanceof ApiError error) {
            throw error;
        }
        return recorder.recorded();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<SharedIndexInformer<?>> informers() {
        return List.of(informer);
    }

    @Override
    public List<Loop> loops() {
        return List.copyOf(loops);
    }

    @Override
    public void close() {
        queue.shutDown();
        loops.forEach(Loop::close);
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        return queue.awaitIdle(within);
    }
}
