package dev.wheelhouse.controllers;

import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.controller.Options;
import dev.wheelhouse.pki.SigningAuthority;

/**
 * The options of the built-in controllers, with the names and defaults of kube-controller-manager's flags (upstream:
 * {@code cmd/kube-controller-manager/app/options}).
 */
public final class ControllerOptions {
    private ControllerOptions() {}

    /**
     * The options of the pod garbage collector.
     *
     * @param terminatedThreshold the number of ended pods that it keeps; all if not positive
     */
    public record PodGc(int terminatedThreshold) implements Options.Group {
        /** Upstream's default. */
        public static final PodGc DEFAULTS = new PodGc(12_500);
    }

    /**
     * The times between two looks of controllers at all of their objects.
     *
     * @param resourceQuotaSyncPeriod between two counts of the usage of all quotas; never if not positive
     * @param namespaceSyncPeriod between two looks at all namespaces
     * @param claimBinderSyncPeriod between two looks at all volumes and their claims
     */
    public record Periods(Duration resourceQuotaSyncPeriod, Duration namespaceSyncPeriod,
            Duration claimBinderSyncPeriod) implements Options.Group {
        /** Upstream's defaults. */
        public static final Periods DEFAULTS = new Periods(Duration.ofMinutes(5), Duration.ofMinutes(5),
                Duration.ofSeconds(15));
    }

    /**
     * The parts of controllers that can be turned off.
     *
     * @param garbageCollector whether the garbage collector runs
     * @param dynamicProvisioning whether claims get volumes that are made for them
     */
    public record Switches(boolean garbageCollector, boolean dynamicProvisioning) implements Options.Group {
        /** Upstream's defaults. */
        public static final Switches DEFAULTS = new Switches(true, true);
    }

    /**
     * The options of the controllers of service accounts and certificates.
     *
     * @param rootCa the certificate authorities of the API server, PEM; empty if there are none
     * @param tokenKeys sign the tokens in Secrets; null for no such tokens. Supplied when the first token is made
     * @param signers the authorities of the signers, by the signer's name, such as
     *     {@code kubernetes.io/kubelet-serving}. A signer without an authority signs nothing. Each signature asks its
     *     supplier again, which throws an unchecked exception if it cannot read the authority
     * @param clusterSigningDuration the longest life of a signed certificate
     * @param legacyTokenCleanUpPeriod the time without use after which the token of an account in a Secret is deleted
     */
    public record Identity(String rootCa, @Nullable Supplier<KeyPair> tokenKeys,
            Map<String, Supplier<SigningAuthority>> signers, Duration clusterSigningDuration,
            Duration legacyTokenCleanUpPeriod) implements Options.Group {
        private static final Duration YEAR = Duration.ofDays(365);

        /** Upstream's defaults: no certificates and keys. */
        public static final Identity DEFAULTS = new Identity("", null, Map.of(), YEAR, YEAR);

        public Identity {
            signers = Map.copyOf(signers);
        }

        /** These options with the certificates of an API server and the keys of its tokens. */
        public Identity with(String authorities, Supplier<KeyPair> keys) {
            return new Identity(authorities, keys, signers, clusterSigningDuration, legacyTokenCleanUpPeriod);
        }
    }

    /**
     * The options of the controllers of Endpoints and EndpointSlices. After a change they wait for a batch period, in
     * which further changes come.
     *
     * @param updatesBatchPeriod the wait of Endpoints after a change of a pod
     * @param sliceUpdatesBatchPeriod the wait of slices after a change of a pod
     * @param maxPerSlice the most endpoints of a slice
     * @param mirroringUpdatesBatchPeriod the wait of mirrored Endpoints after somebody changed a slice
     * @param mirroringMaxPerSubset the most addresses of a subset that are mirrored
     */
    public record Endpoints(Duration updatesBatchPeriod, Duration sliceUpdatesBatchPeriod, int maxPerSlice,
            Duration mirroringUpdatesBatchPeriod, int mirroringMaxPerSubset) implements Options.Group {
        /** Upstream's defaults. */
        public static final Endpoints DEFAULTS = new Endpoints(Duration.ZERO, Duration.ZERO, 100, Duration.ZERO, 1000);
    }

