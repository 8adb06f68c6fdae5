package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogTally;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/** Executes decisions: writes a binding, or the reason why no node fits. Several loops may share one queue. */
final class WriterLoop implements Loop {
    private static final Logger log = LoggerFactory.getLogger(WriterLoop.class);
    private static final Duration RETRY_BIND = Duration.ofSeconds(1);

    private final SchedulerConfig config;
    private final WriteQueue writes;
    private final ResourceClient<V1Pod> pods;
    private final VolumeWrites volumes;
    private final SchedulerCache cache;
    private final PendingPods pending;
    private final WorkQueue<Task> tasks;
    private final Map<String, EventRecorder> events;
    private final Timer durations;
    private final Meter.MeterProvider<Counter> failures;
    private final LogTally lines;
    private final Clock clock;

    /**
     * @param events the recorders of the profiles, by their names
     * @param lines the log of the bound pods, which all loops share
     */
    WriterLoop(SchedulerConfig config, WriteQueue writes, ResourceClient<V1Pod> pods, VolumeWrites volumes,
            SchedulerCache cache,
            PendingPods pending, WorkQueue<Task> tasks, Map<String, EventRecorder> events, MeterRegistry registry,
            LogTally lines,
            Clock clock) {
        this.config = config;
        this.writes = writes;
        this.pods = pods;
        this.volumes = volumes;
        this.cache = cache;
        this.pending = pending;
        this.tasks = tasks;
        this.events = events;
        this.durations = Timer.builder("scheduler.pod.scheduling.duration")
                .description("Time from when the scheduler first saw a pod until the pod was bound")
                .register(registry);
        this.failures = Counter.builder("scheduler.writes.failed")
                .description("Failed writes to the API server, by kind").withRegistry(registry);
        this.lines = lines;
        this.clock = clock;
    }

    @Override
    public long step() {
        ObjectKey key = writes.queue().isShutDown() ? null : writes.queue().poll();
        if (key == null) {
            return writes.queue().isShutDown() ? IDLE : writes.queue().nanosToNextDue();
        }
        try {
            WriteQueue.Write write = writes.take(key);
            if (write != null) {
                carryOut(key, write);
            }
        } finally {
            writes.queue().done(key);
        }
        return BUSY;
    }

    private void carryOut(ObjectKey key, WriteQueue.Write write) {
        try {
            switch (write.decision()) {
                case ScheduleResult.Bind bind -> {
                    if (bind.volumes().isEmpty() || haveVolumes(key, write, bind)) {
                        bind(key, write.pod(), bind);
                    }
                }
                case ScheduleResult.Unschedulable no -> {
                    no.victims().forEach(victim -> preempt(victim, write.pod(), no.nominated()));
                    refuse(key, write.pod(), no);
                }
            }
            writes.queue().forget(key);
        } catch (KubeApiException e) {
            failed(key, write, e);
        }
    }

    /**
     * Whether the volumes of a pod are bound. If not, the pod's binding is written after a change of its claims, or
     * decided again.
     */
    private boolean haveVolumes(ObjectKey key, WriteQueue.Write write, ScheduleResult.Bind bind) {
        Long until = write.volumesUntil();
        if (until == null) {
            volumes.write(bind.volumes(), bind.node());
            Duration longest = Duration.ofSeconds(profile(write.pod()).args().binding().bindTimeoutSeconds());
            writes.later(key, new WriteQueue.Write(write.pod(), bind, clock.deadline(longest)), longest);
            return false;
        }
        String uid = String.valueOf(write.pod().getMetadata().getUid());
        if (!cache.isAssumed(uid)) {
            volumes.release(bind.volumes());
            return false;
        }
        if (volumes.areBound(bind.volumes())) {
            return true;
        }
        String why = clock.nanoTime() >= until
                ? "context deadline exceeded"
                : volumes.failure(bind.volumes(), bind.node());
        if (why == null) {
            writes.later(key, write, Duration.ofNanos(until - clock.nanoTime()));
        } else {
            giveBack(key, uid, bind);
            log.warn("the volumes of the pod {} were not bound; the scheduler decides again: {}", key, why);
            events(write.pod()).event(ResourceType.PODS, write.pod(), EventRecorder.WARNING, "FailedScheduling",
                    PodWrites.eventMessage("running PreBind plugin \"VolumeBinding\": binding volumes: " + why));
        }
        return false;
    }

    private void giveBack(ObjectKey key, String uid, ScheduleResult.Bind bind) {
        cache.forget(uid);
        volumes.release(bind.volumes());
        tasks.addAfter(new Task.Schedule(key), RETRY_BIND);
    }

    private Profile profile(V1Pod pod) {
        return Objects.requireNonNull(config.of(pod), "only pods of a profile are scheduled");
    }

