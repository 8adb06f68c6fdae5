package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpDeadlines;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.election.LeaderElector;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.election.ShardElector;
import dev.wheelhouse.election.ShardWork;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * The elector of this process, or none. The elector has a connection of its own, so that other requests cannot delay a
 * renewal. Its requests have half of the renew deadline, as in upstream, to leave time for a second attempt.
 */
public record Election(Leadership leadership, @Nullable LeaderElector elector, @Nullable ElectionOptions options,
        @Nullable KubeClient client) implements AutoCloseable {
    /** No election: this process always leads. */
    public static Election none() {
        return new Election(Leadership.ALONE, null, null, null);
    }

    /**
     * @param registry counts the leads
     * @param lost is told, on the elector's thread, why this process lost the lead. Its memory is outdated then, so the
     *     process has to end
     */
    public static Election of(ElectionOptions options, ApiClient api, ContentType contentType, Clock clock,
            MeterRegistry registry, Consumer<String> lost) {
        Duration deadline = options.renewDeadline().dividedBy(2);
        KubeClient client = new HttpKubeClient(api, new HttpDeadlines(deadline, deadline, deadline),
                "wheelhouse/leader-election", contentType, clock);
        LeaderElector elector = new LeaderElector(options, client, clock, new SplittableRandom(), registry);
        elector.whenLostBecause(lost);
        return new Election(elector, elector, options, client);
    }

    /**
     * The elector of shards, with the durations of this election and Leases beside its own.
     *
     * @throws IllegalStateException if there is no election
     * @throws IllegalArgumentException if the name of the Lease is too long
     */
    public ShardElector shards(int count, Clock clock, LoopRunner runner, MeterRegistry registry, ShardWork work) {
        if (options == null || client == null) {
            throw new IllegalStateException("shards need an election");
        }
        return new ShardElector(options, count, client, clock, new SplittableRandom(), runner,
                registry, work);
    }

    /** A name that no other contender has: the host's name and a random part. */
    public static String identity() {
        return Host.name() + "_" + UUID.randomUUID();
    }

    /** Whether this election is for the given Lease. */
    public boolean isFor(ObjectKey lease) {
        return elector != null && elector.lease().equals(lease);
    }

    /** @param ready whether this process could act at once, if it leads */
    void start(LoopRunner runner, BooleanSupplier ready) {
        if (elector != null) {
            elector.readyWhen(ready);
            runner.startOnPlatformThread("leader-election", elector);
            runner.start("lease-watch", elector.watch());
        }
    }

    /** Releases the lead. Call it after everything that acts as the leader has ended. */
    void release() {
        if (elector != null) {
            elector.release();
        }
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
