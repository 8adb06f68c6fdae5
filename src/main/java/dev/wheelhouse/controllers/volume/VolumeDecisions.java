package dev.wheelhouse.controllers.volume;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeStatus;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides about one volume (upstream: {@code syncVolume} in
 * {@code pkg/controller/volume/persistentvolume/pv_controller.go}). Pure functions.
 */
final class VolumeDecisions {
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;

    private VolumeDecisions() {}

    static BindingStep decide(VolumeView view) {
        V1PersistentVolume volume = view.volume();
        Write migration = Migration.of(volume);
        if (migration != null) {
            return BindingStep.next(migration);
        }
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        if (reference == null || reference.getUid() == null || reference.getUid().isEmpty()) {
            return inPhase(volume, "Available");
        }
        V1PersistentVolumeClaim claim = view.claim();
        if (claim == null || !reference.getUid().equals(claim.getMetadata().getUid())) {
            return release(view, new Action.RequireGone(ResourceType.PERSISTENT_VOLUME_CLAIMS,
                    Volumes.claimKey(reference), reference.getUid(), "before its volume is released"));
        }
        String bound = claim.getSpec().getVolumeName();
        if (bound == null || bound.isEmpty()) {
            return Volumes.haveSameMode(claim, volume) ? BindingStep.CLAIM : mismatch(volume, claim);
        }
        if (bound.equals(volume.getMetadata().getName())) {
            return inPhase(volume, "Bound");
        }
        return Volumes.isAnnotated(volume, Volumes.PROVISIONED_BY)
                && "Delete".equals(volume.getSpec().getPersistentVolumeReclaimPolicy())
                        ? release(view, null)
                        : BindingStep.next(unbind(volume, "its claim is bound to another volume"));
    }

    private static BindingStep inPhase(V1PersistentVolume volume, String phase) {
        return BindingStep.last(phase(volume, phase));
    }

    /** The write that brings a volume into a phase; null if it is in the phase. */
    static @Nullable Write phase(V1PersistentVolume volume, String phase) {
        return phase(volume, phase, null);
    }

    private static @Nullable Write phase(V1PersistentVolume volume, String phase, @Nullable String message) {
        if (phase.equals(phaseOf(volume))) {
            return null;
        }
        V1PersistentVolume changed = ModelJson.shallowCopy(volume);
        V1PersistentVolumeStatus status = volume.getStatus() == null
                ? new V1PersistentVolumeStatus()
                : ModelJson.shallowCopy(volume.getStatus());
        changed.setStatus(status.phase(phase).message(message));
        return new Action.UpdateStatus(VOLUMES, changed, "it is " + phase);
    }

    private static @Nullable String phaseOf(V1PersistentVolume volume) {
        return volume.getStatus() == null ? null : volume.getStatus().getPhase();
    }

    private static BindingStep mismatch(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {
        return BindingStep.last(
                warning(volume, "VolumeMismatch", "Cannot bind PersistentVolume to requested PersistentVolumeClaim \""
                        + claim.getMetadata().getName() + "\" due to incompatible volumeMode."),
                new Action.Event(ResourceType.PERSISTENT_VOLUME_CLAIMS, claim, "Warning", "VolumeMismatch",
                        "Cannot bind PersistentVolume \"" + volume.getMetadata().getName()
                                + "\" to requested PersistentVolumeClaim due to incompatible volumeMode."));
    }

    /**
     * Releases a volume, then does what its reclaim policy says. A volume that failed stays failed, and its deletion is
     * tried again.
     *
     * @param check precedes the release; null if the claim is known to be bound to another volume
     */
    private static BindingStep release(VolumeView view, Action.@Nullable RequireGone check) {
        V1PersistentVolume volume = view.volume();
        boolean failed = "Failed".equals(phaseOf(volume));
        Write released = failed ? null : phase(volume, "Released");
        if (released != null) {
            return check == null ? BindingStep.next(released) : BindingStep.next(check, released);
        }
        if (!orEmpty(Metadata.annotation(volume, Migration.MIGRATED_TO)).isEmpty()) {
            return BindingStep.NONE;
        }
        return switch (orEmpty(volume.getSpec().getPersistentVolumeReclaimPolicy())) {
            case "Retain" -> BindingStep.NONE;
            case "Recycle" -> Recycler.decide(volume, view.claim() != null, view.recycling());
            case "Delete" -> delete(volume);
            default -> failed(volume, "VolumeUnknownReclaimPolicy",
                    "Volume has unrecognized PersistentVolumeReclaimPolicy");
        };
    }

    private static BindingStep delete(V1PersistentVolume volume) {
        if (Drivers.isDeletedByOthers(volume)) {
            return BindingStep.NONE.of(BindingStep.Operation.DELETE, false);
        }
        String driver = Drivers.whyNotFound(volume);
        if (driver != null) {
            return failed(volume, "VolumeFailedDelete", driver).of(BindingStep.Operation.DELETE, false);
        }
        String why = Drivers.whyNotDeletable(volume);
        if (why != null) {
            return failed(volume, "VolumeFailedDelete", why).of(BindingStep.Operation.DELETE, true);
        }
        Write released = Migration.released(volume);
        Write deletion = new Action.Delete(VOLUMES, ObjectKey.of(volume),
                Deletion.ofUid(volume.getMetadata().getUid()), "its claim is gone");
        if (volume.getMetadata().getDeletionTimestamp() != null) {
            return BindingStep.last(released);
        }
        return BindingStep.last(released, deletion).of(BindingStep.Operation.DELETE, false);
    }

    /** Marks a volume as failed, once. */
    static BindingStep failed(V1PersistentVolume volume, String reason, String message) {
        Write write = phase(volume, "Failed", message);
        return write == null ? BindingStep.NONE : BindingStep.last(write, warning(volume, reason, message));
    }

    /** Undoes a binding. A user's reservation by name stays. */
    static Write unbind(V1PersistentVolume volume, String why) {
        V1PersistentVolume changed = ModelJson.copy(volume);
        if (Volumes.isAnnotated(volume, Volumes.BOUND_BY_CONTROLLER)) {
            changed.getSpec().setClaimRef(null);
            changed.getMetadata().getAnnotations().remove(Volumes.BOUND_BY_CONTROLLER);
        } else {
            changed.getSpec().getClaimRef().setUid(null);
        }
        return new Action.Update(VOLUMES, changed, why);
    }

    private static Action warning(V1PersistentVolume volume, String reason, String message) {
        return new Action.Event(VOLUMES, volume, "Warning", reason, message);
    }
}
