package dev.wheelhouse.world;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.runtime.Durations;

/** The options of the controllers by the names of kube-controller-manager's flags, without hyphens in front. */
public record FlagsOfControllers(Map<String, String> flags) {
    /** All options, with the flags that transcripts and recordings need; {@code root-ca} has certificates. */
    public static Options options(Map<String, String> flags) {
        return new FlagsOfControllers(flags).options();
    }

    private Options options() {
        ControllerOptions.NodeLifecycle life = ControllerOptions.NodeLifecycle.DEFAULTS;
        var scaling = ControllerOptions.HorizontalPodAutoscaler.DEFAULTS;
        ControllerOptions.Endpoints endpoints = ControllerOptions.Endpoints.DEFAULTS;
        return Authorities.options(flags.getOrDefault("root-ca", Authorities.ROOT))
                .with(new ControllerOptions.NodeIpam(is("allocate-node-cidrs"), list("cluster-cidr"),
                        list("service-cluster-ip-range"), number("node-cidr-mask-size", 0),
                        number("node-cidr-mask-size-ipv4", 0), number("node-cidr-mask-size-ipv6", 0)))
                .with(new ControllerOptions.NodeLifecycle(time("node-monitor-period", life.monitorPeriod()),
                        time("node-startup-grace-period", life.startupGracePeriod()),
                        time("node-monitor-grace-period", life.monitorGracePeriod()),
                        decimal("node-eviction-rate", life.evictionRate()),
                        decimal("secondary-node-eviction-rate", life.secondaryEvictionRate()),
                        number("large-cluster-size-threshold", life.largeClusterSizeThreshold()),
                        decimal("unhealthy-zone-threshold", life.unhealthyZoneThreshold())))
                .with(new ControllerOptions.PodGc(number("terminated-pod-gc-threshold",
                        ControllerOptions.PodGc.DEFAULTS.terminatedThreshold())))
                .with(new ControllerOptions.Drivers(is("enable-hostpath-provisioner"),
                        ControllerOptions.Drivers.DEFAULTS.nfs(), ControllerOptions.Drivers.DEFAULTS.hostPath()))
                .with(new ControllerOptions.Endpoints(endpoints.updatesBatchPeriod(),
                        time("endpointslice-updates-batch-period", endpoints.sliceUpdatesBatchPeriod()),
                        number("max-endpoints-per-slice", endpoints.maxPerSlice()),
                        endpoints.mirroringUpdatesBatchPeriod(),
                        number("mirroring-max-endpoints-per-subset", endpoints.mirroringMaxPerSubset())))
                .with(new ControllerOptions.HorizontalPodAutoscaler(
                        time("horizontal-pod-autoscaler-sync-period", scaling.syncPeriod()),
                        time("horizontal-pod-autoscaler-downscale-stabilization", scaling.downscaleStabilization()),
                        decimal("horizontal-pod-autoscaler-tolerance", scaling.tolerance()),
                        scaling.cpuInitializationPeriod(), scaling.initialReadinessDelay()))
                .with(new ControllerOptions.AttachDetach(ControllerOptions.AttachDetach.DEFAULTS.reconcileSyncPeriod(),
                        false, is("disable-force-detach-on-timeout")));
    }

    private boolean is(String flag) {
        return Boolean.parseBoolean(flags.get(flag));
    }

    private Duration time(String flag, Duration otherwise) {
        Duration time = Durations.parse(flags.getOrDefault(flag, ""));
        return time == null ? otherwise : time;
    }

    private List<String> list(String flag) {
        return flags.containsKey(flag) ? List.of(flags.get(flag).split(",", -1)) : List.of();
    }

    private int number(String flag, int otherwise) {
        return Integer.parseInt(flags.getOrDefault(flag, otherwise + ""));
    }

    private double decimal(String flag, double otherwise) {
        return Double.parseDouble(flags.getOrDefault(flag, otherwise + ""));
    }
}
