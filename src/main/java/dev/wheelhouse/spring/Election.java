package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.UUID;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.HttpDeadlines;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.election.ElectionListener;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.election.LeaderElector;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * The elector of the service, or none. It has a connection of its own, so that other requests cannot delay a renewal.
 * The deadlines of its requests are half the renew deadline, as upstream's, to leave time for a second attempt.
 */
record Election(Leadership leadership, @Nullable LeaderElector elector, @Nullable KubeClient client)
        implements
            AutoCloseable {
    static Election none() {
        return new Election(Leadership.ALONE, null, null);
    }

    static Election of(ElectionOptions options, ApiClient api, Clock clock, ElectionListener listener) {
        Duration deadline = options.renewDeadline().dividedBy(2);
        KubeClient client = new HttpKubeClient(api, new HttpDeadlines(deadline, deadline, deadline),
                "wheelhouse/leader-election", clock);
        LeaderElector elector = new LeaderElector(options, client, clock, RandomGenerator.getDefault(), listener);
        return new Election(elector, elector, client);
    }

    /** The name of this process among all contenders: the host's name and a random part. */
    static String identity(String host) {
        return host + "_" + UUID.randomUUID();
    }

    void start(LoopRunner runner) {
        if (elector != null) {
            runner.startOnPlatformThread("leader-election", elector);
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
