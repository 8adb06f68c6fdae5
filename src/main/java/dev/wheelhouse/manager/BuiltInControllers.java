package dev.wheelhouse.manager;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
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
            of(AttachDetachController.NAME, AttachDetachController::new),
            of(AttributesClassProtectionController.NAME, Set.of(ResourceType.VOLUME_ATTRIBUTES_CLASSES),
                    AttributesClassProtectionController::new),
            of(AutoscalerController.NAME, AutoscalerController::new).sharded(),
            of(BootstrapSigner.NAME, BootstrapSigner::new),
            of(ClaimProtectionController.NAME, ClaimProtectionController::new).sharded(),
            of(CronJobController.NAME, CronJobController::new).sharded(),
            of(DaemonSetController.NAME, DaemonSetController::new).sharded(),
            of(DeploymentController.NAME, DeploymentController::new).sharded(),
            of(RequestApprover.NAME, RequestApprover::new),
            of(RequestCleaner.NAME, RequestCleaner::new),
            of(RequestSigner.NAME, RequestSigner::new),
            of(DeviceTaintEvictionController.NAME,
                    Set.of(ResourceClaimController.CLAIMS, DeviceTaintEvictionController.SLICES),
                    DeviceTaintEvictionController::new),
            of(DisruptionController.NAME, DisruptionController::new).sharded(),
            of(EndpointsController.NAME, EndpointsController::new).sharded(),
            of(EndpointSliceController.NAME, EndpointSliceController::new).sharded(),
            of(EndpointSliceMirroringController.NAME, EndpointSliceMirroringController::new).sharded(),
            of(EphemeralVolumeController.NAME, EphemeralVolumeController::new).sharded(),
            of(GarbageCollector.NAME, GarbageCollector::of),
            of(JobController.NAME, JobController::new).sharded(),
            of(LegacyTokenCleaner.NAME, LegacyTokenCleaner::new),
            of(NamespaceController.NAME, NamespaceController::new),
            of(NodeIpamController.NAME, NodeIpamController::of),
            of(NodeLifecycleController.NAME, NodeLifecycleController::new),
            of(PodGarbageCollector.NAME, PodGarbageCollector::new),
            of(PolicyStatusController.NAME, PolicyStatusController::new),
            of(QuotaController.NAME, QuotaController::new).sharded(),
            of(ReplicaSetController.NAME, ReplicaSetController::new).sharded(),
            of(ReplicaSetController.REPLICATION_CONTROLLERS, ReplicaSetController::ofReplicationControllers).sharded(),
            of(ResourceClaimController.NAME, Set.of(ResourceClaimController.CLAIMS, ResourceClaimController.TEMPLATES),
                    ResourceClaimController::new).sharded(),
            of(RoleAggregator.NAME, RoleAggregator::new),
            of(RootCaPublisher.NAME, RootCaPublisher::new),
            of(ServiceAccountController.NAME, ServiceAccountController::new),
            of(ServiceCidrController.NAME, Set.of(ServiceCidrController.RANGES, ServiceCidrController.ADDRESSES),
                    ServiceCidrController::new),
            of(StatefulSetController.NAME, StatefulSetController::new).sharded(),
            of(TaintEvictionController.NAME, TaintEvictionController::new),
            of(TokenCleaner.NAME, TokenCleaner::new),
            of(TokenController.NAME, TokenController::of).sharded(),
            of(TtlAfterFinishedController.NAME, TtlAfterFinishedController::new).sharded(),
            of(TtlController.NAME, TtlController::new),
            of(VolumeBinder.NAME, VolumeBinder::new),
            of(VolumeExpander.NAME, VolumeExpander::new),
            of(VolumeProtectionController.NAME, VolumeProtectionController::new));

    /** The controllers that {@code *} stands for in {@code --wheelhouse.controllers}. */
    private static final List<ControllerDescriptor> BY_DEFAULT = ALL.stream()
            .filter(each -> UpstreamControllers.runsByDefault(each.name())).toList();

    private BuiltInControllers() {}

    private static ControllerDescriptor of(String name, Function<ControllerContext, ? extends Controller> factory) {
        return of(name, Set.of(), factory);
    }

    private static ControllerDescriptor of(String name, Set<ResourceType> requires,
            Function<ControllerContext, ? extends Controller> factory) {
        return new ControllerDescriptor(name, UpstreamControllers.aliases(name), "a controller of Wheelhouse", requires,
                true, factory);
    }

    /** All of them, in the order in which they are made. */
    public static List<ControllerDescriptor> all() {
        return ALL;
    }

    /** The controllers that upstream runs by default, in the same order. */
    public static List<ControllerDescriptor> byDefault() {
        return BY_DEFAULT;
    }
}
