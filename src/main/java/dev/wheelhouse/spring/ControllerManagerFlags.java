package dev.wheelhouse.spring;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.node.NodeIpamController;

/**
 * The flags of kube-controller-manager that change the work of the controllers, as {@code wheelhouse.FLAG}, with
 * upstream's defaults (upstream: {@code cmd/kube-controller-manager/app/options}). {@link UpstreamFlags} has all flags.
 *
 * @param kubeApiContentType the content type of requests to an API server elsewhere, where both sides know it:
 *     {@code application/vnd.kubernetes.protobuf} or {@code application/json}
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
 *     EndpointSlice
 * @param mirroringMaxEndpointsPerSubset the most addresses of a subset of Endpoints that are mirrored
 * @param concurrentDeploymentSyncs the number of workers of the deployment-controller
 * @param concurrentReplicasetSyncs the number of workers of the replicaset-controller
 * @param concurrentRcSyncs the number of workers of the replicationcontroller-controller
 * @param concurrentStatefulsetSyncs the number of workers of the statefulset-controller
 * @param concurrentDaemonsetSyncs the number of workers of the daemonset-controller
 * @param concurrentJobSyncs the number of workers of the job-controller
 * @param concurrentCronJobSyncs the number of workers of the cronjob-controller
 * @param concurrentTtlAfterFinishedSyncs the number of workers of the ttl-after-finished-controller
 * @param concurrentHorizontalPodAutoscalerSyncs the number of workers of the horizontal-pod-autoscaler-controller
 * @param concurrentGcSyncs the number of workers of the garbage-collector-controller
 * @param concurrentNamespaceSyncs the number of workers of the namespace-controller
 * @param concurrentResourceQuotaSyncs the number of workers of the resourcequota-controller
 * @param concurrentServiceaccountTokenSyncs the number of workers of the serviceaccount-token-controller
 * @param concurrentEndpointSyncs the number of workers of the endpoints-controller
 * @param concurrentServiceEndpointSyncs the number of workers of the endpointslice-controller
 * @param mirroringConcurrentServiceEndpointSyncs the number of workers of the endpointslice-mirroring-controller
 * @param concurrentEphemeralvolumeSyncs the number of workers of the ephemeral-volume-controller
 * @param concurrentResourceclaimSyncs the number of workers of the resourceclaim-controller
 * @param concurrentDeviceTaintEvictionSyncs the number of workers of the device-taint-eviction-controller
 * @param concurrentValidatingAdmissionPolicyStatusSyncs the number of workers of the
 *     validatingadmissionpolicy-status-controller
 * @param kubeApiQps the requests a second of each controller. Without a number above 0 there is no limit: the API
 *     server's own limits share it out among its clients
 * @param kubeApiBurst the requests of a controller at once before its limit counts; 0 counts as 10
 * @param useServiceAccountCredentials whether each controller uses the service account in {@code kube-system} that
 *     upstream's has, and makes it if it is missing. Lists, watches and the election stay with this process's account
 * @param minResyncPeriod the least time until handlers see all cached objects again; the longest is twice that. 0 for
 *     never
 * @param enableGarbageCollector whether the garbage collector runs
 * @param enableDynamicProvisioning whether claims without a fitting volume get one from the provisioner of their class
 * @param namespaceSyncPeriod the time between two looks at all namespaces; 0 for never
 * @param pvclaimbinderSyncPeriod the time between two looks at all volumes and claims
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
 * @param leaderElect the same as {@code wheelhouse.leader-election.enabled}
 * @param leaderElectLeaseDuration the same as {@code wheelhouse.leader-election.lease-duration}
 * @param leaderElectRenewDeadline the same as {@code wheelhouse.leader-election.renew-deadline}
 * @param leaderElectRetryPeriod the same as {@code wheelhouse.leader-election.retry-period}
 * @param leaderElectResourceName the same as {@code wheelhouse.leader-election.resource-name}
 * @param leaderElectResourceNamespace the same as {@code wheelhouse.leader-election.resource-namespace}
 */