    private EventRecorder events(V1Pod pod) {
        return Objects.requireNonNull(events.get(profile(pod).name()));
    }

    private void bind(ObjectKey key, V1Pod pod, ScheduleResult.Bind bind) {
        // Read this before the write: the watch may show the binding before the response arrives.
        long since = pending.since(key);
        pods.createSubresource(key, "binding", PodWrites.binding(pod, bind.node()));
        bound(key, pod, bind.node(), since);
    }

    private void bound(ObjectKey key, V1Pod pod, String node, long since) {
        pending.left(key);
        durations.record(clock.nanoTime() - since, TimeUnit.NANOSECONDS);
        lines.add("bound the pod " + key + " to the node " + node);
        events(pod).event(ResourceType.PODS, pod, EventRecorder.NORMAL, "Scheduled",
                "Successfully assigned " + key + " to " + node);
    }

    /** Deletes a pod in favour of another one, unless it goes already. */
    private void preempt(PodInfo victim, V1Pod pod, @Nullable String node) {
        try {
            V1Pod present = pods.get(victim.key());
            if (!victim.uid().equals(present.getMetadata().getUid())
                    || present.getMetadata().getDeletionTimestamp() != null) {
                return;
            }
            pods.patch(victim.key(), "status", PatchType.STRATEGIC_MERGE,
                    PodWrites.preempted(present, pod, clock.now()));
            pods.delete(victim.key(), new Deletion(null, victim.uid(), null, null));
            log.info("the pod {} is deleted, so that the pod {} fits on the node {}", victim.key(), ObjectKey.of(pod),
                    node);
            events(pod).event(ResourceType.PODS, present, EventRecorder.NORMAL, "Preempted",
                    "Preempted by pod " + pod.getMetadata().getUid() + " on node " + node);
        } catch (KubeApiException e) {
            if (!e.isNotFound() && !e.isConflict()) {
                throw e;
            }
        }
    }

    private void refuse(ObjectKey key, V1Pod pod, ScheduleResult.Unschedulable no) {
        String message = no.message();
        log.info("the pod {} fits on no node: {}", key, message);
        String patch = PodWrites.unschedulable(pod, message, no.nominated(), clock.now());
        if (patch != null) {
            pods.patch(key, "status", PatchType.STRATEGIC_MERGE, patch);
        }
        events(pod).event(ResourceType.PODS, pod, EventRecorder.WARNING, "FailedScheduling",
                PodWrites.eventMessage(message));
    }

    private void failed(ObjectKey key, WriteQueue.Write write, KubeApiException error) {
        String uid = String.valueOf(write.pod().getMetadata().getUid());
        switch (write.decision()) {
            case ScheduleResult.Bind bind -> {
                failures.withTag("what", "bind").increment();
                if (error.isUnknownOutcome() || error.isConflict()) {
                    settle(key, write, bind);
                } else {
                    bindRefused(key, uid, bind, error);
                }
            }
            case ScheduleResult.Unschedulable no -> {
                if (!error.isNotFound() && !error.isConflict()) {
                    failures.withTag("what", "status").increment();
                    warn(error, "the PodScheduled condition of the pod {} could not be written, retrying: {}", key);
                    writes.again(key, write);
                }
            }
        }
    }

    private static void warn(KubeApiException error, String line, ObjectKey pod) {
        if (!error.isUnreachable()) {
            log.warn(line, pod, error.getMessage());
        }
    }

    private void bindRefused(ObjectKey key, String uid, ScheduleResult.Bind bind, KubeApiException error) {
        if (!error.isNotFound()) {
            warn(error, "the pod {} could not be bound; the scheduler decides again: {}", key);
        }
        giveBack(key, uid, bind);
    }

    /** Reads the pod after a binding of unknown outcome, before its resources are assigned to another pod. */
    private void settle(ObjectKey key, WriteQueue.Write write, ScheduleResult.Bind bind) {
        String uid = String.valueOf(write.pod().getMetadata().getUid());
        try {
            V1Pod live = pods.get(key);
            if (uid.equals(live.getMetadata().getUid()) && PodPredicates.isAssigned(live)) {
                if (live.getSpec().getNodeName().equals(bind.node())) {
                    bound(key, live, bind.node(), pending.since(key));
                } else {
                    cache.forget(uid);
                    volumes.release(bind.volumes());
                }
                return;
            }
        } catch (KubeApiException e) {
            if (!e.isNotFound()) {
                warn(e, "it is unknown whether the pod {} was bound, reading it again: {}", key);
                writes.again(key, write);
                return;
            }
        }
        giveBack(key, uid, bind);
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        writes.queue().awaitReady(nanos);
    }

    @Override
    public void close() {
        writes.queue().shutDown();
    }
}
