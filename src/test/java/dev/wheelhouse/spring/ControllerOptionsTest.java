package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import dev.wheelhouse.controller.ControllerOptions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The options of single controllers, under the names of kube-controller-manager's flags. */
class ControllerOptionsTest {
    private static final String AUTOSCALER = "horizontal-pod-autoscaler-";

    private static ControllerOptions options(String... options) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String option : options) {
            String[] parts = option.split("=", 2);
            map.put("wheelhouse." + parts[0], parts[1]);
        }
        return new Binder(new MapConfigurationPropertySource(map))
                .bindOrCreate("wheelhouse", WheelhouseProperties.class).controllerOptions();
    }

    @Test
    void haveUpstreamsDefaults() {
        assertThat(options()).isEqualTo(ControllerOptions.DEFAULTS);
    }

    @Test
    void reachTheControllers() {
        assertThat(options("terminated-pod-gc-threshold=-1", "resource-quota-sync-period=6m",
                AUTOSCALER + "sync-period=1s",
                AUTOSCALER + "downscale-stabilization=2m", AUTOSCALER + "tolerance=0.25",
                AUTOSCALER + "cpu-initialization-period=3m", AUTOSCALER + "initial-readiness-delay=4s"))
                .isEqualTo(new ControllerOptions(-1, Duration.ofMinutes(6),
                        new ControllerOptions.HorizontalPodAutoscaler(
                                Duration.ofSeconds(1), Duration.ofMinutes(2), 0.25, Duration.ofMinutes(3),
                                Duration.ofSeconds(4))));
    }

    @ParameterizedTest
    @CsvSource({
            "sync-period=0s, sync-period is 0.0 s: it must be longer than 0 s",
            "sync-period=-1s, sync-period is -1.0 s: it must be longer than 0 s",
            "cpu-initialization-period=-1s, cpu-initialization-period is -1.0 s: it must be 0 s or longer",
            "tolerance=-0.1, tolerance is -0.1: it must be a number from 0",
            "tolerance=NaN, tolerance is NaN: it must be a number from 0",
    })
    void thatMakeNoSenseAreRefused(String option, String words) {
        assertThatThrownBy(() -> options(AUTOSCALER + option)).rootCause()
                .hasMessage("wheelhouse." + AUTOSCALER + words);
    }
}
