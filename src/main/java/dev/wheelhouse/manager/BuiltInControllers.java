package dev.wheelhouse.manager;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.controllers.daemonset.DaemonSetController;
import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;
import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.controllers.job.TtlAfterFinishedController;
import dev.wheelhouse.controllers.namespace.NamespaceController;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;
import dev.wheelhouse.controllers.statefulset.StatefulSetController;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.EphemeralVolumeController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.controllers.volume.VolumeProtectionController;

/** The controllers that Wheelhouse contains, with upstream's names and aliases. */
public final class BuiltInControllers {
    private static final List<ControllerDescriptor> ALL = List.of(
            new ControllerDescriptor(AutoscalerController.NAME, Set.of("horizontalpodautoscaling"),
                    AutoscalerController::new),
            new ControllerDescriptor(ClaimProtectionController.NAME, Set.of("pvc-protection"),
                    ClaimProtectionController::new),
            new ControllerDescriptor(CronJobController.NAME, Set.of("cronjob"), CronJobController::new),
            new ControllerDescriptor(DaemonSetController.NAME, Set.of("daemonset"), DaemonSetController::new),
            new ControllerDescriptor(DeploymentController.NAME, Set.of("deployment"), DeploymentController::new),
            new ControllerDescriptor(DisruptionController.NAME, Set.of("disruption"), DisruptionController::new),
            new ControllerDescriptor(EphemeralVolumeController.NAME, Set.of("ephemeral-volume"),
                    EphemeralVolumeController::new),
            new ControllerDescriptor(GarbageCollector.NAME, Set.of("garbagecollector"), GarbageCollector::new),
            new ControllerDescriptor(JobController.NAME, Set.of("job"), JobController::new),
            new ControllerDescriptor(NamespaceController.NAME, Set.of("namespace"), NamespaceController::new),
            new ControllerDescriptor(PodGarbageCollector.NAME, Set.of("podgc"), PodGarbageCollector::new),
            new ControllerDescriptor(QuotaController.NAME, Set.of("resourcequota"), QuotaController::new),
            new ControllerDescriptor(ReplicaSetController.NAME, Set.of("replicaset"), ReplicaSetController::new),
            new ControllerDescriptor(ReplicaSetController.REPLICATION_CONTROLLERS, Set.of("replicationcontroller"),
                    ReplicaSetController::ofReplicationControllers),
            new ControllerDescriptor(ServiceCidrController.NAME, Set.of(), "a controller of Wheelhouse",
                    Set.of(ServiceCidrController.RANGES, ServiceCidrController.ADDRESSES), true,
                    ServiceCidrController::new),
            new ControllerDescriptor(StatefulSetController.NAME, Set.of("statefulset"), StatefulSetController::new),
            new ControllerDescriptor(TtlAfterFinishedController.NAME, Set.of("ttl-after-finished"),
                    TtlAfterFinishedController::new),
            new ControllerDescriptor(VolumeBinder.NAME, Set.of("persistentvolume-binder"), VolumeBinder::new),
            new ControllerDescriptor(VolumeProtectionController.NAME, Set.of("pv-protection"),
                    VolumeProtectionController::new));

    private BuiltInControllers() {}

    /** All of them, in the order in which they are made. */
    public static List<ControllerDescriptor> all() {
        return ALL;
    }
}
