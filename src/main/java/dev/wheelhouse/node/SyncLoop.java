package dev.wheelhouse.node;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.node.PodWorkers.UpdateType;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.PodUpdate;
import dev.wheelhouse.podconfig.PodUpdates;
import dev.wheelhouse.podconfig.SourcesReady;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * The node agent's main loop (upstream: {@code syncLoopIteration} in {@code pkg/kubelet/kubelet.go}). One step handles
 * one of these: a change from the sources, a lifecycle event of a pod, the pods due for a periodic sync, the pods
 * waiting for admission, or housekeeping. They take turns, so that none starves. The loop never waits for a pod or for
 * the API server; that is the work of the pod workers.
 */
final class SyncLoop extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(SyncLoop.class);

    /** The time until housekeeping if there is something to clean up; kubelet's housekeeping period. */
    static final Duration HOUSEKEEPING = Duration.ofSeconds(2);
    /** The time until housekeeping if there is nothing to clean up. */
    static final Duration IDLE_HOUSEKEEPING = Duration.ofMinutes(1);

    private static final int TURNS = 5;

    private final PodUpdates updates;
    private final SourcesReady sourcesReady;
    private final PodManager pods;
    private final PodWorkers workers;
    private final StatusManager statuses;
    private final MirrorPods mirrors;
    private final PodRuntime runtime;
    private final PodAdmitter admitter;
    private final Clock clock;
    private int turn;
    private long lastHousekeeping;
    /** Whether what an earlier process left behind was looked for. */
    private boolean swept;

    SyncLoop(PodUpdates updates, SourcesReady sourcesReady, PodManager pods, PodWorkers workers,
            StatusManager statuses, MirrorPods mirrors, PodRuntime runtime,
            PodAdmitter admitter, Clock clock) {
        this.admitter = admitter;
        this.updates = updates;
        this.sourcesReady = sourcesReady;
        this.pods = pods;
        this.workers = workers;
        this.statuses = statuses;
        this.mirrors = mirrors;
        this.runtime = runtime;
        this.clock = clock;
        this.lastHousekeeping = clock.nanoTime();
        updates.onAdded(this::wake);
        runtime.onEvent(this::wake);
        admitter.onNews(this::wake);
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        for (int i = 0; i < TURNS; i++) {
            turn = (turn + 1) % TURNS;
            boolean handled = switch (turn) {
                case 0 -> configUpdate();
                case 1 -> lifecycleEvent();
                case 2 -> periodicSync();
                case 3 -> admission();
                default -> housekeeping();
            };
            if (handled) {
                return BUSY;
            }
        }
        return Math.min(Math.min(runtime.nanosToNextEvent(), admitter.nanosToNext()),
                Math.min(workers.nanosToNextSync(), nanosToHousekeeping()));
    }

    private boolean configUpdate() {
        PodUpdate update = updates.poll();
        if (update == null) {
            return false;
        }
        log.debug("{}", update);
        switch (update.operation()) {
            case SET -> throw new IllegalArgumentException("the merge turns each SET into other operations");
            case ADD -> add(update.pods());
            case UPDATE, DELETE -> change(update.pods());
            case REMOVE -> remove(update.pods());
            case RECONCILE -> reconcile(update.pods());
        }
        sourcesReady.add(update.source());
        return true;
    }

    /** Adds pods, older ones first, because they were bound first. */
    private void add(List<V1Pod> added) {
        Comparator<V1Pod> byAge = Comparator.comparing(p -> p.getMetadata().getCreationTimestamp(),
                Comparator.nullsFirst(Comparator.naturalOrder()));
        for (V1Pod pod : added.stream().sorted(byAge).toList()) {
            pods.put(pod);
            if (!mirrorChanged(pod)) {
                start(pod);
            }
        }
    }

    private void start(V1Pod pod) {
        V1Pod admitted = admitter.admit(pod);
        if (admitted != null) {
            workers.update(admitted, UpdateType.CREATE, null);
        }
    }

    private boolean admission() {
        List<V1Pod> due = admitter.due();
        due.forEach(this::start);
        return !due.isEmpty();
    }

    private void change(List<V1Pod> changed) {
        for (V1Pod pod : changed) {
            pods.put(pod);
            if (!mirrorChanged(pod) && !admitter.isWaiting(PodManager.uid(pod))) {
                workers.update(pod, UpdateType.UPDATE, null);
                statuses.reconcile(PodManager.uid(pod));
            }
        }
    }

    private void remove(List<V1Pod> removed) {
        for (V1Pod pod : removed) {
            pods.remove(pod);
            // Until all sources have sent their pods, a removal may only mean that a source is late. Housekeeping
            // checks again.
            if (!mirrorChanged(pod) && sourcesReady.allReady()) {
                workers.update(pod, UpdateType.KILL, null);
            }
        }
    }

    private void reconcile(List<V1Pod> reconciled) {
        for (V1Pod pod : reconciled) {
            pods.put(pod);
            V1Pod mirrored = PodSources.isMirror(pod) ? pods.mirrored(pod) : pod;
            if (mirrored == null) {
                continue;
            }
            statuses.reconcile(PodManager.uid(mirrored));
            if (mirrored.getSpec().getReadinessGates() != null) {
                workers.update(mirrored, UpdateType.UPDATE, null);
            }
        }
    }

    /**
     * Handles a change of a mirror pod as a change of its static pod.
     * @return whether the pod is a mirror pod
     */
    private boolean mirrorChanged(V1Pod pod) {
        if (!PodSources.isMirror(pod)) {
            return false;
        }
        V1Pod mirrored = pods.mirrored(pod);
        if (mirrored != null) {
            workers.update(mirrored, UpdateType.UPDATE, null);
            statuses.reconcile(PodManager.uid(mirrored));
        }
        return true;
    }

    private boolean lifecycleEvent() {
        PodLifecycleEvent event = runtime.pollEvent();
        if (event == null) {
            return false;
        }
        workers.sync(event.uid());
        return true;
    }

    private boolean periodicSync() {
        List<String> due = workers.dueForSync();
        due.forEach(workers::sync);
        return !due.isEmpty();
    }

    private long nanosToHousekeeping() {
        Duration period = workers.cleanUpWanted() || !swept ? HOUSEKEEPING : IDLE_HOUSEKEEPING;
        return Math.max(0, lastHousekeeping + period.toNanos() - clock.nanoTime());
    }

    private boolean housekeeping() {
        if (nanosToHousekeeping() > 0) {
            return false;
        }
        lastHousekeeping = clock.nanoTime();
        if (!sourcesReady.allReady()) {
            return true;
        }
        Set<String> desired = pods.pods().stream().map(PodManager::uid).collect(Collectors.toSet());
        List<String> withoutWorker = workers.syncKnownPods(desired);
        for (String uid : withoutWorker) {
            V1Pod pod = pods.get(uid);
            if (pod != null) {
                statuses.forget(uid);
                start(pod);
            }
        }
        Set<String> known = new HashSet<>(desired);
        runtime.pods().stream().filter(uid -> workers.state(uid) != null).forEach(known::add);
        statuses.retain(known);
        runtime.retain(known);
        swept = true;
        pods.orphanedMirrors().stream().filter(m -> !workers.isStopping(ObjectKey.of(m)))
                .forEach(mirrors::deleteOrphan);
        return true;
    }
}
