package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.time.Instant;
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
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.runtime.Clock;

/**
 * One sync of a namespace that is being deleted: empties it, reports the remaining content, and finalizes it when it is
 * empty (upstream: {@code Delete} in {@code deletion/namespaced_resources_deleter.go}). Thread safe.
 */
final class NamespaceSync {
    private static final Logger log = LoggerFactory.getLogger(NamespaceSync.class);
    private static final String FINALIZER = "kubernetes";

    private final KubeClient client;
    private final Clock clock;
    private final ActionExecutor executor;
    private final ContentDeleter contentDeleter;
    private final Map<ObjectKey, Integer> waits = new ConcurrentHashMap<>();

    NamespaceSync(KubeClient client, Clock clock, ActionExecutor executor) {
        this.client = client;
        this.clock = clock;
        this.executor = executor;
        this.contentDeleter = new ContentDeleter(client, executor, clock);
    }

    /** Drops the record of a deleted namespace. */
    void forget(ObjectKey key) {
        waits.remove(key);
    }

    Result sync(ObjectKey key) {
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
            Findings findings = contentDeleter.empty(key.name(), deletedAt);
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
        log.debug("content remains in namespace {}; the next sync is in {} s", key, seconds);
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

    /** Writes the conditions if they changed. A failure to write them does not delay the deletion of the namespace. */
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
                    "its remaining content has changed"));
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
                "it is empty"));
        waits.remove(key);
    }

    private V1Namespace write(ObjectKey key, V1Namespace before, Action.Write write) {
        ActionExecutor.Outcome outcome = executor.execute(key, List.of(write));
        if (outcome.error() != null) {
            throw outcome.error();
        }
        return !outcome.written().isEmpty() && outcome.written().get(0) instanceof V1Namespace after ? after : before;
    }
}