@ConfigurationProperties("wheelhouse")
record ControllerManagerFlags(@DefaultValue("application/vnd.kubernetes.protobuf") String kubeApiContentType,
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
        @WorkersOf("deployment") @DefaultValue("5") int concurrentDeploymentSyncs,
        @WorkersOf("replicaset") @DefaultValue("5") int concurrentReplicasetSyncs,
        @WorkersOf("replicationcontroller") @DefaultValue("5") int concurrentRcSyncs,
        @WorkersOf("statefulset") @DefaultValue("5") int concurrentStatefulsetSyncs,
        @WorkersOf("daemonset") @DefaultValue("2") int concurrentDaemonsetSyncs,
        @WorkersOf("job") @DefaultValue("5") int concurrentJobSyncs,
        @WorkersOf("cronjob") @DefaultValue("5") int concurrentCronJobSyncs,
        @WorkersOf("ttl-after-finished") @DefaultValue("5") int concurrentTtlAfterFinishedSyncs,
        @WorkersOf("horizontal-pod-autoscaler") @DefaultValue("5") int concurrentHorizontalPodAutoscalerSyncs,
        @WorkersOf("garbage-collector") @DefaultValue("20") int concurrentGcSyncs,
        @WorkersOf("namespace") @DefaultValue("10") int concurrentNamespaceSyncs,
        @WorkersOf("resourcequota") @DefaultValue("5") int concurrentResourceQuotaSyncs,
        @WorkersOf("serviceaccount-token") @DefaultValue("5") int concurrentServiceaccountTokenSyncs,
        @WorkersOf("endpoints") @DefaultValue("5") int concurrentEndpointSyncs,
        @WorkersOf("endpointslice") @DefaultValue("5") int concurrentServiceEndpointSyncs,
        @WorkersOf("endpointslice-mirroring") @DefaultValue("5") int mirroringConcurrentServiceEndpointSyncs,
        @WorkersOf("ephemeral-volume") @DefaultValue("5") int concurrentEphemeralvolumeSyncs,
        @WorkersOf("resourceclaim") @DefaultValue("50") int concurrentResourceclaimSyncs,
        @WorkersOf("device-taint-eviction") @DefaultValue("8") int concurrentDeviceTaintEvictionSyncs,
        @WorkersOf(WorkersOf.POLICY_STATUS) @DefaultValue("5") int concurrentValidatingAdmissionPolicyStatusSyncs,
        @DefaultValue("0") double kubeApiQps, @DefaultValue("30") int kubeApiBurst,
        @DefaultValue("false") boolean useServiceAccountCredentials,
        @DefaultValue("12h") Duration minResyncPeriod, @DefaultValue("true") boolean enableGarbageCollector,
        @DefaultValue("true") boolean enableDynamicProvisioning, @DefaultValue("5m") Duration namespaceSyncPeriod,
        @DefaultValue("15s") Duration pvclaimbinderSyncPeriod,
        @DefaultValue("false") boolean enableHostpathProvisioner,
        @DefaultValue("300") int pvRecyclerMinimumTimeoutNfs, @DefaultValue("30") int pvRecyclerIncrementTimeoutNfs,
        @DefaultValue("60") int pvRecyclerMinimumTimeoutHostpath,
        @DefaultValue("30") int pvRecyclerTimeoutIncrementHostpath,
        @DefaultValue("1m") Duration attachDetachReconcileSyncPeriod,
        @DefaultValue("false") boolean disableAttachDetachReconcileSync,
        @DefaultValue("false") boolean disableForceDetachOnTimeout, @Nullable Boolean leaderElect,
        @Nullable Duration leaderElectLeaseDuration, @Nullable Duration leaderElectRenewDeadline,
        @Nullable Duration leaderElectRetryPeriod, @Nullable String leaderElectResourceName,
        @Nullable String leaderElectResourceNamespace) {
    ControllerManagerFlags {
        try {
            ContentType.of(kubeApiContentType);
        } catch (IllegalArgumentException e) {
            throw new BadOption("wheelhouse.kube-api-content-type: " + e.getMessage());
        }
        BadOption.requirePositive("wheelhouse.horizontal-pod-autoscaler-sync-period",
                horizontalPodAutoscalerSyncPeriod);
        BadOption.requireNotNegative("wheelhouse.horizontal-pod-autoscaler-downscale-stabilization",
                horizontalPodAutoscalerDownscaleStabilization);
        BadOption.requireNotNegative("wheelhouse.horizontal-pod-autoscaler-cpu-initialization-period",
                horizontalPodAutoscalerCpuInitializationPeriod);
        BadOption.requireNotNegative("wheelhouse.horizontal-pod-autoscaler-initial-readiness-delay",
                horizontalPodAutoscalerInitialReadinessDelay);
        BadOption.require(horizontalPodAutoscalerTolerance >= 0, "wheelhouse.horizontal-pod-autoscaler-tolerance",
                horizontalPodAutoscalerTolerance, "a number from 0");
        BadOption.requirePositive("wheelhouse.node-monitor-period", nodeMonitorPeriod);
        BadOption.requirePositive("wheelhouse.node-monitor-grace-period", nodeMonitorGracePeriod);
        BadOption.requirePositive("wheelhouse.node-startup-grace-period", nodeStartupGracePeriod);
        BadOption.require(nodeEvictionRate >= 0, "wheelhouse.node-eviction-rate", nodeEvictionRate, "a number from 0");
        BadOption.require(secondaryNodeEvictionRate >= 0, "wheelhouse.secondary-node-eviction-rate",
                secondaryNodeEvictionRate,
                "a number from 0");
        BadOption.requirePositive("wheelhouse.cluster-signing-duration", clusterSigningDuration);
        BadOption.requirePositive("wheelhouse.legacy-service-account-token-clean-up-period",
                legacyServiceAccountTokenCleanUpPeriod);
        BadOption.requireNotNegative("wheelhouse.endpoint-updates-batch-period", endpointUpdatesBatchPeriod);
        BadOption.requireNotNegative("wheelhouse.endpointslice-updates-batch-period", endpointsliceUpdatesBatchPeriod);
        BadOption.requireNotNegative("wheelhouse.mirroring-endpointslice-updates-batch-period",
                mirroringEndpointsliceUpdatesBatchPeriod);
        BadOption.requireFromOne("wheelhouse.max-endpoints-per-slice", maxEndpointsPerSlice);
        BadOption.requireFromOne("wheelhouse.mirroring-max-endpoints-per-subset", mirroringMaxEndpointsPerSubset);
        BadOption.requirePositive("wheelhouse.pvclaimbinder-sync-period", pvclaimbinderSyncPeriod);
        BadOption.require(attachDetachReconcileSyncPeriod.compareTo(Duration.ofSeconds(1)) >= 0,
                "wheelhouse.attach-detach-reconcile-sync-period", attachDetachReconcileSyncPeriod.toMillis() + " ms",
                "1000 ms or longer");
        BadOption.requireNotNegative("wheelhouse.namespace-sync-period", namespaceSyncPeriod);
        BadOption.requireNotNegative("wheelhouse.min-resync-period", minResyncPeriod);
        BadOption.require(minResyncPeriod.toDays() <= 36_500, "wheelhouse.min-resync-period",
                minResyncPeriod.toDays() + " d", "36500 d or shorter");
        BadOption.require(kubeApiBurst >= 0, "wheelhouse.kube-api-burst", kubeApiBurst, "0 or more");
    }

    ContentType contentType() {
        return ContentType.of(kubeApiContentType);
    }

    /** The options of the controllers, without certificates and keys. */
    Options controllerOptions() {
        return Options.DEFAULTS.with(new ControllerOptions.PodGc(terminatedPodGcThreshold),
                new ControllerOptions.Periods(resourceQuotaSyncPeriod, namespaceSyncPeriod, pvclaimbinderSyncPeriod),
                new ControllerOptions.Switches(enableGarbageCollector, enableDynamicProvisioning),
                new ControllerOptions.HorizontalPodAutoscaler(horizontalPodAutoscalerSyncPeriod,
                        horizontalPodAutoscalerDownscaleStabilization, horizontalPodAutoscalerTolerance,
                        horizontalPodAutoscalerCpuInitializationPeriod,
                        horizontalPodAutoscalerInitialReadinessDelay),
                new ControllerOptions.NodeLifecycle(nodeMonitorPeriod, nodeStartupGracePeriod, nodeMonitorGracePeriod,
                        nodeEvictionRate, secondaryNodeEvictionRate, largeClusterSizeThreshold,
                        unhealthyZoneThreshold),
                nodeIpam(),
                new ControllerOptions.Drivers(enableHostpathProvisioner,
                        new ControllerOptions.Recycler(pvRecyclerMinimumTimeoutNfs, pvRecyclerIncrementTimeoutNfs),
                        new ControllerOptions.Recycler(pvRecyclerMinimumTimeoutHostpath,
                                pvRecyclerTimeoutIncrementHostpath)),
                new ControllerOptions.AttachDetach(attachDetachReconcileSyncPeriod, disableAttachDetachReconcileSync,
                        disableForceDetachOnTimeout),
                new ControllerOptions.Endpoints(endpointUpdatesBatchPeriod, endpointsliceUpdatesBatchPeriod,
                        maxEndpointsPerSlice, mirroringEndpointsliceUpdatesBatchPeriod,
                        mirroringMaxEndpointsPerSubset),
                new ControllerOptions.Identity("", null, Map.of(), clusterSigningDuration,
                        legacyServiceAccountTokenCleanUpPeriod));
    }

    private ControllerOptions.NodeIpam nodeIpam() {
        ControllerOptions.NodeIpam options = new ControllerOptions.NodeIpam(allocateNodeCidrs, clusterCidr,
                serviceClusterIpRange, nodeCidrMaskSize, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6);
        return BadOption.checked("the ranges of nodes: ", () -> {
            NodeIpamController.check(options);
            return options;
        });
    }

    /** The numbers of workers of the controllers whose flags say them, by the controller's name. */
    Map<String, Integer> workers() {
        Map<String, Integer> workers = new HashMap<>();
        for (RecordComponent flag : ControllerManagerFlags.class.getRecordComponents()) {
            WorkersOf controller = flag.getAnnotation(WorkersOf.class);
            if (controller != null) {
                int count = count(flag);
                BadOption.requireFromOne("wheelhouse." + DataObjectPropertyName.toDashedForm(flag.getName()), count);
                workers.put(controller.value() + "-controller", count);
            }
        }
        return workers;
    }

    private int count(RecordComponent flag) {
        try {
            return (int) flag.getAccessor().invoke(this);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The options of the election; a flag counts before the option that means the same. */
    ElectionProperties election(ElectionProperties others) {
        return new ElectionProperties(leaderElect != null ? leaderElect : others.enabled(),
                leaderElectResourceName != null ? leaderElectResourceName : others.resourceName(),
                leaderElectResourceNamespace != null ? leaderElectResourceNamespace : others.resourceNamespace(),
                leaderElectLeaseDuration != null ? leaderElectLeaseDuration : others.leaseDuration(),
                leaderElectRenewDeadline != null ? leaderElectRenewDeadline : others.renewDeadline(),
                leaderElectRetryPeriod != null ? leaderElectRetryPeriod : others.retryPeriod());
    }
}
