package dev.wheelhouse.apiserver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;

import static org.assertj.core.api.Assertions.assertThat;

class RequestsTest {
    private static final long MEMORY = 1 << 30;

    private final ApiServerOptions options = ApiServerOptions.defaults()
            .withLimits(ApiServerLimits.standard().withRequests(10));
    private final ObjectStore store = new ObjectStore(options.clock(), Retention.standard(), Storage.inMemory());
    private final RestServer rest = new RestServer(store, options.clock(), options.random());
    private final Traffic traffic = Traffic.of(options, MEMORY, 2, new RequestMetrics(rest.registry()));
    private final Requests requests = new Requests(rest, new Faults(store, options.clock()), traffic, options);

    @AfterEach
    void stop() {
        traffic.close();
        store.close();
    }

    private static Flow flow(Flow.Level level, String sender) {
        return new Flow(level, sender, false);
    }

    @Test
    void aSenderHasHalfOfTheRequestsThatAreExecutedOrAnswered() {
        Flow greedy = flow(Flow.Level.GLOBAL_DEFAULT, "greedy");
        for (int i = 0; i < 5; i++) {
            assertThat(requests.begin(greedy)).isTrue();
        }
        assertThat(requests.begin(greedy)).isFalse();
        assertThat(requests.begin(flow(Flow.Level.GLOBAL_DEFAULT, "honest"))).isTrue();
        requests.end(greedy);
        assertThat(requests.begin(greedy)).isTrue();
    }

    @Test
    void healthChecksWhoseAnswersAreNotReadTakeNoOtherRequestsPlace() {
        for (int i = 0; i < 100; i++) {
            assertThat(requests.begin(flow(Flow.Level.EXEMPT, "system:anonymous"))).isTrue();
        }
        assertThat(requests.begin(flow(Flow.Level.GLOBAL_DEFAULT, "honest"))).isTrue();
    }
}
