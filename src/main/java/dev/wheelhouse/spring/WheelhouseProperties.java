package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;

import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controllers.node.NodeIpamController;
import dev.wheelhouse.controllers.serviceaccount.ServiceAccountController;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.BuiltInControllers;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Standby;

/**
 * The options {@code wheelhouse.*}.
 *
 * @param enabled whether anything of Wheelhouse runs in this application
 * @param mode the kind of API server to use
 * @param kubeconfig the kubeconfig to use; it selects the mode {@code kubeconfig}
 * @param context the context in the kubeconfig; by default the current one
 * @param kubeApiContentType the content type of requests to an API server elsewhere, where both sides know it:
 *     {@code application/vnd.kubernetes.protobuf} or {@code application/json}
 * @param controllers the controllers to run, in the syntax of kube-controller-manager's {@code --controllers}
 * @param manage whether the controllers write if another controller manager may be at work
 * @param workers the number of workers of each controller
 * @param workersOf the numbers of workers of single controllers, by name or alias
 * @param terminatedPodGcThreshold the number of ended pods that stay; all if it is not positive
 * @param resourceQuotaSyncPeriod the time between two counts of the usage of all quotas; 0 for never
 * @param horizontalPodAutoscalerSyncPeriod the time between two syncs of one autoscaler
 * @param horizontalPodAutoscalerDownscaleStabilization the window of an autoscaler that has none of its own
 * @param horizontalPodAutoscalerTolerance the tolerance of an autoscaler that has none of its own, a fraction
 * @param horizontalPodAutoscalerCpuInitializationPeriod the time in which the CPU usage of a new pod may be left out
 * @param horizontalPodAutoscalerInitialReadinessDelay the time in which a new pod is expected to become ready
 * @param nodeMonitorPeriod the time between two looks at all nodes
 * @param nodeMonitorGracePeriod the time without a sign of life after which a node is no longer ready
 * @param nodeStartupGracePeriod the time in which a new node must report its first status
 * @param nodeEvictionRate the nodes a second whose pods are evicted in a healthy zone
 * @param secondaryNodeEvictionRate the nodes a second whose pods are evicted in a large zone that is unhealthy
 * @param largeClusterSizeThreshold the most nodes of a small zone. Nothing is evicted in a small zone that is unhealthy
 * @param unhealthyZoneThreshold the fraction of nodes that are not ready in an unhealthy zone; at least 3 nodes
 * @param allocateNodeCidrs whether nodes get ranges of addresses for their pods
 * @param clusterCidr the range of the addresses of all pods; in a dual-stack cluster one of each family
 * @param serviceClusterIpRange the ranges of the addresses of Services, which nodes do not get
 * @param nodeCidrMaskSize the prefix of a node's range; 0 for the default of its family
 * @param nodeCidrMaskSizeIpv4 the prefix of a node's range of IPv4; 0 for 24
 * @param nodeCidrMaskSizeIpv6 the prefix of a node's range of IPv6; 0 for 64
 * @param rootCaFile the file of the API server's certificate authorities, which pods get; by default those of the
 *     connection
 * @param serviceAccountPrivateKeyFile the file of the key that signs the tokens in Secrets; by default the key of the
 *     embedded API server, and elsewhere none
 * @param legacyServiceAccountTokenCleanUpPeriod the time without use after which the token of a service account in a
 *     Secret is deleted
 * @param clusterSigningCertFile the file of the authority that signs certificates; by default the authority of the
 *     embedded API server, and elsewhere none
 * @param clusterSigningKeyFile the file of the private key of that authority
 * @param clusterSigningDuration the longest life of a signed certificate
 * @param clusterSigningKubeletServingCertFile the file of the authority of the signer {@code kubelet-serving} alone
 * @param clusterSigningKubeletServingKeyFile the file of its key, for the signer {@code kubelet-serving}
 * @param clusterSigningKubeletClientCertFile the file of the authority of the signer
 *     {@code kube-apiserver-client-kubelet} alone
 * @param clusterSigningKubeletClientKeyFile the file of its key, for the signer {@code kube-apiserver-client-kubelet}
 * @param clusterSigningKubeApiserverClientCertFile the file of the authority of the signer
 *     {@code kube-apiserver-client} alone
 * @param clusterSigningKubeApiserverClientKeyFile the file of its key, for the signer {@code kube-apiserver-client}
 * @param clusterSigningLegacyUnknownCertFile the file of the authority of the signer {@code legacy-unknown} alone
 * @param clusterSigningLegacyUnknownKeyFile the file of its key, for the signer {@code legacy-unknown}
 * @param endpointUpdatesBatchPeriod the wait of Endpoints after a change of a pod, in which further changes may come
 * @param endpointsliceUpdatesBatchPeriod the wait of EndpointSlices after a change of a pod
 * @param maxEndpointsPerSlice the most endpoints of an EndpointSlice
 * @param mirroringEndpointsliceUpdatesBatchPeriod the wait of mirrored Endpoints after somebody changed an
 * EndpointSlice
 * @param mirroringMaxEndpointsPerSubset the most addresses of a subset of Endpoints that are mirrored
 * @param pvclaimbinderSyncPeriod the time between two looks at claims and volumes that are not bound
 * @param enableDynamicProvisioning whether provisioners are asked for volumes
 * @param enableHostpathProvisioner whether claims of the provisioner {@code kubernetes.io/host-path} get volumes
 * @param pvRecyclerMinimumTimeoutNfs the least time of a pod that empties an NFS volume, in seconds
 * @param pvRecyclerIncrementTimeoutNfs the seconds of a pod that empties an NFS volume, for each GiB
 * @param pvRecyclerMinimumTimeoutHostpath the least time of a pod that empties a volume on a host path, in seconds
 * @param pvRecyclerTimeoutIncrementHostpath the seconds of a pod that empties a volume on a host path, for each GiB
 * @param attachDetachReconcileSyncPeriod the time between two comparisons of attached volumes with their
 *     VolumeAttachments
 * @param disableAttachDetachReconcileSync whether attached volumes are never compared with their VolumeAttachments
 * @param disableForceDetachOnTimeout whether volumes are never detached from nodes that are not ready because time has
 *     passed
 * @param apiserver the embedded API server
 * @param nodes the hollow nodes
 * @param scheduler whether to run a scheduler; by default only on the embedded API server
 * @param node one further node, and its pod sources
 * @param informer the caches
 * @param leaderElection the election of the one process that acts
 * @param standby whether the caches run while another process leads. Warm caches let this process take over within a
 *     second; cold ones save memory and watches
 * @param webhooks how the webhook methods of operators are served
 * @param management health, metrics and the other actuator endpoints
 * @param console the console and its journal
 * @param tracing whether each sync is a Micrometer observation with its writes as children. The application brings the
 *     tracer
 */
