package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NamespaceCondition;
import io.kubernetes.client.openapi.models.V1NamespaceStatus;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Empties a namespace that is being deleted, says in its conditions what is left, and lets it go when nothing is (upstream:
 * {@code pkg/controller/namespace/namespace_controller.go}). It looks again after half the time that what is left may take,
 * at first sooner; after a failure, at least once a minute.
 */
public final class NamespaceController implements Controller {
    /** As upstream's kube-controller-manager says it. */
    public static final String NAME = "namespace-controller";

    /** Upstream's delay before a namespace is touched, for API servers that do not see its deletion at once. */
    public static final Duration GRACE_PERIOD = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(NamespaceController.class);
    private static final String FINALIZER = "kubernetes";
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private final KubeClient client;
    private final Clock clock;
    private final WorkQueue<ObjectKey> queue;
    private final ActionExecutor executor;
    private final ConsistencyStore consistency;
    private final Emptying emptying;
    private final SharedIndexInformer<V1Namespace> informer;
    private final List<Loop> loops = new ArrayList<>();
    private final Map<ObjectKey, Integer> waits = new ConcurrentHashMap<>();

    public NamespaceController(ControllerContext context) {
        this(context, GRACE_PERIOD);
    }

    /** @param gracePeriod the delay before a namespace is touched; none is needed where there is one API server */
    public NamespaceController(ControllerContext context, Duration gracePeriod) {
        client = context.client();
        clock = context.clock();
        queue = context.queue("namespace");
        executor = context.executor(NAME);
        consistency = context.consistency(NAME);
        emptying = new Emptying(client, executor, clock);
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
                waits.remove(ObjectKey.of(namespace));
            }
        });
        for (int i = 0; i < context.workers(NAME); i++) {
            loops.add(new Worker<>(NAME, queue, this::syncOnce, clock, context.metrics()));
        }
    }

    private Result syncOnce(ObjectKey key) {
        executor.begin(key);
        try {
            Result result = sync(key);
            if (result instanceof Result.Retry) {
                // The earlier of this and the rate limiter's delay holds.
                queue.addAfter(key, LONGEST_RETRY);
            }
            return result;
        } finally {
            executor.end(key);
            consistency.forget(key);
        }
    }

    private Result sync(ObjectKey key) {
        if (informer.get(key) == null) {
            return Result.done();
        }
        V1Namespace namespace;
        try {
            namespace = client.resource(ResourceType.NAMESPACES, V1Namespace.class).get(key);
            if (namespace.getMetadata().getDeletionTimestamp() == null) {
                return Result.done();
            }
            namespace = terminating(key, namespace);
            if (finalizers(namespace).isEmpty()) {
                return Result.done();
            }
            Instant deletedAt = namespace.getMetadata().getDeletionTimestamp().toInstant();
            Findings findings = emptying.empty(key.name(), deletedAt);
            namespace = report(key, namespace, findings);
            if (!findings.failures().isEmpty()) {
                return Result.retry(new ApiError("empty namespace " + key, 500, "ContentDeletionFailed",
                        String.join("; ", findings.failures()), null));
            }
            if (findings.estimateSeconds() > 0) {
                return Result.requeueAfter(pause(key, findings.estimateSeconds()));
            }
            if (executor.writes()) {
                finalizeNamespace(key, namespace);
            }
            return Result.done();
        } catch (ApiError e) {
            return e.isNotFound() ? Result.done() : Result.retry(e);
        }
    }

    private Duration pause(ObjectKey key, long estimateSeconds) {
        int before = waits.merge(key, 1, Integer::sum) - 1;
        long seconds = Math.min(1L << Math.min(before, 20), estimateSeconds / 2 + 1);
        log.debug("content remains in namespace {}, looking again in {} s", key, seconds);
        return Duration.ofSeconds(seconds);
    }

    private static List<String> finalizers(V1Namespace namespace) {
        return namespace.getSpec() == null || namespace.getSpec().getFinalizers() == null
                ? List.of()
                : namespace.getSpec().getFinalizers();
    }

    private V1Namespace terminating(ObjectKey key, V1Namespace namespace) {
        V1NamespaceStatus status = namespace.getStatus();
        if (status != null && "Terminating".equals(status.getPhase())) {
            return namespace;
        }
        V1Namespace next = ModelJson.copy(namespace);
        next.setStatus(status == null ? new V1NamespaceStatus() : ModelJson.copy(status));
        next.getStatus().setPhase("Terminating");
        return write(key, namespace,
                new Action.UpdateStatus(ResourceType.NAMESPACES, next, "it is being deleted"));
    }

    /** Writes the conditions, if they changed; a failure to do so does not keep the namespace from going. */
    private V1Namespace report(ObjectKey key, V1Namespace namespace, Findings findings) {
        V1NamespaceStatus status = namespace.getStatus() == null ? new V1NamespaceStatus() : namespace.getStatus();
        List<V1NamespaceCondition> conditions = NamespaceConditions.after(status.getConditions(), findings,
                clock.now());
        if (conditions == null) {
            return namespace;
        }
        V1Namespace next = ModelJson.copy(namespace);
        V1NamespaceStatus nextStatus = ModelJson.copy(status);
        nextStatus.setConditions(conditions);
        next.setStatus(nextStatus);
        try {
            return write(key, namespace, new Action.UpdateStatus(ResourceType.NAMESPACES, next,
                    "what is left in it has changed"));
        } catch (ApiError e) {
            if (e.isNotFound()) {
                throw e;
            }
            log.warn("the conditions of namespace {} could not be written: {}", key, e.getMessage());
            return namespace;
        }
    }

    private void finalizeNamespace(ObjectKey key, V1Namespace namespace) {
        V1Namespace next = ModelJson.copy(namespace);
        next.getSpec().setFinalizers(finalizers(namespace).stream().filter(f -> !f.equals(FINALIZER)).toList());
        write(key, namespace, new Action.UpdateSubresource(ResourceType.NAMESPACES, next, "finalize",
                "nothing is left in it"));
        waits.remove(key);
    }

    private V1Namespace write(ObjectKey key, V1Namespace before, Action.Write write) {
        ActionExecutor.Outcome outcome = executor.execute(key, List.of(write));
        if (outcome.error() != null) {
            throw outcome.error();
        }
        return !outcome.written().isEmpty() && outcome.written().get(0) instanceof V1Namespace after ? after : before;
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
