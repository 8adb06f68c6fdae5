package dev.wheelhouse.manager;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;
import dev.wheelhouse.controllers.namespace.NamespaceController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/** The controllers that Wheelhouse contains, with upstream's names and aliases. */
public final class BuiltInControllers {
    private static final List<ControllerDescriptor> ALL = List.of(
            new ControllerDescriptor(CronJobController.NAME, Set.of("cronjob"), CronJobController::new),
            new ControllerDescriptor(DeploymentController.NAME, Set.of("deployment"), DeploymentController::new),
            new ControllerDescriptor(ReplicaSetController.NAME, Set.of("replicaset"), ReplicaSetController::new),
            new ControllerDescriptor(ReplicaSetController.REPLICATION_CONTROLLERS, Set.of("replicationcontroller"),
                    ReplicaSetController::ofReplicationControllers),
            new ControllerDescriptor(DisruptionController.NAME, Set.of("disruption"), DisruptionController::new),
            new ControllerDescriptor(GarbageCollector.NAME, Set.of("garbagecollector"), GarbageCollector::new),
            new ControllerDescriptor(NamespaceController.NAME, Set.of("namespace"), NamespaceController::new));

    private BuiltInControllers() {}

    /** All of them, in the order in which they are made. */
    public static List<ControllerDescriptor> all() {
        return ALL;
    }
}