@ConfigurationProperties(prefix = "wheelhouse", ignoreUnknownFields = false)
record WheelhouseProperties(@DefaultValue("true") boolean enabled, @DefaultValue("auto") Mode mode,
        @Nullable String kubeconfig,
        @Nullable String context,
        @DefaultValue("application/vnd.kubernetes.protobuf") String kubeApiContentType,
        @DefaultValue("*") List<String> controllers, @DefaultValue("auto") ManagerGuard.Mode manage,
        @DefaultValue("5") int workers, @DefaultValue Map<String, Integer> workersOf,
        @DefaultValue("12500") int terminatedPodGcThreshold,
        @DefaultValue("5m") Duration resourceQuotaSyncPeriod,
        @DefaultValue("15s") Duration horizontalPodAutoscalerSyncPeriod,
        @DefaultValue("5m") Duration horizontalPodAutoscalerDownscaleStabilization,
        @DefaultValue("0.1") double horizontalPodAutoscalerTolerance,
        @DefaultValue("5m") Duration horizontalPodAutoscalerCpuInitializationPeriod,
        @DefaultValue("30s") Duration horizontalPodAutoscalerInitialReadinessDelay,
        @DefaultValue("5s") Duration nodeMonitorPeriod, @DefaultValue("50s") Duration nodeMonitorGracePeriod,
        @DefaultValue("1m") Duration nodeStartupGracePeriod, @DefaultValue("0.1") double nodeEvictionRate,
        @DefaultValue("0.01") double secondaryNodeEvictionRate, @DefaultValue("50") int largeClusterSizeThreshold,
        @DefaultValue("0.55") double unhealthyZoneThreshold, @DefaultValue("false") boolean allocateNodeCidrs,
        @DefaultValue List<String> clusterCidr, @DefaultValue List<String> serviceClusterIpRange,
        @DefaultValue("0") int nodeCidrMaskSize, @DefaultValue("0") int nodeCidrMaskSizeIpv4,
        @DefaultValue("0") int nodeCidrMaskSizeIpv6,
        @Nullable String rootCaFile, @Nullable String serviceAccountPrivateKeyFile,
        @DefaultValue("8760h") Duration legacyServiceAccountTokenCleanUpPeriod,
        @Nullable String clusterSigningCertFile, @Nullable String clusterSigningKeyFile,
        @DefaultValue("8760h") Duration clusterSigningDuration,
        @Nullable String clusterSigningKubeletServingCertFile, @Nullable String clusterSigningKubeletServingKeyFile,
        @Nullable String clusterSigningKubeletClientCertFile, @Nullable String clusterSigningKubeletClientKeyFile,
        @Nullable String clusterSigningKubeApiserverClientCertFile,
        @Nullable String clusterSigningKubeApiserverClientKeyFile,
        @Nullable String clusterSigningLegacyUnknownCertFile, @Nullable String clusterSigningLegacyUnknownKeyFile,
        @DefaultValue("0s") Duration endpointUpdatesBatchPeriod,
        @DefaultValue("0s") Duration endpointsliceUpdatesBatchPeriod,
        @DefaultValue("100") int maxEndpointsPerSlice,
        @DefaultValue("0s") Duration mirroringEndpointsliceUpdatesBatchPeriod,
        @DefaultValue("1000") int mirroringMaxEndpointsPerSubset,
        @DefaultValue("15s") Duration pvclaimbinderSyncPeriod,
        @DefaultValue("true") boolean enableDynamicProvisioning,
        @DefaultValue("false") boolean enableHostpathProvisioner,
        @DefaultValue("300") int pvRecyclerMinimumTimeoutNfs, @DefaultValue("30") int pvRecyclerIncrementTimeoutNfs,
        @DefaultValue("60") int pvRecyclerMinimumTimeoutHostpath,
        @DefaultValue("30") int pvRecyclerTimeoutIncrementHostpath,
        @DefaultValue("1m") Duration attachDetachReconcileSyncPeriod,
        @DefaultValue("false") boolean disableAttachDetachReconcileSync,
        @DefaultValue("false") boolean disableForceDetachOnTimeout,
        @DefaultValue @NestedConfigurationProperty ApiServerProperties apiserver, @DefaultValue Nodes nodes,
        @Nullable Boolean scheduler, @DefaultValue @NestedConfigurationProperty NodeProperties node,
        @DefaultValue Informer informer,
        @DefaultValue @NestedConfigurationProperty ElectionProperties leaderElection,
        @DefaultValue("warm") Standby standby,
        @DefaultValue @NestedConfigurationProperty ServedWebhooks.Options webhooks,
        @DefaultValue Management management, @DefaultValue Console console,
        @DefaultValue("false") boolean tracing) {

    /** The kind of API server to use. */
    public enum Mode {
        /**
         * The server of a named kubeconfig, else of the cluster that this process runs in. Elsewhere the service starts
         * the embedded one, and other applications use {@code KUBECONFIG} or {@code ~/.kube/config}.
         */
        AUTO,
        /** An API server in this process, with hollow nodes and a scheduler. */
        EMBEDDED,
        /** The server of the named kubeconfig, else of {@code KUBECONFIG} or {@code ~/.kube/config}. */
        KUBECONFIG,
        /** The server of the cluster that this process runs in, with the pod's service account. */
        IN_CLUSTER
    }

    /**
     * @param dropLastApplied whether caches drop the annotation
     *     {@code kubectl.kubernetes.io/last-applied-configuration}
     * @param watchList whether a watch streams the initial objects into the caches, if the API server supports it
     */
    public record Informer(@DefaultValue("false") boolean dropLastApplied, @DefaultValue("false") boolean watchList) {
        InformerOptions options() {
            return InformerOptions.builder().dropLastApplied(dropLastApplied).watchList(watchList).build();
        }
    }

    /**
     * @param enabled whether the service serves the console
     * @param writable whether callers with the right to it may change controllers; by default only on the embedded API
     *     server
     * @param journal the most memory of the journal of writes; 0 for none
     */
    public record Console(@DefaultValue("true") boolean enabled, @Nullable Boolean writable,
            @DefaultValue("4MB") DataSize journal) {
        public Console {
            require(!journal.isNegative(), "wheelhouse.console.journal", journal, "a size from 0");
        }
    }

    /**
     * @param hosts host names that clients may use in addition to addresses, loopback names and the machine's name
     * @param stepDeadline the time after which liveness fails if a loop is still in the same step. It has to be longer
     *     than the longest sync of every controller
     */
    public record Management(@DefaultValue({
    }) List<String> hosts, @DefaultValue("10m") Duration stepDeadline) {
        public Management {
            requirePositive("wheelhouse.management.step-deadline", stepDeadline);
            hosts = List.copyOf(hosts);
        }
    }

    /**
     * @param count the number of hollow nodes; by default 2 on the embedded API server and 0 elsewhere
     * @param namePrefix the start of the nodes' names; a number from 1 follows
     * @param cpu the CPUs of each node, a quantity
     * @param memory the memory of each node, a quantity
     * @param pods the number of pods that each node can run
     * @param profile the behaviour of pods without annotations for it: none, slow, flaky, stuck, crashing, unpullable
     * @param storage whether to make a default StorageClass if there is no class, and hollow volumes for its claims; by
     *     default only on the embedded API server
     */
    public record Nodes(@Nullable Integer count, @DefaultValue("node-") String namePrefix,
            @DefaultValue("4") String cpu,
            @DefaultValue("8Gi") String memory, @DefaultValue("110") int pods, @DefaultValue("none") String profile,
            @Nullable Boolean storage) {
        public Nodes {
            require(count == null || (count >= 0 && count <= 3000), "wheelhouse.nodes.count", String.valueOf(count),
                    "a number from 0 to 3000");
            require(pods >= 1, "wheelhouse.nodes.pods", pods, "a number from 1");
            requireQuantity("wheelhouse.nodes.cpu", cpu);
            requireQuantity("wheelhouse.nodes.memory", memory);
        }

        private static void requireQuantity(String option, String value) {
            try {
                Quantity.fromString(value);
            } catch (QuantityFormatException e) {
                require(false, option, "\"" + value + "\"", "a quantity, such as 4, 500m or 8Gi");
            }
        }
    }

    WheelhouseProperties {
        requireWorkers("wheelhouse.workers", workers);
        workersOf = Map.copyOf(workersOf);
        try {
            ContentType.of(kubeApiContentType);
        } catch (IllegalArgumentException e) {
            throw new BadOption("wheelhouse.kube-api-content-type: " + e.getMessage());
        }
        workersOf.forEach((controller, count) -> requireWorkers("wheelhouse.workers-of." + controller, count));
        requirePositive("wheelhouse.horizontal-pod-autoscaler-sync-period", horizontalPodAutoscalerSyncPeriod);
        requireNotNegative("wheelhouse.horizontal-pod-autoscaler-downscale-stabilization",
                horizontalPodAutoscalerDownscaleStabilization);
        requireNotNegative("wheelhouse.horizontal-pod-autoscaler-cpu-initialization-period",
                horizontalPodAutoscalerCpuInitializationPeriod);
        requireNotNegative("wheelhouse.horizontal-pod-autoscaler-initial-readiness-delay",
                horizontalPodAutoscalerInitialReadinessDelay);
        require(horizontalPodAutoscalerTolerance >= 0, "wheelhouse.horizontal-pod-autoscaler-tolerance",
                horizontalPodAutoscalerTolerance, "a number from 0");
        requirePositive("wheelhouse.node-monitor-period", nodeMonitorPeriod);
        requirePositive("wheelhouse.node-monitor-grace-period", nodeMonitorGracePeriod);
        requirePositive("wheelhouse.node-startup-grace-period", nodeStartupGracePeriod);
        require(nodeEvictionRate >= 0, "wheelhouse.node-eviction-rate", nodeEvictionRate, "a number from 0");
        require(secondaryNodeEvictionRate >= 0, "wheelhouse.secondary-node-eviction-rate", secondaryNodeEvictionRate,
                "a number from 0");
        requirePositive("wheelhouse.cluster-signing-duration", clusterSigningDuration);
        requirePositive("wheelhouse.legacy-service-account-token-clean-up-period",
                legacyServiceAccountTokenCleanUpPeriod);
        requireNotNegative("wheelhouse.endpoint-updates-batch-period", endpointUpdatesBatchPeriod);
        requireNotNegative("wheelhouse.endpointslice-updates-batch-period", endpointsliceUpdatesBatchPeriod);
        requireNotNegative("wheelhouse.mirroring-endpointslice-updates-batch-period",
                mirroringEndpointsliceUpdatesBatchPeriod);
        requireEndpoints("wheelhouse.max-endpoints-per-slice", maxEndpointsPerSlice);
        requireEndpoints("wheelhouse.mirroring-max-endpoints-per-subset", mirroringMaxEndpointsPerSubset);
        requirePositive("wheelhouse.pvclaimbinder-sync-period", pvclaimbinderSyncPeriod);
        require(attachDetachReconcileSyncPeriod.compareTo(Duration.ofSeconds(1)) >= 0,
                "wheelhouse.attach-detach-reconcile-sync-period", seconds(attachDetachReconcileSyncPeriod),
                "1 s or longer");
        if (kubeconfig != null && (mode == Mode.EMBEDDED || mode == Mode.IN_CLUSTER)) {
            throw new BadOption("wheelhouse.kubeconfig is set, but wheelhouse.mode says "
                    + mode.name().toLowerCase(Locale.ROOT)
                    + ": leave out one of the two");
        }
    }

    ContentType contentType() {
        return ContentType.of(kubeApiContentType);
    }

    ControllerOptions controllerOptions() {
        return new ControllerOptions(terminatedPodGcThreshold,
                new ControllerOptions.HorizontalPodAutoscaler(horizontalPodAutoscalerSyncPeriod,
                        horizontalPodAutoscalerDownscaleStabilization, horizontalPodAutoscalerTolerance,
                        horizontalPodAutoscalerCpuInitializationPeriod,
                        horizontalPodAutoscalerInitialReadinessDelay),
                new ControllerOptions.NodeLifecycle(nodeMonitorPeriod, nodeStartupGracePeriod, nodeMonitorGracePeriod,
                        nodeEvictionRate, secondaryNodeEvictionRate, largeClusterSizeThreshold,
                        unhealthyZoneThreshold),
                nodeIpam(), new ControllerOptions.Endpoints(endpointUpdatesBatchPeriod, endpointsliceUpdatesBatchPeriod,
                        maxEndpointsPerSlice, mirroringEndpointsliceUpdatesBatchPeriod,
                        mirroringMaxEndpointsPerSubset),
                new ControllerOptions.Identity("", null, Map.of(), clusterSigningDuration,
                        legacyServiceAccountTokenCleanUpPeriod),
                resourceQuotaSyncPeriod,
                new ControllerOptions.Storage(pvclaimbinderSyncPeriod, enableDynamicProvisioning,
                        enableHostpathProvisioner,
                        new ControllerOptions.Recycler(pvRecyclerMinimumTimeoutNfs, pvRecyclerIncrementTimeoutNfs),
                        new ControllerOptions.Recycler(pvRecyclerMinimumTimeoutHostpath,
                                pvRecyclerTimeoutIncrementHostpath),
                        new ControllerOptions.AttachDetach(attachDetachReconcileSyncPeriod,
                                disableAttachDetachReconcileSync, disableForceDetachOnTimeout)));
    }

    private ControllerOptions.NodeIpam nodeIpam() {
        ControllerOptions.NodeIpam options = new ControllerOptions.NodeIpam(allocateNodeCidrs, clusterCidr,
                serviceClusterIpRange, nodeCidrMaskSize, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6);
        try {
            NodeIpamController.check(options);
            return options;
        } catch (IllegalArgumentException e) {
            throw new BadOption("the ranges of nodes: " + e.getMessage());
        }
    }

    /**
     * Whether this process makes the service accounts that pods need.
     *
     * @param service whether the built-in controllers run by default
     */
    boolean runsServiceAccounts(boolean service) {
        return BuiltInControllers.all().stream().filter(d -> d.name().equals(ServiceAccountController.NAME))
                .anyMatch(controller -> ControllerSelection.isSelected(controller, controllers, service));
    }

    private static void requireWorkers(String option, int count) {
        require(count >= 1 && count <= 1000, option, count, "a number from 1 to 1000");
    }

    private static void requireEndpoints(String option, int count) {
        require(count >= 1 && count <= 1000, option, count, "a number from 1 to 1000");
    }

    private static void requirePositive(String option, Duration time) {
        require(time.isPositive(), option, seconds(time), "longer than 0 s");
    }

    private static void requireNotNegative(String option, Duration time) {
        require(!time.isNegative(), option, seconds(time), "0 s or longer");
    }

    private static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    private static void require(boolean good, String option, Object value, String wanted) {
        if (!good) {
            throw new BadOption(option + " is " + value + ": it must be " + wanted);
        }
    }

    /**
     * The mode; {@code auto} is replaced by the mode that it selects.
     * @param inCluster whether this process runs in a pod
     * @param otherwise the mode outside of a pod, without a named kubeconfig
     */
    Mode effectiveMode(boolean inCluster, Mode otherwise) {
        if (mode != Mode.AUTO) {
            return mode;
        }
        return kubeconfig != null || context != null ? Mode.KUBECONFIG : inCluster ? Mode.IN_CLUSTER : otherwise;
    }
}
