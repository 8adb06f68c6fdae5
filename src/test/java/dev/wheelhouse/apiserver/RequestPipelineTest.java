package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

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
            .withLimits(TestLimits.withRequests(10, ApiServerLimits.standard()));
    private final ObjectStore store = new ObjectStore(options.clock(), Retention.standard(), Storage.inMemory());
    private final RestServer rest = new RestServer(store, options.clock(), options.random());
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Traffic traffic = Traffic.of(options, MEMORY, 2, rest.registry(), registry);
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
            return ((ApiResponse.Content) requests.answer(new Authorization.Granted(request, null, null), flow,
                    new byte[0],
                    memory, 0)).code();
        } catch (InterruptedException | RejectedExecutionException e) {
            return 0;
        }
    }

    @Test
    void thePageOfMetricsHasUpstreamsNamesTypesAndLabels() {
        new StorageMeters(store, rest.registry(), registry).update();
        requests.count(ApiRequest.of("GET", "/api/v1/namespaces/default/pods/a", null), 200, 1);

        String labels = "{component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"pods\",scope=\"resource\","
                + "subresource=\"\",verb=\"GET\",version=\"v1\"";
        assertThat(registry.scrape().lines()).contains(
                "# HELP apiserver_current_inflight_requests Requests that are being answered, without watches.",
                "# TYPE apiserver_current_inflight_requests gauge", "apiserver_current_inflight_requests 0.0",
                "# HELP apiserver_flowcontrol_current_executing_requests Requests that are worked on.",
                "# TYPE apiserver_flowcontrol_current_executing_requests gauge",
                "apiserver_flowcontrol_current_executing_requests{priority_level=\"exempt\"} 0.0",
                "# HELP apiserver_flowcontrol_current_inqueue_requests Requests that wait for a seat.",
                "# TYPE apiserver_flowcontrol_current_inqueue_requests gauge",
                "apiserver_flowcontrol_current_inqueue_requests{priority_level=\"system\"} 0.0",
                "# HELP apiserver_flowcontrol_dispatched_requests_total Requests that were given a seat.",
                "# TYPE apiserver_flowcontrol_dispatched_requests_total counter",
                "apiserver_flowcontrol_dispatched_requests_total{priority_level=\"system\"} 0.0",
                "# HELP apiserver_flowcontrol_nominal_limit_seats Requests that are worked on at most.",
                "# TYPE apiserver_flowcontrol_nominal_limit_seats gauge",
                "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"leader-election\"} 3.0",
                "# HELP apiserver_flowcontrol_rejected_requests_total Requests that were turned away.",
                "# TYPE apiserver_flowcontrol_rejected_requests_total counter",
                "apiserver_flowcontrol_rejected_requests_total{priority_level=\"system\",reason=\"time-out\"} 0.0",
                "# HELP apiserver_longrunning_requests Watches that are open.",
                "# TYPE apiserver_longrunning_requests gauge", "apiserver_longrunning_requests{verb=\"WATCH\"} 0.0",
                "# HELP apiserver_registered_watchers Watches that run.",
                "# TYPE apiserver_registered_watchers gauge", "apiserver_registered_watchers 0.0",
                "# HELP apiserver_rejected_requests_total Requests that were answered by 429 because there were too"
                        + " many at a time.",
                "# TYPE apiserver_rejected_requests_total counter", "apiserver_rejected_requests_total 0.0",
                "# HELP apiserver_request_duration_seconds How long requests took, without watches.",
                "# TYPE apiserver_request_duration_seconds histogram",
                "apiserver_request_duration_seconds_bucket" + labels + ",le=\"0.005\"} 0",
                "apiserver_request_duration_seconds_bucket" + labels + ",le=\"+Inf\"} 1",
                "apiserver_request_duration_seconds_count" + labels + "} 1",
                "# HELP apiserver_request_total Requests that were answered.",
                "# TYPE apiserver_request_total counter",
                "apiserver_request_total{code=\"200\"," + labels.substring(1) + "} 1.0",
                "# HELP apiserver_storage_objects Objects that are stored, by resource.",
                "# TYPE apiserver_storage_objects gauge", "apiserver_storage_objects{resource=\"pods\"} 0.0");
    }

    @Test
    void aVerbThatAResourceDoesNotHaveMakesNoSeries() {
        rest.registry().all().forEach(info -> requests.count(ApiRequest.of("MADE-UP", "/apis/"
                + info.type().apiVersion() + "/" + info.type().plural() + "/x", null), 405, 1));
        assertThat(registry.scrape().lines().filter(line -> line.startsWith("apiserver_request_total{"))).hasSize(1);
    }
}
