package dev.wheelhouse.spring;

import java.time.Duration;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.scheduler.SchedulerMetrics;

/** The scheduler's metrics in Micrometer. */
final class SchedulerMeters implements SchedulerMetrics {
    private final MeterRegistry registry;
    private final Timer scheduled;
    private final Timer unschedulable;
    private final Timer bound;

    SchedulerMeters(MeterRegistry registry) {
        this.registry = registry;
        this.scheduled = attempts("scheduled");
        this.unschedulable = attempts("unschedulable");
        this.bound = Timer.builder("scheduler.pod.scheduling.duration")
                .description("Time from when the scheduler first saw a pod until the pod was bound")
                .register(registry);
    }

    private Timer attempts(String result) {
        return Timer.builder("scheduler.scheduling.attempt.duration")
                .description("Duration of scheduling decisions by result")
                .tag("result", result).register(registry);
    }

    @Override
    public void attempted(String result, Duration took) {
        (result.equals("scheduled") ? scheduled : unschedulable).record(took);
    }

    @Override
    public void bound(Duration waited) {
        bound.record(waited);
    }

    @Override
    public void writeFailed(String what) {
        Counter.builder("scheduler.writes.failed").description("Failed writes to the API server, by kind")
                .tag("what", what).register(registry).increment();
    }
}
