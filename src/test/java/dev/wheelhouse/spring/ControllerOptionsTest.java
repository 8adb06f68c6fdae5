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

import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.ControllerOptions.Endpoints;
import dev.wheelhouse.controllers.ControllerOptions.HorizontalPodAutoscaler;
import dev.wheelhouse.controllers.ControllerOptions.Identity;
import dev.wheelhouse.controllers.ControllerOptions.NodeIpam;
import dev.wheelhouse.controllers.ControllerOptions.NodeLifecycle;
import dev.wheelhouse.manager.UpstreamControllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The options of single controllers, under the names of kube-controller-manager's flags. */
class ControllerOptionsTest {
    private static final String AUTOSCALER = "horizontal-pod-autoscaler-";

    private static ControllerManagerFlags flags(String... options) {
        return bound(ControllerManagerFlags.class, options);
    }

    private static WheelhouseProperties properties(String... options) {
        return bound(WheelhouseProperties.class, options);
    }

    private static <P> P bound(Class<P> type, String... options) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String option : options) {
            String[] parts = option.split("=", 2);
            map.put("wheelhouse." + parts[0], parts[1]);
        }
        return new Binder(new MapConfigurationPropertySource(map)).bindOrCreate("wheelhouse", type);
    }

    private static <G extends Options.Group> G options(G group, String... options) {
        return flags(options).controllerOptions().get(group);
    }

    @Test
    void haveUpstreamsDefaults() {
        for (Options.Group defaults : List.of(ControllerOptions.PodGc.DEFAULTS,
                ControllerOptions.Periods.DEFAULTS, ControllerOptions.Switches.DEFAULTS,
                ControllerOptions.Drivers.DEFAULTS, ControllerOptions.AttachDetach.DEFAULTS,
                HorizontalPodAutoscaler.DEFAULTS, NodeLifecycle.DEFAULTS, NodeIpam.DEFAULTS, Endpoints.DEFAULTS,
                Identity.DEFAULTS)) {
            assertThat(options(defaults)).isEqualTo(defaults);
        }
        assertThat(flags().workers()).containsEntry("daemonset-controller", 2)
                .containsEntry("garbage-collector-controller", 20).containsEntry("namespace-controller", 10);
    }

    @Test
    void reachTheControllers() {
        assertThat(options(ControllerOptions.PodGc.DEFAULTS, "terminated-pod-gc-threshold=-1").terminatedThreshold())
                .isEqualTo(-1);
        assertThat(options(ControllerOptions.Periods.DEFAULTS, "resource-quota-sync-period=6m",
                "namespace-sync-period=7m", "pvclaimbinder-sync-period=8s")).isEqualTo(new ControllerOptions.Periods(
                        Duration.ofMinutes(6), Duration.ofMinutes(7), Duration.ofSeconds(8)));
        assertThat(options(ControllerOptions.Switches.DEFAULTS, "enable-garbage-collector=false",
                "enable-dynamic-provisioning=false")).isEqualTo(new ControllerOptions.Switches(false, false));
        assertThat(options(ControllerOptions.Drivers.DEFAULTS, "enable-hostpath-provisioner=true",
                "pv-recycler-minimum-timeout-nfs=2", "pv-recycler-increment-timeout-nfs=3",
                "pv-recycler-minimum-timeout-hostpath=4", "pv-recycler-timeout-increment-hostpath=5"))
                .isEqualTo(new ControllerOptions.Drivers(true, new ControllerOptions.Recycler(2, 3),
                        new ControllerOptions.Recycler(4, 5)));
        assertThat(options(ControllerOptions.AttachDetach.DEFAULTS, "attach-detach-reconcile-sync-period=6s",
                "disable-attach-detach-reconcile-sync=true", "disable-force-detach-on-timeout=true"))
                .isEqualTo(new ControllerOptions.AttachDetach(Duration.ofSeconds(6), true, true));
        assertThat(options(HorizontalPodAutoscaler.DEFAULTS, AUTOSCALER + "sync-period=1s",
                AUTOSCALER + "downscale-stabilization=2m", AUTOSCALER + "tolerance=0.25",
                AUTOSCALER + "cpu-initialization-period=3m", AUTOSCALER + "initial-readiness-delay=4s"))
                .isEqualTo(new HorizontalPodAutoscaler(Duration.ofSeconds(1), Duration.ofMinutes(2), 0.25,
                        Duration.ofMinutes(3), Duration.ofSeconds(4)));
        assertThat(options(Identity.DEFAULTS, "cluster-signing-duration=24h",
                "legacy-service-account-token-clean-up-period=48h"))
                .isEqualTo(new Identity("", null, Map.of(), Duration.ofHours(24), Duration.ofHours(48)));
        assertThat(options(Endpoints.DEFAULTS, "endpoint-updates-batch-period=1s",
                "endpointslice-updates-batch-period=2s", "max-endpoints-per-slice=3",
                "mirroring-endpointslice-updates-batch-period=4s", "mirroring-max-endpoints-per-subset=5"))
                .isEqualTo(new Endpoints(Duration.ofSeconds(1), Duration.ofSeconds(2), 3, Duration.ofSeconds(4), 5));
        assertThat(options(NodeLifecycle.DEFAULTS, "node-monitor-period=1s", "node-startup-grace-period=2s",
                "node-monitor-grace-period=3s", "node-eviction-rate=1.5", "secondary-node-eviction-rate=0.5",
                "large-cluster-size-threshold=7", "unhealthy-zone-threshold=0.7"))
                .isEqualTo(new NodeLifecycle(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3), 1.5,
                        0.5, 7, 0.7));
        assertThat(options(NodeIpam.DEFAULTS, "allocate-node-cidrs=true", "cluster-cidr=10.4.0.0/16,fd00::/56",
                "service-cluster-ip-range=10.4.0.0/24", "node-cidr-mask-size-ipv4=25", "node-cidr-mask-size-ipv6=65"))
                .isEqualTo(new NodeIpam(true, List.of("10.4.0.0/16", "fd00::/56"), List.of("10.4.0.0/24"), 0, 25, 65));
    }

    @Test
    void theNumberOfWorkersIsThatOfTheNearestOption() {
        KnownControllers known = new KnownControllers(BuiltInControllers.all());
        var workers = known.workers(properties("workers-of.daemonset=7"), flags("concurrent-job-syncs=3"));
        assertThat(workers.of("ttl-controller", 1)).isEqualTo(1);
        assertThat(workers.of("daemonset-controller", 1)).isEqualTo(7);
        assertThat(workers.of("job-controller", null)).isEqualTo(3);
        assertThat(workers.of("job-controller", 8)).as("its flag is its default").isEqualTo(3);
        assertThat(workers.of("website-operator", null)).isEqualTo(5);
        assertThat(known.workers(properties("workers=9"), flags()).of("daemonset-controller", null)).isEqualTo(9);
        assertThatThrownBy(() -> flags("concurrent-rc-syncs=0").workers())
                .hasMessage("wheelhouse.concurrent-rc-syncs is 0: it must be a number from 1 to 1000");
    }

    /** Every flag of workers names a controller of upstream. */
    @Test
    void theControllersWithFlagsOfWorkersExist() {
        assertThat(UpstreamControllers.all()).extracting(UpstreamControllers.Upstream::name)
                .containsAll(flags().workers().keySet());
    }

    @Test
    void theElectionTakesUpstreamsNamesBeforeItsOwn() {
        ElectionProperties own = properties("leader-election.enabled=false", "leader-election.retry-period=1s")
                .leaderElection();
        assertThat(flags().election(own)).isEqualTo(own);
        assertThat(flags("leader-elect=true", "leader-elect-lease-duration=30s", "leader-elect-renew-deadline=20s",
                "leader-elect-resource-name=a", "leader-elect-resource-namespace=b").election(own))
                .isEqualTo(new ElectionProperties(true, "a", "b", Duration.ofSeconds(30), Duration.ofSeconds(20),
                        Duration.ofSeconds(1)));
    }

    @ParameterizedTest
    @CsvSource({
            "horizontal-pod-autoscaler-sync-period, 0s, is 0.0 s: it must be longer than 0 s",
            "horizontal-pod-autoscaler-sync-period, -1s, is -1.0 s: it must be longer than 0 s",
            "horizontal-pod-autoscaler-cpu-initialization-period, -1s, is -1.0 s: it must be 0 s or longer",
            "horizontal-pod-autoscaler-tolerance, -0.1, is -0.1: it must be a number from 0",
            "horizontal-pod-autoscaler-tolerance, NaN, is NaN: it must be a number from 0",
            "attach-detach-reconcile-sync-period, 500ms, is 500 ms: it must be 1000 ms or longer",
            "cluster-signing-duration, 0s, is 0.0 s: it must be longer than 0 s",
            "legacy-service-account-token-clean-up-period, -1s, is -1.0 s: it must be longer than 0 s",
            "min-resync-period, 36501d, is 36501 d: it must be 36500 d or shorter",
            "endpoint-updates-batch-period, -1s, is -1.0 s: it must be 0 s or longer",
            "endpointslice-updates-batch-period, -1s, is -1.0 s: it must be 0 s or longer",
            "mirroring-endpointslice-updates-batch-period, -1s, is -1.0 s: it must be 0 s or longer",
            "max-endpoints-per-slice, 0, is 0: it must be a number from 1 to 1000",
            "mirroring-max-endpoints-per-subset, 1001, is 1001: it must be a number from 1 to 1000",
    })
    void thatMakeNoSenseAreRefused(String option, String value, String words) {
        assertThatThrownBy(() -> flags(option + "=" + value)).rootCause()
                .hasMessage("wheelhouse." + option + " " + words);
    }

    @ParameterizedTest
    @CsvSource({
            "node-monitor-period=0s, wheelhouse.node-monitor-period is 0.0 s: it must be longer than 0 s",
            "node-eviction-rate=-1, wheelhouse.node-eviction-rate is -1.0: it must be a number from 0",
    })
    void ofNodesThatMakeNoSenseAreRefused(String option, String words) {
        assertThatThrownBy(() -> flags(option)).rootCause().hasMessage(words);
    }

    @Test
    void rangesOfNodesThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> flags("allocate-node-cidrs=true").controllerOptions()).hasMessageStartingWith(
                "the ranges of nodes: allocate-node-cidrs is set, but cluster-cidr is not");
        assertThat(options(NodeIpam.DEFAULTS, "cluster-cidr=rubbish").allocateNodeCidrs()).isFalse();
    }
}
