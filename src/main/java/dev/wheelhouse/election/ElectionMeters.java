package dev.wheelhouse.election;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.meters.SharedGauge;

/** The meters of the election for one Lease, under client-go's names. */
final class ElectionMeters {
    /** Renewals without a read, which client-go calls the fast path, that failed. */
    final Counter slowPaths;
    private final Counter leadsBegun;
    private volatile boolean leads;

    ElectionMeters(String lease, MeterRegistry registry) {
        Tags tags = Tags.of("name", lease);
        this.slowPaths = Counter.builder("leader.election.slowpath").tags(tags)
                .description("Renewals of the lead that failed in one write").register(registry);
        this.leadsBegun = Counter.builder("leader.election.leads.begun").tags(tags)
                .description("Leads that this process has begun").register(registry);
        SharedGauge.join(registry, SharedGauge.id("leader.election.master.status",
                "1 if this process leads, 0 if it stands by", tags), SharedGauge.Together.MOST, this,
                meters -> meters.leads ? 1 : 0);
    }

    void begun() {
        leads = true;
        leadsBegun.increment();
    }

    void ended() {
        leads = false;
    }
}
