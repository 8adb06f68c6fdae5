package dev.wheelhouse.spring;

import org.springframework.context.ApplicationEventPublisher;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.election.ElectionListener;

/** Reports the election to Micrometer, under client-go's names, and publishes {@link LeadLostEvent}. */
final class ElectionReporter implements ElectionListener {
    private final Counter slow;
    private final ApplicationEventPublisher publisher;
    private volatile boolean leads;

    ElectionReporter(String lease, MeterRegistry registry, ApplicationEventPublisher publisher) {
        this.publisher = publisher;
        this.slow = Counter.builder("leader.election.slowpath").tag("name", lease)
                .description("Renewals of the lead that failed in one write").register(registry);
        Gauge.builder("leader.election.master.status", this, r -> r.leads ? 1 : 0).tag("name", lease)
                .description("1 if this process leads, 0 if it stands by").strongReference(true).register(registry);
    }

    @Override
    public void startedLeading() {
        leads = true;
    }

    @Override
    public void stoppedLeading(String why) {
        leads = false;
        publisher.publishEvent(new LeadLostEvent(this));
    }

    @Override
    public void slowPathExercised() {
        slow.increment();
    }
}
