package dev.wheelhouse.controllers.volume;

import io.kubernetes.client.openapi.models.V1PersistentVolume;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.volumes.Volumes;
import dev.wheelhouse.workqueue.RateLimits;

/** Keeps volumes that are bound from being deleted (upstream: {@code pkg/controller/volume/pvprotection}). */
public final class VolumeProtectionController extends ObjectController<V1PersistentVolume> {
    public static final String NAME = "persistentvolume-protection-controller";

    private static final Protection PROTECTION = new Protection(ResourceType.PERSISTENT_VOLUMES,
            Volumes.VOLUME_PROTECTION);

    public VolumeProtectionController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1, ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        watch(primary).when(PROTECTION::concerns).enqueue(ObjectKey::of);
    }

    @Override
    protected Result sync(ObjectKey key, V1PersistentVolume volume, SyncRun run) {
        boolean bound = volume.getStatus() != null && "Bound".equals(volume.getStatus().getPhase());
        return run.execute(PROTECTION.decide(volume, bound)).toResult();
    }
}