    /**
     * The options of the controller of autoscalers.
     *
     * @param syncPeriod the time between two syncs of one autoscaler
     * @param downscaleStabilization the window in which the highest recommendation counts, unless the autoscaler has
     *     one of its own
     * @param tolerance the fraction by which the usage may differ from the target without a change of the replicas,
     *     unless the autoscaler has one of its own
     * @param cpuInitializationPeriod the time after a pod's start in which its CPU usage counts only if it was measured
     *     while the pod was ready
     * @param initialReadinessDelay a pod that became unready within this time after its start has never been ready
     */
    public record HorizontalPodAutoscaler(Duration syncPeriod, Duration downscaleStabilization, double tolerance,
            Duration cpuInitializationPeriod, Duration initialReadinessDelay) implements Options.Group {
        /** Upstream's defaults. */
        public static final HorizontalPodAutoscaler DEFAULTS = new HorizontalPodAutoscaler(Duration.ofSeconds(15),
                Duration.ofMinutes(5), 0.1, Duration.ofMinutes(5), Duration.ofSeconds(30));
    }

    /**
     * The options of the node lifecycle controller.
     *
     * @param monitorPeriod the time between two looks at all nodes
     * @param startupGracePeriod the time in which a new node must report its first status
     * @param monitorGracePeriod the time without a sign of life after which a node is no longer ready
     * @param evictionRate the nodes a second that are tainted in a healthy zone, so that their pods are evicted
     * @param secondaryEvictionRate the same in a large zone that is unhealthy. In a small one it is 0
     * @param largeClusterSizeThreshold the most nodes of a small zone
     * @param unhealthyZoneThreshold the fraction of nodes that are not ready in an unhealthy zone; at least 3 nodes
     */
    public record NodeLifecycle(Duration monitorPeriod, Duration startupGracePeriod, Duration monitorGracePeriod,
            double evictionRate, double secondaryEvictionRate, int largeClusterSizeThreshold,
            double unhealthyZoneThreshold) implements Options.Group {
        /** Upstream's defaults. */
        public static final NodeLifecycle DEFAULTS = new NodeLifecycle(Duration.ofSeconds(5), Duration.ofMinutes(1),
                Duration.ofSeconds(50), 0.1, 0.01, 50, 0.55);
    }

    /**
     * The options of the controller that gives nodes ranges of addresses for their pods.
     *
     * @param allocateNodeCidrs whether it does
     * @param clusterCidr the range of all pods; in a dual-stack cluster one of each family
     * @param serviceClusterIpRange the ranges of Services, which nodes do not get
     * @param nodeCidrMaskSize the prefix of a node's range; 0 for the default of the family
     * @param nodeCidrMaskSizeIpv4 the prefix for IPv4; 0 for 24
     * @param nodeCidrMaskSizeIpv6 the prefix for IPv6; 0 for 64
     */
    public record NodeIpam(boolean allocateNodeCidrs, List<String> clusterCidr, List<String> serviceClusterIpRange,
            int nodeCidrMaskSize, int nodeCidrMaskSizeIpv4, int nodeCidrMaskSizeIpv6) implements Options.Group {
        /** Upstream's defaults. */
        public static final NodeIpam DEFAULTS = new NodeIpam(false, List.of(), List.of(), 0, 0, 0);

        public NodeIpam {
            clusterCidr = List.copyOf(clusterCidr);
            serviceClusterIpRange = List.copyOf(serviceClusterIpRange);
        }
    }

    /**
     * The options of the driver of host paths, and of pods that empty volumes.
     *
     * @param hostPathProvisioner whether claims of the provisioner {@code kubernetes.io/host-path} get volumes
     * @param nfs the times of pods that empty NFS volumes
     * @param hostPath the times of pods that empty volumes on host paths
     */
    public record Drivers(boolean hostPathProvisioner, Recycler nfs, Recycler hostPath) implements Options.Group {
        /** Upstream's defaults. */
        public static final Drivers DEFAULTS = new Drivers(false, new Recycler(300, 30), new Recycler(60, 30));
    }

    /**
     * The time that a pod has to empty a volume.
     *
     * @param minimumTimeout the least time in seconds
     * @param increment the seconds for each GiB of the volume
     */
    public record Recycler(int minimumTimeout, int increment) {}

    /**
     * The options of the controller that attaches volumes to nodes.
     *
     * @param reconcileSyncPeriod the time between two comparisons of attached volumes with their VolumeAttachments
     * @param disableReconcileSync whether they are never compared
     * @param disableForceDetachOnTimeout whether volumes are never detached from nodes that are not ready because time
     *     has passed
     */
    public record AttachDetach(Duration reconcileSyncPeriod, boolean disableReconcileSync,
            boolean disableForceDetachOnTimeout) implements Options.Group {
        /** Upstream's defaults. */
        public static final AttachDetach DEFAULTS = new AttachDetach(Duration.ofMinutes(1), false, false);
    }
}
