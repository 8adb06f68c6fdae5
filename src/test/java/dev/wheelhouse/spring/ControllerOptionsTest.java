package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
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
                AUTOSCALER + "cpu-initialization-period=3m", AUTOSCALER + "initial-readiness-delay=4s",
                "cluster-signing-duration=24h", "legacy-service-account-token-clean-up-period=48h",
                "endpoint-updates-batch-period=1s", "endpointslice-updates-batch-period=2s",
                "max-endpoints-per-slice=3", "mirroring-endpointslice-updates-batch-period=4s",
                "mirroring-max-endpoints-per-subset=5"))
                .isEqualTo(ControllerOptions.DEFAULTS.withTerminatedPodGcThreshold(-1)
                        .withResourceQuotaSyncPeriod(Duration.ofMinutes(6))
                        .with(new ControllerOptions.HorizontalPodAutoscaler(Duration.ofSeconds(1),
                                Duration.ofMinutes(2), 0.25, Duration.ofMinutes(3), Duration.ofSeconds(4)))
                        .with(new ControllerOptions.Identity("", null, Map.of(), Duration.ofHours(24),
                                Duration.ofHours(48)))
                        .with(new ControllerOptions.Endpoints(Duration.ofSeconds(1), Duration.ofSeconds(2), 3,
                                Duration.ofSeconds(4), 5)));
        assertThat(options("node-monitor-period=1s", "node-startup-grace-period=2s", "node-monitor-grace-period=3s",
                "node-eviction-rate=1.5", "secondary-node-eviction-rate=0.5", "large-cluster-size-threshold=7",
                "unhealthy-zone-threshold=0.7").nodeLifecycle())
                .isEqualTo(new ControllerOptions.NodeLifecycle(Duration.ofSeconds(1), Duration.ofSeconds(2),
                        Duration.ofSeconds(3), 1.5, 0.5, 7, 0.7));
        assertThat(options("pvclaimbinder-sync-period=1s", "enable-dynamic-provisioning=false",
                "enable-hostpath-provisioner=true", "pv-recycler-minimum-timeout-nfs=2",
                "pv-recycler-increment-timeout-nfs=3", "pv-recycler-minimum-timeout-hostpath=4",
                "pv-recycler-timeout-increment-hostpath=5", "attach-detach-reconcile-sync-period=6s",
                "disable-attach-detach-reconcile-sync=true", "disable-force-detach-on-timeout=true").storage())
                .isEqualTo(new ControllerOptions.Storage(Duration.ofSeconds(1), false, true,
                        new ControllerOptions.Recycler(2, 3), new ControllerOptions.Recycler(4, 5),
                        new ControllerOptions.AttachDetach(Duration.ofSeconds(6), true, true)));
        assertThat(options("allocate-node-cidrs=true", "cluster-cidr=10.4.0.0/16,fd00::/56",
                "service-cluster-ip-range=10.4.0.0/24", "node-cidr-mask-size-ipv4=25", "node-cidr-mask-size-ipv6=65")
                .nodeIpam())
                .isEqualTo(new ControllerOptions.NodeIpam(true, List.of("10.4.0.0/16", "fd00::/56"),
                        List.of("10.4.0.0/24"), 0, 25, 65));
    }

    @ParameterizedTest
    @CsvSource({
            "horizontal-pod-autoscaler-sync-period, 0s, is 0.0 s: it must be longer than 0 s",
            "horizontal-pod-autoscaler-sync-period, -1s, is -1.0 s: it must be longer than 0 s",
            "horizontal-pod-autoscaler-cpu-initialization-period, -1s, is -1.0 s: it must be 0 s or longer",
            "horizontal-pod-autoscaler-tolerance, -0.1, is -0.1: it must be a number from 0",
            "horizontal-pod-autoscaler-tolerance, NaN, is NaN: it must be a number from 0",
            "attach-detach-reconcile-sync-period, 500ms, is 0.5 s: it must be 1 s or longer",
            "pvclaimbinder-sync-period, 0s, is 0.0 s: it must be longer than 0 s",
            "cluster-signing-duration, 0s, is 0.0 s: it must be longer than 0 s",
            "legacy-service-account-token-clean-up-period, -1s, is -1.0 s: it must be longer than 0 s",
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

    @ParameterizedTest
    @CsvSource({
            "node-monitor-period=0s, wheelhouse.node-monitor-period is 0.0 s: it must be longer than 0 s",
            "node-eviction-rate=-1, wheelhouse.node-eviction-rate is -1.0: it must be a number from 0",
    })
    void ofNodesThatMakeNoSenseAreRefused(String option, String words) {
        assertThatThrownBy(() -> options(option)).rootCause().hasMessage(words);
    }

    @Test
    void rangesOfNodesThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> options("allocate-node-cidrs=true")).hasMessageStartingWith(
                "the ranges of nodes: allocate-node-cidrs is set, but cluster-cidr is not");
        assertThat(options("cluster-cidr=rubbish").nodeIpam().allocateNodeCidrs()).isFalse();
    }
}
