package dev.wheelhouse.manager;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.attach.AttachDetachController;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.controllers.bootstrap.BootstrapSigner;
import dev.wheelhouse.controllers.bootstrap.TokenCleaner;
import dev.wheelhouse.controllers.certificates.RequestApprover;
import dev.wheelhouse.controllers.certificates.RequestCleaner;
import dev.wheelhouse.controllers.certificates.RequestSigner;
import dev.wheelhouse.controllers.certificates.RootCaPublisher;
import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.controllers.daemonset.DaemonSetController;
import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;
import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.controllers.job.TtlAfterFinishedController;
import dev.wheelhouse.controllers.namespace.NamespaceController;
import dev.wheelhouse.controllers.node.NodeIpamController;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.controllers.node.TtlController;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;
import dev.wheelhouse.controllers.policy.PolicyStatusController;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.controllers.rbac.RoleAggregator;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.controllers.service.EndpointSliceController;
import dev.wheelhouse.controllers.service.EndpointSliceMirroringController;
import dev.wheelhouse.controllers.service.EndpointsController;
import dev.wheelhouse.controllers.serviceaccount.LegacyTokenCleaner;
import dev.wheelhouse.controllers.serviceaccount.ServiceAccountController;
import dev.wheelhouse.controllers.serviceaccount.TokenController;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;
import dev.wheelhouse.controllers.statefulset.StatefulSetController;
import dev.wheelhouse.controllers.volume.AttributesClassProtectionController;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.EphemeralVolumeController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.controllers.volume.VolumeExpander;
import dev.wheelhouse.controllers.volume.VolumeProtectionController;

