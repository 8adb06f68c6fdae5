package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.apiserver.store.CommitHook;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Hollow nodes of an open server's own process. Each may have as many requests as any other sender. */
@Timeout(900)
class NodesAsSendersTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final int SEATS = Math.max(24, 6 * Runtime.getRuntime().availableProcessors());
    /** More than the two thirds of the seats that one sender may hold. */
    private static final int NODES = SEATS * 5 / 6;

    /** Keeps the first node's write from being committed, and thereby all others. */
    private static CommitHook slowStorage(CountDownLatch mayCommit) {
        return new CommitHook(writes -> {
            if (writes.stream().anyMatch(write -> write.resource().equals("nodes"))) {
                CommitHook.await(mayCommit);
            }
        });
    }

    @Test
    void noNodeIsRefusedBecauseOthersWait() throws Exception {
        CountDownLatch mayCommit = new CountDownLatch(1);
        MeterRegistry registry = new SimpleMeterRegistry();
        Clock clock = Clock.system();
        // A sender that holds two thirds of the seats may have no request that waits.
        ApiServerOptions options = ApiServerOptions.defaults().withStorage(slowStorage(mayCommit))
                .withLimits(TestLimits.withRequests(SEATS + 6, ApiServerLimits.standard()));
        try (ApiServer server = new ApiServer(options).start(); LoopRunner runner = new LoopRunner("nodes", clock)) {
            KubeClient client = server.client("nodes");
            List<NodeAgent> nodes = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                nodes.add(NodeAgent.registered(NodeAgentOptions.hollow("node-" + i, i), client, EventRecorder.NONE,
                        registry, clock));
                runner.start("node-" + i, nodes.get(i).loops().get("registration"));
            }
            try {
                eventually("the writes of all nodes wait for the storage", SOON, () -> metrics(server).contains(
                        "current_executing_requests{priority_level=\"system\"} " + NODES + ".0\n"));
            } finally {
                mayCommit.countDown();
            }
            eventually("all nodes are registered", SOON, () -> heartbeats(registry).size() == NODES);
            assertThat(heartbeats(registry)).containsOnly("success");
            assertThat(metrics(server)).contains("apiserver_rejected_requests_total 0.0\n");
            nodes.forEach(NodeAgent::close);
        }
    }

    private static List<String> heartbeats(MeterRegistry registry) {
        return Counts.of(registry, "kubelet.node.heartbeat", "result");
    }

    private static String metrics(ApiServer server) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        }
    }
}
