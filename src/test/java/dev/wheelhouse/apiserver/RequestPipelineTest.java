package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.Authorization;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;

import static org.assertj.core.api.Assertions.assertThat;

class RequestPipelineTest {
    private static final long MEMORY = 1 << 30;

    private final ApiServerOptions options = ApiServerOptions.defaults()
            .withLimits(ApiServerLimits.standard().withRequests(10));
    private final ObjectStore store = new ObjectStore(options.clock(), Retention.standard(), Storage.inMemory());
    private final RestServer rest = new RestServer(store, options.clock(), options.random());
    private final Traffic traffic = Traffic.of(options, MEMORY, 2, new RequestMetrics(rest.registry()));
    private final RequestPipeline requests = new RequestPipeline(rest, new Faults(store, options.clock()), traffic,
            options);

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

    @Test
    void aRequestThatNoThreadCanExecuteIsAnswered429AndKeepsNoSeat() throws Exception {
        traffic.workers().shutdown();
        ApiRequest list = ApiRequest.of("GET", "/api/v1/pods", null).withCredentials(Credentials.of(Map.of(), null));
        Flow sender = flow(Flow.Level.GLOBAL_DEFAULT, "sender");
        List<Integer> codes = new ArrayList<>();
        Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 100; i++) {
                codes.add(answer(list, sender));
            }
        }).join();
        assertThat(codes).hasSize(100).containsOnly(429);
        assertThat(traffic.flows().executing(Flow.Level.GLOBAL_DEFAULT)).isZero();
    }

    private int answer(ApiRequest request, Flow flow) {
        try (ByteBudget.Part memory = traffic.work().part(flow.sender())) {
            return ((ApiResponse.Content) requests.answer(new Authorization.Granted(request, null), flow, new byte[0],
                    memory, 0)).code();
        } catch (InterruptedException | RejectedExecutionException e) {
            return 0;
        }
    }

    @Test
    void aVerbThatAResourceDoesNotHaveMakesNoSeries() {
        RequestMetrics metrics = traffic.metrics();
        rest.registry().all().forEach(info -> requests.count(ApiRequest.of("MADE-UP", "/apis/"
                + info.type().apiVersion() + "/" + info.type().plural() + "/x", null), 405, 1));
        assertThat(metrics.text().lines().filter(line -> line.startsWith("apiserver_request_total{"))).hasSize(1);
    }
}
