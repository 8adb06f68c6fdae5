package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Drives each pod through its life: synced, terminating, terminated. Each pod has one worker, which does one thing at a time
 * and always with the latest state; pods do not wait for each other, save that static pods of one name run one after the other
 * (upstream: {@code pkg/kubelet/pod_workers.go}). The workers share a few loops and one queue of UIDs. Thread safe.
 */
final class PodWorkers {
    private static final Logger log = LoggerFactory.getLogger(PodWorkers.class);
    private static final Duration START_RETRY = Duration.ofSeconds(1);

    /** Why a pod comes to its worker. */
    enum UpdateType {
        CREATE, UPDATE, KILL
    }

    /** How far a pod is. */
    enum State {
        SYNC, TERMINATING, TERMINATED
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

    private static final class Worker {
        final String uid;
        final ObjectKey name;
        final boolean isStatic;
        V1Pod pod;
        State state = State.SYNC;
        boolean started;
        boolean finished;
        boolean restartRequested;
        @Nullable
        Duration grace;
        long nextSync;
        long timer = Long.MAX_VALUE;

        Worker(V1Pod pod) {
            this.uid = PodManager.uid(pod);
            this.name = ObjectKey.of(pod);
            this.isStatic = PodSources.isStatic(pod);
            this.pod = pod;
        }

        void shortenGrace(@Nullable Duration override) {
            Long deletion = pod.getMetadata().getDeletionGracePeriodSeconds();
            shorten(deletion == null ? null : Duration.ofSeconds(deletion));
            shorten(override);
            Long own = pod.getSpec().getTerminationGracePeriodSeconds();
            if (grace == null) {
                shorten(Duration.ofSeconds(own == null ? 30 : own));
            }
        }

        private void shorten(@Nullable Duration candidate) {
            if (candidate != null && (grace == null || candidate.compareTo(grace) < 0)) {
                grace = candidate.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : candidate;
            }
        }
    }

