package dev.wheelhouse.spring;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.controller.SyncTrace;

import static org.assertj.core.api.Assertions.assertThat;

class TracingTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "false", "true"})
    void syncsAreFollowedOnlyIfTheOptionIsOn(String option) {
        Map<String, String> given = option.isEmpty() ? Map.of() : Map.of("wheelhouse.tracing", option);
        WheelhouseProperties properties = new Binder(new MapConfigurationPropertySource(given))
                .bindOrCreate("wheelhouse", WheelhouseProperties.class);
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(context -> true);
        var beans = new StaticListableBeanFactory(Map.of("registry", registry, "meters", new SimpleMeterRegistry()));

        SyncTrace trace = WheelhouseAutoConfiguration
                .wheelhouseMetrics(properties, beans.getBeanProvider(MeterRegistry.class),
                        beans.getBeanProvider(ObservationRegistry.class))
                .begin("maker", "key");
        boolean follows = registry.getCurrentObservation() != null;
        trace.ended("done", null);
        assertThat(follows).isEqualTo(option.equals("true"));
    }
}