/** The controllers that Wheelhouse contains, with upstream's names and aliases. */
public final class BuiltInControllers {
    private static final List<ControllerDescriptor> ALL = List.of(
            new ControllerDescriptor(AttachDetachController.NAME, Set.of("attachdetach"), AttachDetachController::new),
            new ControllerDescriptor(AttributesClassProtectionController.NAME, Set.of(), "a controller of Wheelhouse",
                    Set.of(ResourceType.VOLUME_ATTRIBUTES_CLASSES), true, AttributesClassProtectionController::new),
            new ControllerDescriptor(AutoscalerController.NAME, Set.of("horizontalpodautoscaling"),
                    AutoscalerController::new).sharded(),
            new ControllerDescriptor(BootstrapSigner.NAME, Set.of("bootstrapsigner"), BootstrapSigner::new),
            new ControllerDescriptor(ClaimProtectionController.NAME, Set.of("pvc-protection"),
                    ClaimProtectionController::new).sharded(),
            new ControllerDescriptor(CronJobController.NAME, Set.of("cronjob"), CronJobController::new).sharded(),
            new ControllerDescriptor(DaemonSetController.NAME, Set.of("daemonset"), DaemonSetController::new).sharded(),
            new ControllerDescriptor(DeploymentController.NAME, Set.of("deployment"), DeploymentController::new)
                    .sharded(),
            new ControllerDescriptor(RequestApprover.NAME, Set.of("csrapproving"), RequestApprover::new),
            new ControllerDescriptor(RequestCleaner.NAME, Set.of("csrcleaner"), RequestCleaner::new),
            new ControllerDescriptor(RequestSigner.NAME, Set.of("csrsigning"), RequestSigner::new),
            new ControllerDescriptor(DeviceTaintEvictionController.NAME, Set.of(), "a controller of Wheelhouse",
                    Set.of(ResourceClaimController.CLAIMS, DeviceTaintEvictionController.SLICES), true,
                    DeviceTaintEvictionController::new),
            new ControllerDescriptor(DisruptionController.NAME, Set.of("disruption"), DisruptionController::new)
                    .sharded(),
            new ControllerDescriptor(EndpointsController.NAME, Set.of("endpoint"), EndpointsController::new).sharded(),
            new ControllerDescriptor(EndpointSliceController.NAME, Set.of("endpointslice"),
                    EndpointSliceController::new).sharded(),
            new ControllerDescriptor(EndpointSliceMirroringController.NAME, Set.of("endpointslicemirroring"),
                    EndpointSliceMirroringController::new).sharded(),
            new ControllerDescriptor(EphemeralVolumeController.NAME, Set.of("ephemeral-volume"),
                    EphemeralVolumeController::new).sharded(),
            new ControllerDescriptor(GarbageCollector.NAME, Set.of("garbagecollector"), GarbageCollector::of),
            new ControllerDescriptor(JobController.NAME, Set.of("job"), JobController::new).sharded(),
            new ControllerDescriptor(LegacyTokenCleaner.NAME, Set.of("legacy-service-account-token-cleaner"),
                    LegacyTokenCleaner::new),
            new ControllerDescriptor(NamespaceController.NAME, Set.of("namespace"), NamespaceController::new),
            new ControllerDescriptor(NodeIpamController.NAME, Set.of("nodeipam"), NodeIpamController::of),
            new ControllerDescriptor(NodeLifecycleController.NAME, Set.of("nodelifecycle"),
                    NodeLifecycleController::new),
            new ControllerDescriptor(PodGarbageCollector.NAME, Set.of("podgc"), PodGarbageCollector::new),
            new ControllerDescriptor(PolicyStatusController.NAME, Set.of(), PolicyStatusController::new),
            new ControllerDescriptor(QuotaController.NAME, Set.of("resourcequota"), QuotaController::new).sharded(),
            new ControllerDescriptor(ReplicaSetController.NAME, Set.of("replicaset"), ReplicaSetController::new)
                    .sharded(),
            new ControllerDescriptor(ReplicaSetController.REPLICATION_CONTROLLERS, Set.of("replicationcontroller"),
                    ReplicaSetController::ofReplicationControllers).sharded(),
            new ControllerDescriptor(ResourceClaimController.NAME, Set.of("resource-claim-controller"),
                    "a controller of Wheelhouse",
                    Set.of(ResourceClaimController.CLAIMS, ResourceClaimController.TEMPLATES), true,
                    ResourceClaimController::new).sharded(),
            new ControllerDescriptor(RoleAggregator.NAME, Set.of("clusterrole-aggregation"), RoleAggregator::new),
            new ControllerDescriptor(RootCaPublisher.NAME, Set.of("root-ca-cert-publisher"), RootCaPublisher::new),
            new ControllerDescriptor(ServiceAccountController.NAME, Set.of("serviceaccount"),
                    ServiceAccountController::new),
            new ControllerDescriptor(ServiceCidrController.NAME, Set.of(), "a controller of Wheelhouse",
                    Set.of(ServiceCidrController.RANGES, ServiceCidrController.ADDRESSES), true,
                    ServiceCidrController::new),
            new ControllerDescriptor(StatefulSetController.NAME, Set.of("statefulset"), StatefulSetController::new)
                    .sharded(),
            new ControllerDescriptor(TaintEvictionController.NAME, Set.of(), TaintEvictionController::new),
            new ControllerDescriptor(TokenCleaner.NAME, Set.of("tokencleaner"), TokenCleaner::new),
            new ControllerDescriptor(TokenController.NAME, Set.of("serviceaccount-token"), TokenController::of)
                    .sharded(),
            new ControllerDescriptor(TtlAfterFinishedController.NAME, Set.of("ttl-after-finished"),
                    TtlAfterFinishedController::new).sharded(),
            new ControllerDescriptor(TtlController.NAME, Set.of("ttl"), TtlController::new),
            new ControllerDescriptor(VolumeBinder.NAME, Set.of("persistentvolume-binder"), VolumeBinder::new),
            new ControllerDescriptor(VolumeExpander.NAME, Set.of("persistentvolume-expander"),
                    VolumeExpander::new),
            new ControllerDescriptor(VolumeProtectionController.NAME, Set.of("pv-protection"),
                    VolumeProtectionController::new));

    /** The controllers that {@code *} stands for in {@code --wheelhouse.controllers}. */
    private static final List<ControllerDescriptor> BY_DEFAULT = ALL.stream()
            .filter(each -> UpstreamControllers.runsByDefault(each.name())).toList();

    private BuiltInControllers() {}

    /** All of them, in the order in which they are made. */
    public static List<ControllerDescriptor> all() {
        return ALL;
    }

    /** The controllers that upstream runs by default, in the same order. */
    public static List<ControllerDescriptor> byDefault() {
        return BY_DEFAULT;
    }
}