    private record Timer(long at, String uid) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : uid.compareTo(other.uid);
        }
    }

    private final Syncer syncer;
    private final Predicate<String> runtimeHas;
    private final WorkQueue<String> queue;
    private final Duration resync;
    private final NodeMetrics metrics;
    private final Clock clock;
    private final Map<String, Worker> workers = new HashMap<>();
    private final Map<ObjectKey, String> startedStatic = new HashMap<>();
    private final Map<ObjectKey, ArrayDeque<String>> waitingStatic = new HashMap<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private boolean cleanUpWanted;

    /**
     * @param runtimeHas whether the runtime knows a pod
     * @param queue of UIDs; the workers own it
     * @param resync after how long without an update a pod is synced again, at the earliest
     */
    PodWorkers(Syncer syncer, Predicate<String> runtimeHas, WorkQueue<String> queue, Duration resync,
            NodeMetrics metrics, Clock clock) {
        this.syncer = syncer;
        this.runtimeHas = runtimeHas;
        this.queue = queue;
        this.resync = resync;
        this.metrics = metrics;
        this.clock = clock;
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
            Worker worker = workers.get(uid);
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

    private Worker make(V1Pod pod, boolean runtimeHasIt) {
        Worker worker = new Worker(pod);
        if (pod.getStatus() != null && PodPhases.isTerminal(pod.getStatus().getPhase()) && !runtimeHasIt) {
            worker.state = State.TERMINATED;
        }
        workers.put(worker.uid, worker);
        if (worker.isStatic) {
            waitingStatic.computeIfAbsent(worker.name, n -> new ArrayDeque<>()).add(worker.uid);
        }
        return worker;
    }

    /** Has a pod synced again, if it has a worker that is not done with it. */
    void sync(String uid) {
        synchronized (this) {
            Worker worker = workers.get(uid);
            if (worker == null || worker.finished) {
                return;
            }
        }
        queue.add(uid);
    }

    /** One loop of the pool; make as many as pods are to be synced at once. */
    Loop loop() {
        return new Loop() {
            @Override
            public long step() {
                String uid = queue.poll();
                if (uid == null) {
                    return queue.nanosToNextDue();
                }
                try {
                    work(uid);
                } finally {
                    queue.done(uid);
                }
                return BUSY;
            }

            @Override
            public void await(long nanos) throws InterruptedException {
                queue.awaitReady(nanos);
            }

            @Override
            public void close() {
                queue.shutDown();
            }
        };
    }

    private void work(String uid) {
        Worker worker;
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
            grace = worker.grace == null ? Duration.ofSeconds(30) : worker.grace;
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

    /** Keeps one timer for each worker, at the time of its next sync or before it. */
    private void setTimer(Worker worker) {
        if (worker.nextSync < worker.timer) {
            worker.timer = worker.nextSync;
            timers.add(new Timer(worker.timer, worker.uid));
        }
    }

    private synchronized void synced(Worker worker, State state, boolean done, @Nullable Duration deadline) {
        if (done) {
            switch (state) {
                case SYNC -> {
                    if (worker.state == State.SYNC) {
                        worker.state = State.TERMINATING;
                        worker.shortenGrace(null);
                    }
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
            double jitter = 1 + (worker.uid.hashCode() & 0xff) / 512.0;
            long wait = (long) (resync.toNanos() * jitter);
            worker.nextSync = clock.nanoTime() + (deadline == null ? wait : Math.min(wait, deadline.toNanos()));
            setTimer(worker);
        }
    }

    private void finish(Worker worker) {
        worker.finished = true;
        cleanUpWanted = true;
        if (startedStatic.remove(worker.name, worker.uid) && waitingStatic.containsKey(worker.name)) {
            waitingStatic.get(worker.name).forEach(queue::add);
        }
    }

    /** Whether a worker may begin, or go on: static pods of one name wait for each other. */
    private boolean maySync(Worker worker) {
        if (worker.started || !worker.isStatic) {
            worker.started = true;
            return true;
        }
        ArrayDeque<String> waiting = waitingStatic.getOrDefault(worker.name, new ArrayDeque<>());
        if (worker.state != State.SYNC) {
            waiting.remove(worker.uid);
            dropIfEmpty(worker.name);
            finish(worker);
            return false;
        }
        String running = startedStatic.get(worker.name);
        while (!waiting.isEmpty() && !isWaiting(waiting.peek())) {
            waiting.remove();
        }
        if (running != null || !worker.uid.equals(waiting.peek())) {
            queue.addAfter(worker.uid, START_RETRY);
            return false;
        }
        waiting.remove();
        dropIfEmpty(worker.name);
        startedStatic.put(worker.name, worker.uid);
        worker.started = true;
        return true;
    }

    private boolean isWaiting(String uid) {
        Worker worker = workers.get(uid);
        return worker != null && !worker.started && worker.state == State.SYNC;
    }

    private void dropIfEmpty(ObjectKey name) {
        waitingStatic.computeIfPresent(name, (n, uids) -> uids.isEmpty() ? null : uids);
    }

    /** The pods that have not been synced for the resync period; each is given once. */
    synchronized List<String> dueForSync() {
        List<String> due = new ArrayList<>();
        long now = clock.nanoTime();
        while (!timers.isEmpty() && timers.peek().at <= now) {
            Timer timer = timers.remove();
            Worker worker = workers.get(timer.uid);
            if (worker == null || worker.finished || worker.timer != timer.at) {
                continue;
            }
            worker.timer = Long.MAX_VALUE;
            if (worker.nextSync > now) {
                setTimer(worker);
            } else {
                due.add(worker.uid);
            }
        }
        return due;
    }

    synchronized long nanosToNextSync() {
        Timer next = timers.peek();
        return next == null ? Long.MAX_VALUE : Math.max(0, next.at - clock.nanoTime());
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
        for (Worker worker : List.copyOf(workers.values())) {
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
                worker.state = State.TERMINATING;
                worker.shortenGrace(null);
                queue.add(worker.uid);
            }
        }
        return desired.stream().filter(uid -> !workers.containsKey(uid)).toList();
    }

    /** How far a pod is; null if it has no worker. */
    synchronized @Nullable State state(String uid) {
        Worker worker = workers.get(uid);
        return worker == null ? null : worker.state;
    }

    /** Whether a worker has done all that there is to do for a pod. */
    synchronized boolean isFinished(String uid) {
        Worker worker = workers.get(uid);
        return worker != null && worker.finished;
    }

    /** Whether a static pod of this name is still being stopped. */
    synchronized boolean isStopping(ObjectKey name) {
        String uid = startedStatic.get(name);
        Worker worker = uid == null ? null : workers.get(uid);
        return worker != null && worker.state != State.SYNC && !worker.finished;
    }

    synchronized int size() {
        return workers.size();
    }
}
