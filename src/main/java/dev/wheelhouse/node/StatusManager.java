package dev.wheelhouse.node;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Writes pod statuses to the API server, and completes the deletion of pods that have stopped (upstream:
 * {@code pkg/kubelet/status/status_manager.go}). If a pod changes faster than its status can be written, only the
 * latest status is written. A status that the server has already is not written. Each pod has its own write task, so
 * that a hanging write delays no other pod. Thread safe.
 */
final class StatusManager {
    private static final Logger log = LoggerFactory.getLogger(StatusManager.class);

    private final ResourceClient<V1Pod> client;
    private final PodManager pods;
    private final WorkQueue<String> queue;
    private final WorkerPool pool;
    private final Meter.MeterProvider<Counter> writes;
    private final Map<String, Entry> entries = new HashMap<>();

    private static final class Entry {
        V1PodStatus status;
        boolean finished;
        @Nullable
        V1Pod lastAnswer;

        Entry(V1PodStatus status) {
            this.status = status;
        }
    }

    /**
     * @param queue a queue of UIDs that only this object uses
     * @param bound the maximum number of concurrent writes
     * @param executor runs the writes
     */
    StatusManager(ResourceClient<V1Pod> client, PodManager pods, WorkQueue<String> queue, int bound, Executor executor,
            MeterRegistry registry) {
        this.writes = Counter.builder("kubelet.pod.status.writes").description("Writes of pod statuses")
                .withRegistry(registry);
        this.client = client;
        this.pods = pods;
        this.queue = queue;
        this.pool = new WorkerPool(queue, this::deal, bound, executor);
    }

    /** The loop that runs the writes. */
    Loop loop() {
        return pool;
    }

    /** The status that was set last, written or not; null if there is none. */
    synchronized @Nullable V1PodStatus get(String uid) {
        Entry entry = entries.get(uid);
        return entry == null ? null : entry.status;
    }

    /** Sets a pod's status, and writes it if it is new. Ignored after {@link #finish}. */
    void set(V1Pod pod, V1PodStatus status) {
        put(pod, status, false);
    }

    /** Sets the final status of a stopped pod. After that status is written, a pod that is being deleted is removed. */
    void finish(V1Pod pod, V1PodStatus status) {
        put(pod, status, true);
    }

    private void put(V1Pod pod, V1PodStatus status, boolean finished) {
        String uid = PodManager.uid(pod);
        synchronized (this) {
            Entry entry = entries.get(uid);
            if (entry == null) {
                entry = new Entry(status);
                entries.put(uid, entry);
            } else if (entry.finished || (!finished && entry.status.equals(status))) {
                return;
            }
            entry.status = status;
            entry.finished = finished;
        }
        queue.add(uid);
    }

    /** Compares the server's status with the set one, for example after somebody else changed it. */
    void reconcile(String uid) {
        synchronized (this) {
            if (!entries.containsKey(uid)) {
                return;
            }
        }
        queue.add(uid);
    }

    /** Drops a pod's status, before the pod starts again with the same UID. */
    synchronized void forget(String uid) {
        entries.remove(uid);
    }

    /** Drops the statuses of all other pods. */
    synchronized void retain(Set<String> uids) {
        entries.keySet().retainAll(uids);
    }

    private void deal(String uid) {
        try {
            write(uid);
            queue.forget(uid);
        } catch (KubeApiException e) {
            failed(uid, e);
        } catch (RuntimeException e) {
            queue.addRateLimited(uid);
            log.error("the status of the pod with UID {} could not be written, retrying", uid, e);
        }
    }

    private void failed(String uid, KubeApiException e) {
        V1Pod pod = pods.apiPod(uid);
        boolean another = e.isInvalid() && e.statusMessage().contains("metadata.uid");
        if (pod == null || e.isNotFound() || another) {
            // The pod was deleted, and another one may have its name; its source will report that.
            queue.forget(uid);
            return;
        }
        queue.addRateLimited(uid);
        boolean stopping = queue.isShutDown() || Thread.currentThread().isInterrupted();
        if (!e.isConflict() && !e.isUnreachable() && !stopping) {
            log.warn("the status of the pod {} could not be written, retrying: {}",
                    PodSources.describe(pod),
                    e.getMessage());
        }
    }

    private void write(String uid) {
        V1PodStatus status;
        boolean finished;
        V1Pod apiPod = pods.apiPod(uid);
        synchronized (this) {
            Entry entry = entries.get(uid);
            if (entry == null || apiPod == null) {
                return;
            }
            status = entry.status;
            finished = entry.finished;
            apiPod = newer(apiPod, entry.lastAnswer);
            // Drop the answer once the watch has shown it.
            entry.lastAnswer = apiPod == entry.lastAnswer ? apiPod : null;
        }
        String patch = StatusPatch.between(apiPod, PodStatuses.shown(status, apiPod.getStatus(), finished));
        if (patch != null) {
            try {
                apiPod = client.patch(ObjectKey.of(apiPod), "status", PatchType.STRATEGIC_MERGE, patch);
            } catch (KubeApiException e) {
                writes.withTag("result", "error").increment();
                throw e;
            }
            writes.withTag("result", "success").increment();
            synchronized (this) {
                Entry entry = entries.get(uid);
                if (entry != null) {
                    entry.lastAnswer = apiPod;
                }
            }
        }
        boolean deletable = finished && apiPod.getMetadata().getDeletionTimestamp() != null
                && !PodSources.isMirror(apiPod);
        if (deletable) {
            client.delete(ObjectKey.of(apiPod), new Deletion(0L, apiPod.getMetadata().getUid(), null, null));
            log.debug("the pod {} has stopped and was deleted", PodSources.describe(apiPod));
        }
    }

    /** The answer of the last write, if it is newer than the state that the watch showed. */
    private static V1Pod newer(V1Pod seen, @Nullable V1Pod answer) {
        return answer != null && answer.getMetadata().getUid().equals(seen.getMetadata().getUid())
                && !ResourceVersions.atLeast(seen.getMetadata().getResourceVersion(),
                        answer.getMetadata().getResourceVersion()) ? answer : seen;
    }
}
