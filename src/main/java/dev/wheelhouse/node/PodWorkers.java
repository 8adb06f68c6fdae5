package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.node.PodWorker.State;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Takes each pod through its stages: sync, terminating, terminated. Each pod has one worker, which makes one call at a
 * time, always with the latest state. Pods do not wait for each other, except that static pods of the same name run one
 * after the other (upstream: {@code pkg/kubelet/pod_workers.go}). {@link #loop()} runs at most {@code bound} workers at
 * once. Thread safe.
 */
final class PodWorkers {
    private static final Logger log = LoggerFactory.getLogger(PodWorkers.class);
    private static final Duration START_RETRY = Duration.ofSeconds(1);

    /** The kind of an update for a pod's worker. */
    enum UpdateType {
        CREATE, UPDATE, KILL
    }

    /**
     * The work on a pod. There is one call at a time per pod. After an exception the call is repeated with a backoff.
     */
    interface Syncer {
        /**
         * Makes the pod run.
         * @return whether the pod has ended
         */
        boolean syncPod(V1Pod pod);

        /**
         * Stops the pod.
         * @return whether all its containers have stopped
         */
        boolean syncTerminatingPod(V1Pod pod, Duration gracePeriod);

        /** Cleans up after the pod. */
        void syncTerminatedPod(V1Pod pod);

        /** The time until the pod has to be synced again without a change; null if the resync period is enough. */
        @Nullable
        Duration untilDeadline(V1Pod pod);
    }

    private final Syncer syncer;
    private final Predicate<String> runtimeHas;
    private final WorkQueue<String> queue;
    private final WorkerPool pool;
    private final Duration resync;
    private final Meter.MeterProvider<Timer> durations;
    private final Clock clock;
    private final Map<String, PodWorker> workers = new HashMap<>();
    private final StaticPodTurns staticPods = new StaticPodTurns();
    private final DueTimes syncTimes = new DueTimes();
    private boolean cleanUpWanted;

    /**
     * @param runtimeHas whether the runtime knows the pod with a UID
     * @param queue a queue of UIDs that only this object uses
     * @param bound the maximum number of pods in work at once
     * @param executor runs the work on each pod
     * @param resync the shortest time without an update after which a pod is synced again
     */
    PodWorkers(Syncer syncer, Predicate<String> runtimeHas, WorkQueue<String> queue, int bound, Executor executor,
            Duration resync, MeterRegistry registry, Clock clock) {
        this.syncer = syncer;
        this.runtimeHas = runtimeHas;
        this.queue = queue;
        this.pool = new WorkerPool(queue, this::work, bound, executor);
        this.resync = resync;
        this.durations = Timer.builder("kubelet.pod.worker.duration").description("Duration of one sync of a pod")
                .withRegistry(registry);
        this.clock = clock;
    }

    /** The loop that takes waiting pods from the queue and runs their workers. */
    Loop loop() {
        return pool;
    }

    /**
     * Passes a pod's latest state to its worker, which is created if there is none.
     *
     * @param grace the grace period of a KILL; null if there is none
     */
    void update(V1Pod pod, UpdateType type, @Nullable Duration grace) {
        String uid = PodManager.uid(pod);
        boolean has = runtimeHas.test(uid);
        synchronized (this) {
            PodWorker worker = workers.get(uid);
            if (worker == null) {
                worker = make(pod, has);
            } else if (worker.state != State.SYNC && type == UpdateType.CREATE) {
                worker.restartRequested = true;
                cleanUpWanted = true;
                return;
            }
            cleanUpWanted |= type == UpdateType.KILL;
            if (worker.finished) {
                return;
            }
            worker.pod = pod;
            boolean ending = pod.getMetadata().getDeletionTimestamp() != null || type == UpdateType.KILL
                    || (pod.getStatus() != null && PodPhases.isTerminal(pod.getStatus().getPhase()));
            if (worker.state == State.SYNC && ending) {
                worker.state = State.TERMINATING;
            }
            if (worker.state == State.TERMINATING) {
                worker.shortenGrace(grace);
            }
        }
        queue.add(uid);
    }

    private PodWorker make(V1Pod pod, boolean runtimeHasIt) {
        PodWorker worker = new PodWorker(pod);
        if (pod.getStatus() != null && PodPhases.isTerminal(pod.getStatus().getPhase()) && !runtimeHasIt) {
            worker.state = State.TERMINATED;
        }
        workers.put(worker.uid, worker);
        if (worker.isStatic) {
            staticPods.add(worker.name, worker.uid);
        }
        return worker;
    }

    /** Requests another sync of a pod, if it has a worker that has not finished. */
    void sync(String uid) {
        synchronized (this) {
            PodWorker worker = workers.get(uid);
            if (worker == null || worker.finished) {
                return;
            }
        }
        queue.add(uid);
    }

    private void work(String uid) {
        PodWorker worker;
        V1Pod pod;
        State state;
        Duration grace;
        synchronized (this) {
            worker = workers.get(uid);
            if (worker == null || worker.finished || !maySync(worker)) {
                return;
            }
            pod = worker.pod;
            state = worker.state;
            grace = worker.grace();
        }
        long start = clock.nanoTime();
        try {
            boolean done = switch (state) {
                case SYNC -> syncer.syncPod(pod);
                case TERMINATING -> syncer.syncTerminatingPod(pod, grace);
                case TERMINATED -> {
                    syncer.syncTerminatedPod(pod);
                    yield true;
                }
            };
            durations.withTag("operation_type", state.name().toLowerCase(Locale.ROOT))
                    .record(clock.nanoTime() - start, TimeUnit.NANOSECONDS);
            queue.forget(uid);
            synced(worker, state, done, state == State.SYNC ? syncer.untilDeadline(pod) : null);
        } catch (RuntimeException e) {
            queue.addRateLimited(uid);
            log.warn("the pod {} could not be synced (stage {}), retrying: {}",
                    PodSources.describe(pod), state, e, e);
        }
    }

    private synchronized void synced(PodWorker worker, State state, boolean done, @Nullable Duration deadline) {
        if (done) {
            switch (state) {
                case SYNC -> {
                    worker.terminate();
                    queue.add(worker.uid);
                }
                case TERMINATING -> {
                    worker.state = State.TERMINATED;
                    queue.add(worker.uid);
                }
                case TERMINATED -> finish(worker);
            }
        }
        if (!worker.finished) {
            // Spread the syncs of pods that were added together; the offset depends on the UID.
            double jitter = 1 + (worker.uid.hashCode() & 0xff) / 512.0;
            long wait = (long) (resync.toNanos() * jitter);
            syncTimes.set(worker.uid,
                    clock.nanoTime() + (deadline == null ? wait : Math.min(wait, Durations.saturatedNanos(deadline))));
        }
    }

    private void finish(PodWorker worker) {
        worker.finished = true;
        cleanUpWanted = true;
        syncTimes.remove(worker.uid);
        staticPods.end(worker.name, worker.uid).forEach(queue::add);
    }

    /** Whether a worker may start or continue. Static pods of the same name wait for each other. */
    private boolean maySync(PodWorker worker) {
        if (worker.started || !worker.isStatic) {
            worker.started = true;
            return true;
        }
        if (worker.state != State.SYNC) {
            staticPods.giveUp(worker.name, worker.uid);
            finish(worker);
            return false;
        }
        worker.started = staticPods.start(worker.name, worker.uid, this::isWaiting);
        if (!worker.started) {
            queue.addAfter(worker.uid, START_RETRY);
        }
        return worker.started;
    }

    private boolean isWaiting(String uid) {
        PodWorker worker = workers.get(uid);
        return worker != null && !worker.started && worker.state == State.SYNC;
    }

    /** The pods whose resync is due. Each is returned once. */
    synchronized List<String> dueForSync() {
        List<String> due = new ArrayList<>();
        long now = clock.nanoTime();
        for (String uid = syncTimes.poll(now); uid != null; uid = syncTimes.poll(now)) {
            due.add(uid);
        }
        return due;
    }

    synchronized long nanosToNextSync() {
        return syncTimes.nanosToNext(clock.nanoTime());
    }

    /** Whether {@link #syncKnownPods} may have something to do. */
    synchronized boolean cleanUpWanted() {
        return cleanUpWanted;
    }

    /**
     * Drops finished workers whose pods are not desired, or are to start again. Begins to stop pods that are not
     * desired.
     *
     * @param desired the UIDs of the pods that this node should run
     * @return the desired pods without a worker
     */
    synchronized List<String> syncKnownPods(Set<String> desired) {
        cleanUpWanted = false;
        for (PodWorker worker : List.copyOf(workers.values())) {
            boolean orphan = !desired.contains(worker.uid);
            if (!orphan && !worker.restartRequested) {
                continue;
            }
            if (worker.finished) {
                workers.remove(worker.uid);
                continue;
            }
            cleanUpWanted = true;
            if (orphan && worker.state == State.SYNC) {
                worker.terminate();
                queue.add(worker.uid);
            }
        }
        return desired.stream().filter(uid -> !workers.containsKey(uid)).toList();
    }

    /** The stage of a pod; null if it has no worker. */
    synchronized @Nullable State state(String uid) {
        PodWorker worker = workers.get(uid);
        return worker == null ? null : worker.state;
    }

    /** Whether a static pod with this name is still being stopped. */
    synchronized boolean isStopping(ObjectKey name) {
        String uid = staticPods.started(name);
        PodWorker worker = uid == null ? null : workers.get(uid);
        return worker != null && worker.state != State.SYNC && !worker.finished;
    }

    synchronized int size() {
        return workers.size();
    }
}
