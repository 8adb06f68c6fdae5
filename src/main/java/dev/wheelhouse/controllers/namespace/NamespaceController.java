package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NamespaceCondition;
import io.kubernetes.client.openapi.models.V1NamespaceStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Empties namespaces that are being deleted, reports the remaining content in conditions, and finalizes a namespace
 * when it is empty (upstream: {@code pkg/controller/namespace/namespace_controller.go} and {@code Delete} in
 * {@code deletion/namespaced_resources_deleter.go}). If content remains, it tries again after 1 s, 2 s, 4 s, …, at most
 * after half of the estimated time and one second; after a failure, at least once a minute. It reads the namespace and
 * its content live.
 */
public final class NamespaceController extends ObjectController<V1Namespace> {
    public static final String NAME = "namespace-controller";

    /** Upstream's delay before the controller acts, for API servers that do not show the deletion at once. */
    static final Duration GRACE_PERIOD = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(NamespaceController.class);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);
    private static final String FINALIZER = "kubernetes";

    private final ResourceClient<V1Namespace> namespaces;
    private final ContentDeleter contentDeleter;
    private final Map<ObjectKey, Integer> waits = memory();

    /** A controller that waits for 5 s before it acts, as upstream does. */
    public NamespaceController(ControllerContext context) {
        this(context, GRACE_PERIOD);
    }

    /** @param gracePeriod the delay before the controller acts; zero is enough if there is one API server */
    public NamespaceController(ControllerContext context, Duration gracePeriod) {
        super(NAME, context, ResourceType.NAMESPACES, V1Namespace.class);
        namespaces = context.client().resource(ResourceType.NAMESPACES, V1Namespace.class);
        contentDeleter = new ContentDeleter(context.client(), clock);
        watch(primary).resync(context.options().get(ControllerOptions.Periods.DEFAULTS).namespaceSyncPeriod())
                .when(Change::isEnding).after(change -> change.isDeletion() ? Duration.ZERO : gracePeriod)
                .enqueue(ObjectKey::of);
    }

    @Override
    protected Result sync(ObjectKey key, V1Namespace cached, SyncRun run) {
        try {
            return syncLive(key, run);
        } catch (KubeApiException e) {
            return e.isNotFound() ? Result.done() : retry(key, e, run);
        }
    }

    private Result retry(ObjectKey key, KubeApiException error, SyncRun run) {
        // The key comes back at the earlier of this time and the rate limiter's delay.
        run.effect(() -> queue.addAfter(key, LONGEST_RETRY));
        return Result.retry(error);
    }

    private Result syncLive(ObjectKey key, SyncRun run) {
        V1Namespace namespace = namespaces.get(key);
        if (namespace.getMetadata().getDeletionTimestamp() == null) {
            return Result.done();
        }
        namespace = terminating(namespace, run);
        if (finalizers(namespace).isEmpty()) {
            return Result.done();
        }
        Instant deletedAt = namespace.getMetadata().getDeletionTimestamp().toInstant();
        Findings findings = contentDeleter.empty(key.name(), deletedAt, run);
        namespace = report(key, namespace, findings, run);
        if (!findings.failures().isEmpty()) {
            return retry(key, new KubeApiException("empty namespace " + key, 500, "ContentDeletionFailed",
                    String.join("; ", findings.failures()), null), run);
        }
        if (findings.estimateSeconds() > 0) {
            return Result.requeueAfter(pause(key, findings.estimateSeconds(), run));
        }
        finalizeNamespace(namespace, run);
        run.note(() -> waits.remove(key));
        return Result.done();
    }

    private Duration pause(ObjectKey key, long estimateSeconds, SyncRun run) {
        int before = waits.getOrDefault(key, 0);
        run.note(() -> waits.put(key, before + 1));
        long seconds = Math.min(1L << Math.min(before, 20), estimateSeconds / 2 + 1);
        log.debug("content remains in namespace {}; the next sync is in {} s", key, seconds);
        return Duration.ofSeconds(seconds);
    }

    private static List<String> finalizers(V1Namespace namespace) {
        return namespace.getSpec() == null ? List.of() : orEmpty(namespace.getSpec().getFinalizers());
    }

    private static V1Namespace terminating(V1Namespace namespace, SyncRun run) {
        V1NamespaceStatus status = namespace.getStatus();
        if (status != null && "Terminating".equals(status.getPhase())) {
            return namespace;
        }
        V1Namespace next = ModelJson.copy(namespace);
        next.setStatus(status == null ? new V1NamespaceStatus() : ModelJson.copy(status));
        next.getStatus().setPhase("Terminating");
        return write(namespace, new Action.UpdateStatus(ResourceType.NAMESPACES, next, "it is being deleted"), run);
    }

    /** Writes the conditions if they changed. A failure to write them does not delay the deletion of the namespace. */
    private V1Namespace report(ObjectKey key, V1Namespace namespace, Findings findings, SyncRun run) {
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
            return write(namespace, new Action.UpdateStatus(ResourceType.NAMESPACES, next,
                    "its remaining content has changed"), run);
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                throw e;
            }
            log.warn("the conditions of namespace {} could not be written: {}", key, e.getMessage());
            return namespace;
        }
    }

    private static void finalizeNamespace(V1Namespace namespace, SyncRun run) {
        V1Namespace next = ModelJson.copy(namespace);
        next.getSpec().setFinalizers(finalizers(namespace).stream().filter(f -> !f.equals(FINALIZER)).toList());
        write(namespace, new Action.UpdateSubresource(ResourceType.NAMESPACES, next, "finalize", "it is empty"), run);
    }

    private static V1Namespace write(V1Namespace before, Action.Write write, SyncRun run) {
        Outcome outcome = run.execute(List.of(write));
        if (outcome.error() != null) {
            throw outcome.error();
        }
        return !outcome.written().isEmpty() && outcome.written().get(0) instanceof V1Namespace after ? after : before;
    }
}
