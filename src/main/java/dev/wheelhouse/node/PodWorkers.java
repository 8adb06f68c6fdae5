package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.node.PodWorker.State;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Drives each pod through its life: synced, terminating, terminated. Each pod has one worker, which does one thing at a time
 * and always with the latest state; pods do not wait for each other, save that static pods of one name run one after the other
 * (upstream: {@code pkg/kubelet/pod_workers.go}). {@link #loop()} has as many of
 * them at work at once as {@code bound} allows. Thread safe.
 */
final class PodWorkers {
    private static final Logger log = LoggerFactory.getLogger(PodWorkers.class);
    private static final Duration START_RETRY = Duration.ofSeconds(1);

    /** Why a pod comes to its worker. */
    enum UpdateType {
        CREATE, UPDATE, KILL
    }

    /** The work itself. For one pod, one call at a time. What throws is tried again after a backoff. */
    interface Syncer {
        /** Makes the pod run. @return whether it has run to its end */
        boolean syncPod(V1Pod pod);

        /** Stops the pod. @return whether all its containers have stopped */
        boolean syncTerminatingPod(V1Pod pod, Duration gracePeriod);

        /** Cleans up after the pod. */
        void syncTerminatedPod(V1Pod pod);

        /** How long until the pod has to be synced again even if nothing happens; null if the resync period will do. */
        @Nullable
        Duration untilDeadline(V1Pod pod);
    }

    private final Syncer syncer;
    private final Predicate<String> runtimeHas;
    private final WorkQueue<String> queue;
    private final WorkerPool pool;
    private final Duration resync;
    private final NodeMetrics metrics;
    private final Clock clock;
    private final Map<String, PodWorker> workers = new HashMap<>();
    private final StaticPodTurns staticPods = new StaticPodTurns();
    private final DueTimes syncTimes = new DueTimes();
    private boolean cleanUpWanted;

    /**
     * @param runtimeHas whether the runtime knows a pod
     * @param queue of UIDs; the workers own it
     * @param bound how many pods are dealt with at once
     * @param executor where each pod is dealt with
     * @param resync after how long without an update a pod is synced again, at the earliest
     */
    PodWorkers(Syncer syncer, Predicate<String> runtimeHas, WorkQueue<String> queue, int bound, Executor executor,
            Duration resync, NodeMetrics metrics, Clock clock) {
        this.syncer = syncer;
        this.runtimeHas = runtimeHas;
        this.queue = queue;
        this.pool = new WorkerPool(queue, this::work, bound, executor);
        this.resync = resync;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** What hands the pods that wait to their workers. */
    Loop loop() {
        return pool;
    }

    /**
     * Gives a pod's latest state to its worker, and makes the worker if there is none.
     *
     * @param grace for a KILL that has its own, else null
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
                    || pod.getStatus() != null && PodPhases.isTerminal(pod.getStatus().getPhase());
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

    /** Has a pod synced again, if it has a worker that is not done with it. */
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
            metrics.podSynced(state.name().toLowerCase(Locale.ROOT), clock.nanoTime() - start);
            queue.forget(uid);
            synced(worker, state, done, state == State.SYNC ? syncer.untilDeadline(pod) : null);
        } catch (RuntimeException e) {
            queue.addRateLimited(uid);
            log.warn("pod {} could not be synced ({}) and is tried again: {}", PodSources.describe(pod), state, e, e);
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
            // Pods that came together are spread, each by its own share.
            double jitter = 1 + (worker.uid.hashCode() & 0xff) / 512.0;
            long wait = (long) (resync.toNanos() * jitter);
            syncTimes.set(worker.uid,
                    clock.nanoTime() + (deadline == null ? wait : Math.min(wait, deadline.toNanos())));
        }
    }

    private void finish(PodWorker worker) {
        worker.finished = true;
        cleanUpWanted = true;
        syncTimes.remove(worker.uid);
        staticPods.end(worker.name, worker.uid).forEach(queue::add);
    }

    /** Whether a worker may begin, or go on: static pods of one name wait for each other. */
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

    /** The pods that have not been synced for the resync period; each is given once. */
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

    /** Whether {@link #syncKnownPods} may have something to forget. */
    synchronized boolean cleanUpWanted() {
        return cleanUpWanted;
    }

    /**
     * Forgets workers that are done and whose pods are gone, or are to start again; begins to stop pods that nobody wants.
     *
     * @param desired the UIDs of the pods that this node should run
     * @return those of them that have no worker now
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

    /** How far a pod is; null if it has no worker. */
    synchronized @Nullable State state(String uid) {
        PodWorker worker = workers.get(uid);
        return worker == null ? null : worker.state;
    }

    /** Whether a worker has done all that there is to do for a pod. */
    synchronized boolean isFinished(String uid) {
        PodWorker worker = workers.get(uid);
        return worker != null && worker.finished;
    }

    /** Whether a static pod of this name is still being stopped. */
    synchronized boolean isStopping(ObjectKey name) {
        String uid = staticPods.started(name);
        PodWorker worker = uid == null ? null : workers.get(uid);
        return worker != null && worker.state != State.SYNC && !worker.finished;
    }

    synchronized int size() {
        return workers.size();
    }
}
