package dev.wheelhouse.spring;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.election.ElectionListener;

/**
 * The election in Micrometer, under client-go's names; and the end of a process that has lost the lead, as what it has in memory is no
 * base to act on: the next one begins with a fresh list (upstream: {@code OnStoppedLeading} of kube-controller-manager).
 */
final class ElectionReporter implements ElectionListener {
    private final Counter slow;
    private final Runnable end;
    private volatile boolean leads;

    /** @param end ends the process, soon and from another thread */
    ElectionReporter(String lease, MeterRegistry registry, Runnable end) {
        this.end = end;
        this.slow = Counter.builder("leader.election.slowpath").tag("name", lease)
                .description("Renewals of the lead that did not work at once").register(registry);
        Gauge.builder("leader.election.master.status", this, r -> r.leads ? 1 : 0).tag("name", lease)
                .description("1 for the process that leads, 0 for those that stand by").strongReference(true)
                .register(registry);
    }

    @Override
    public void startedLeading() {
        leads = true;
    }

    @Override
    public void stoppedLeading(String why) {
        leads = false;
        end.run();
    }

    @Override
    public void slowPathExercised() {
        slow.increment();
    }
}
