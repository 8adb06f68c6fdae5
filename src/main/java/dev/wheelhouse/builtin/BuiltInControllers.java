package dev.wheelhouse.builtin;

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
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.UpstreamControllers;

/** The controllers that Wheelhouse contains, with the names and aliases of {@link UpstreamControllers}. */
public final class BuiltInControllers {
    private static final List<ControllerDescriptor> ALL = List.of(
            ofLeader(AttachDetachController.NAME, AttachDetachController::new),
            ofLeader(AttributesClassProtectionController.NAME, AttributesClassProtectionController::new,
                    ResourceType.VOLUME_ATTRIBUTES_CLASSES),
            perShard(AutoscalerController.NAME, AutoscalerController::new),
            ofLeader(BootstrapSigner.NAME, BootstrapSigner::new),
            perShard(ClaimProtectionController.NAME, ClaimProtectionController::new),
            perShard(CronJobController.NAME, CronJobController::new),
            perShard(DaemonSetController.NAME, DaemonSetController::new),
            perShard(DeploymentController.NAME, DeploymentController::new),
            ofLeader(RequestApprover.NAME, RequestApprover::new),
            ofLeader(RequestCleaner.NAME, RequestCleaner::new),
            ofLeader(RequestSigner.NAME, RequestSigner::new),
            ofLeader(DeviceTaintEvictionController.NAME, DeviceTaintEvictionController::new,
                    ResourceClaimController.CLAIMS, DeviceTaintEvictionController.SLICES),
            perShard(DisruptionController.NAME, DisruptionController::new),
            perShard(EndpointsController.NAME, EndpointsController::new),
            perShard(EndpointSliceController.NAME, EndpointSliceController::new),
            perShard(EndpointSliceMirroringController.NAME, EndpointSliceMirroringController::new),
            perShard(EphemeralVolumeController.NAME, EphemeralVolumeController::new),
            ofLeader(GarbageCollector.NAME, GarbageCollector::of),
            perShard(JobController.NAME, JobController::new),
            ofLeader(LegacyTokenCleaner.NAME, LegacyTokenCleaner::new),
            ofLeader(NamespaceController.NAME, NamespaceController::new),
            ofLeader(NodeIpamController.NAME, NodeIpamController::of),
            ofLeader(NodeLifecycleController.NAME, NodeLifecycleController::new),
            ofLeader(PodGarbageCollector.NAME, PodGarbageCollector::new),
            ofLeader(PolicyStatusController.NAME, PolicyStatusController::new),
            perShard(QuotaController.NAME, QuotaController::new),
            perShard(ReplicaSetController.NAME, ReplicaSetController::new),
            perShard(ReplicaSetController.REPLICATION_CONTROLLERS, ReplicaSetController::ofReplicationControllers),
            perShard(ResourceClaimController.NAME, ResourceClaimController::new, ResourceClaimController.CLAIMS,
                    ResourceClaimController.TEMPLATES),
            ofLeader(RoleAggregator.NAME, RoleAggregator::new),
            ofLeader(RootCaPublisher.NAME, RootCaPublisher::new),
            ofLeader(ServiceAccountController.NAME, ServiceAccountController::new),
            ofLeader(ServiceCidrController.NAME, ServiceCidrController::new, ServiceCidrController.RANGES,
                    ServiceCidrController.ADDRESSES),
            perShard(StatefulSetController.NAME, StatefulSetController::new),
            ofLeader(TaintEvictionController.NAME, TaintEvictionController::new),
            ofLeader(TokenCleaner.NAME, TokenCleaner::new),
            perShard(TokenController.NAME, TokenController::of),
            perShard(TtlAfterFinishedController.NAME, TtlAfterFinishedController::new),
            ofLeader(TtlController.NAME, TtlController::new),
            ofLeader(VolumeBinder.NAME, VolumeBinder::new),
            ofLeader(VolumeExpander.NAME, VolumeExpander::new),
            ofLeader(VolumeProtectionController.NAME, VolumeProtectionController::new));

    /** The controllers that {@code *} stands for in {@code --wheelhouse.controllers}. */
    private static final List<ControllerDescriptor> BY_DEFAULT = ALL.stream()
            .filter(each -> UpstreamControllers.runsByDefault(each.name())).toList();

    private BuiltInControllers() {}

    /** A controller that runs where the process leads. */
    private static ControllerDescriptor ofLeader(String name, Function<ControllerContext, Controller> factory,
            ResourceType... requires) {
        return new ControllerDescriptor(name, UpstreamControllers.aliases(name), "a controller of Wheelhouse",
                Set.of(requires), null, true, false, true, factory);
    }

    /** A controller that runs once for each shard of the namespaces. */
    private static ControllerDescriptor perShard(String name, Function<ControllerContext, Controller> factory,
            ResourceType... requires) {
        return new ControllerDescriptor(name, UpstreamControllers.aliases(name), "a controller of Wheelhouse",
                Set.of(requires), null, true, true, true, factory);
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
