package dev.wheelhouse.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.election.ElectionListener;

/** The election's metrics in Micrometer, under client-go's names. */
final class ElectionMeters implements ElectionListener {
    private final Counter slow;
    private final Counter begun;
    private volatile boolean leads;

    ElectionMeters(String lease, MeterRegistry registry) {
        this.slow = Counter.builder("leader.election.slowpath").tag("name", lease)
                .description("Renewals of the lead that failed in one write").register(registry);
        this.begun = Counter.builder("leader.election.leads.begun").tag("name", lease)
                .description("Leads that this process has begun").register(registry);
        Gauge.builder("leader.election.master.status", this, r -> r.leads ? 1 : 0).tag("name", lease)
                .description("1 if this process leads, 0 if it stands by").strongReference(true).register(registry);
    }

    @Override
    public void startedLeading() {
        leads = true;
        begun.increment();
    }

    @Override
    public void stoppedLeading(String why) {
        leads = false;
    }

    @Override
    public void slowPathExercised() {
        slow.increment();
    }
}
