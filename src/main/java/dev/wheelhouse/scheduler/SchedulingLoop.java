package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/** Takes one pod at a time, decides on a node, and passes the decision to the writers. */
final class SchedulingLoop implements Loop {
    private static final Logger log = LoggerFactory.getLogger(SchedulingLoop.class);
    private static final long NOT_SYNCED_YET_NANOS = Duration.ofMillis(20).toNanos();

    private final WorkQueue<Task> tasks;
    private final BooleanSupplier synced;
    private final SchedulerConfig config;
    private final SharedIndexInformer<V1Pod> pods;
    private final NamespaceLabels namespaceLabels;
    private final VolumeCaches volumes;
    private final Preemption.Facts preemption;
    private final SchedulerCache cache;
    private final PendingPods pending;
    private final WriteQueue writes;
    private final Timer scheduled;
    private final Timer unschedulable;
    private final Clock clock;
    private final long seed;
    private final Duration unschedulableAtLongest;
    private final PriorityQueue<Ready> ready = new PriorityQueue<>(
            Comparator.comparingInt(Ready::priority).reversed().thenComparingLong(Ready::number));
    private long number;

    /** A pod to schedule. Those of a higher priority come first, else those that came first. */
    private record Ready(int priority, long number, Task.Schedule task) {}

    SchedulingLoop(SchedulerConfig config, WorkQueue<Task> tasks, BooleanSupplier synced,
            SharedIndexInformer<V1Pod> pods, NamespaceLabels namespaceLabels, VolumeCaches volumes,
            Preemption.Facts preemption, SchedulerCache cache,
            PendingPods pending, WriteQueue writes, MeterRegistry registry, Clock clock, long seed,
            Duration unschedulableAtLongest) {
        this.config = config;
        this.tasks = tasks;
        this.synced = synced;
        this.pods = pods;
        this.namespaceLabels = namespaceLabels;
        this.volumes = volumes;
        this.preemption = preemption;
        this.cache = cache;
        this.pending = pending;
        this.writes = writes;
        this.scheduled = attempts(registry, "scheduled");
        this.unschedulable = attempts(registry, "unschedulable");
        this.clock = clock;
        this.seed = seed;
        this.unschedulableAtLongest = unschedulableAtLongest;
    }

    private static Timer attempts(MeterRegistry registry, String result) {
        return Timer.builder("scheduler.scheduling.attempt.duration")
                .description("Duration of scheduling decisions by result").tag("result", result).register(registry);
    }

    @Override
    public long step() {
        if (tasks.isShutDown()) {
            return IDLE;
        }
        if (!synced.getAsBoolean()) {
            // Until all existing pods are counted, the same resources could be assigned twice.
            return NOT_SYNCED_YET_NANOS;
        }
        Task task = next();
        if (task == null) {
            return tasks.nanosToNextDue();
        }
        try {
            switch (task) {
                case Task.Schedule toSchedule -> schedule(toSchedule.pod());
                case Task.Reconsider reconsider -> pending.reconsider(reconsider.cause().mayChange())
                        .forEach(this::retry);
                case Task.ReconsiderOne one -> {
                    PendingPods.Retry retry = pending.reconsider(one.pod(), Filter::dependsOnVolumes);
                    if (retry != null) {
                        retry(retry);
                    }
                }
            }
        } finally {
            tasks.done(task);
        }
        return BUSY;
    }

    private @Nullable Task next() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            if (!(task instanceof Task.Schedule schedule)) {
                return task;
            }
            V1Pod pod = pods.get(schedule.pod());
            ready.add(new Ready(pod == null ? 0 : PodInfo.priorityOf(pod.getSpec()), number++, schedule));
        }
        Ready first = ready.poll();
        return first == null ? null : first.task;
    }

    private void retry(PendingPods.Retry retry) {
        tasks.addAfter(new Task.Schedule(retry.key()), retry.delay());
    }

    private void schedule(ObjectKey key) {
        V1Pod pod = pods.get(key);
        Profile profile = pod == null ? null : config.of(pod);
        if (pod == null || profile == null || !config.takes(pod)) {
            pending.left(key);
            return;
        }
        String uid = String.valueOf(pod.getMetadata().getUid());
        if (cache.isAssumed(uid)) {
            return;
        }
        long began = clock.nanoTime();
        ScheduleResult decision = cache.schedule(profile, PodInfo.of(pod), volumes.of(pod), namespaceLabels,
                preemption, seed);
        Duration took = Duration.ofNanos(clock.nanoTime() - began);
        switch (decision) {
            case ScheduleResult.Bind bind -> {
                volumes.take(bind.volumes());
                scheduled.record(took);
                log.debug("the pod {} is assigned to {} with score {}; {} nodes fit", key, bind.node(), bind.score(),
                        bind.feasible());
            }
            case ScheduleResult.Unschedulable no -> {
                unschedulable.record(took);
                pending.refused(key, uid, no.refusedBy());
                tasks.addAfter(new Task.Schedule(key), unschedulableAtLongest);
            }
        }
        writes.put(key, new WriteQueue.Write(pod, decision));
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        if (synced.getAsBoolean()) {
            tasks.awaitReady(nanos);
        } else {
            Thread.sleep(Duration.ofNanos(Math.min(nanos, NOT_SYNCED_YET_NANOS)));
        }
    }

    @Override
    public void close() {
        tasks.shutDown();
    }
}
