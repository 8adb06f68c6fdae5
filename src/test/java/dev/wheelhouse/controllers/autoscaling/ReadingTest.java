package dev.wheelhouse.controllers.autoscaling;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V2ExternalMetricSource;
import io.kubernetes.client.openapi.models.V2MetricIdentifier;
import io.kubernetes.client.openapi.models.V2MetricSpec;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.ResourceMapper;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class ReadingTest {
    private final ManualClock clock = new ManualClock();

    /** A metrics API that needs 25 seconds for each answer. */
    private final KubeClient slow = (KubeClient) Proxy.newProxyInstance(KubeClient.class.getClassLoader(),
            new Class<?>[]{KubeClient.class}, (proxy, method, arguments) -> {
                clock.advance(Duration.ofSeconds(25));
                return ModelJson.tree(Map.of("items", List.of(Map.of("value", "1"))));
            });

    @Test
    void metricsThatAreNotBegunWithinAMinuteHaveFailedHoweverManyThereAre() {
        ApiMetrics client = new ApiMetrics(slow, new ResourceMapper(slow, clock), clock);
        V2MetricSpec spec = new V2MetricSpec().type("External")
                .external(new V2ExternalMetricSource().metric(new V2MetricIdentifier().name("queue")));
        List<Long> nanos = new ArrayList<>();

        List<Reading> readings = Reading.of(Collections.nCopies(10_000, spec), "default", LabelSelector.everything(),
                client, clock, nanos);

        assertThat(readings).hasSize(10_000).filteredOn(Reading.Values.class::isInstance).hasSize(3);
        assertThat(readings.getLast()).isEqualTo(new Reading.Failed("the metrics before it took more than 60 s: look at"
                + " the metrics API, or give the autoscaler fewer metrics than 10000"));
        assertThat(nanos).hasSize(10_000);
    }
}
