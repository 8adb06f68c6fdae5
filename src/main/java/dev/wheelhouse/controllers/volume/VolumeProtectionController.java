package dev.wheelhouse.controllers.volume;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PersistentVolume;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Volumes;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/** Keeps volumes that are bound from being deleted (upstream: {@code pkg/controller/volume/pvprotection}). */
public final class VolumeProtectionController extends KeyedController implements Plannable {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "persistentvolume-protection-controller";

    private static final Protection PROTECTION = new Protection(ResourceType.PERSISTENT_VOLUMES,
            Volumes.VOLUME_PROTECTION);

    private final SharedIndexInformer<V1PersistentVolume> volumes;

    /** Registers the event handlers; the caller runs the workers. */
    public VolumeProtectionController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1);
        this.volumes = informerFor(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        volumes.addEventHandler(new OfVolumes());
    }

    @Override
    protected Result sync(ObjectKey key) {
        if (!knows(key)) {
            forget(key);
        }
        return executor.execute(key, plan(key)).toResult();
    }

    @Override
    public ResourceType plansFor() {
        return ResourceType.PERSISTENT_VOLUMES;
    }

    @Override
    public boolean knows(ObjectKey key) {
        return volumes.get(key) != null;
    }

    @Override
    public List<Action> plan(ObjectKey key) {
        V1PersistentVolume volume = volumes.get(key);
        return volume == null ? List.of() : PROTECTION.decide(volume, isBound(volume));
    }

    private static boolean isBound(V1PersistentVolume volume) {
        return volume.getStatus() != null && "Bound".equals(volume.getStatus().getPhase());
    }

    private final class OfVolumes implements ResourceEventHandler<V1PersistentVolume> {
        @Override
        public void onAdd(V1PersistentVolume volume, boolean initial) {
            if (PROTECTION.isMissing(volume) || PROTECTION.keepsFromDeletion(volume)) {
                queue.add(ObjectKey.of(volume));
            }
        }

        @Override
        public void onUpdate(V1PersistentVolume before, V1PersistentVolume after) {
            onAdd(after, false);
        }

        @Override
        public void onDelete(V1PersistentVolume volume, boolean finalStateUnknown) {
            queue.add(ObjectKey.of(volume));
        }
    }
}
