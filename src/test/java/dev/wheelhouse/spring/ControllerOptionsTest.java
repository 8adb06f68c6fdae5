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
        assertThat(options("terminated-pod-gc-threshold=-1", AUTOSCALER + "sync-period=1s",
                AUTOSCALER + "downscale-stabilization=2m", AUTOSCALER + "tolerance=0.25",
                AUTOSCALER + "cpu-initialization-period=3m", AUTOSCALER + "initial-readiness-delay=4s",
                "endpoint-updates-batch-period=1s", "endpointslice-updates-batch-period=2s",
                "max-endpoints-per-slice=3", "mirroring-endpointslice-updates-batch-period=4s",
                "mirroring-max-endpoints-per-subset=5"))
                .isEqualTo(new ControllerOptions(-1, new ControllerOptions.HorizontalPodAutoscaler(
                        Duration.ofSeconds(1), Duration.ofMinutes(2), 0.25, Duration.ofMinutes(3),
                        Duration.ofSeconds(4)),
                        new ControllerOptions.Endpoints(Duration.ofSeconds(1), Duration.ofSeconds(2), 3,
                                Duration.ofSeconds(4), 5)));
    }

    @ParameterizedTest
    @CsvSource({
            "horizontal-pod-autoscaler-sync-period, 0s, is 0.0 s: it must be longer than 0 s",
            "horizontal-pod-autoscaler-sync-period, -1s, is -1.0 s: it must be longer than 0 s",
            "horizontal-pod-autoscaler-cpu-initialization-period, -1s, is -1.0 s: it must be 0 s or longer",
            "horizontal-pod-autoscaler-tolerance, -0.1, is -0.1: it must be a number from 0",
            "horizontal-pod-autoscaler-tolerance, NaN, is NaN: it must be a number from 0",
            "endpoint-updates-batch-period, -1s, is -1.0 s: it must be 0 s or longer",
            "endpointslice-updates-batch-period, -1s, is -1.0 s: it must be 0 s or longer",
            "mirroring-endpointslice-updates-batch-period, -1s, is -1.0 s: it must be 0 s or longer",
            "max-endpoints-per-slice, 0, is 0: it must be a number from 1 to 1000",
            "mirroring-max-endpoints-per-subset, 1001, is 1001: it must be a number from 1 to 1000",
    })
    void thatMakeNoSenseAreRefused(String option, String value, String words) {
        assertThatThrownBy(() -> options(option + "=" + value)).rootCause()
                .hasMessage("wheelhouse." + option + " " + words);
    }
}
