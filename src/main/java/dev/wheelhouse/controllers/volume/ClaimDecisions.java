package dev.wheelhouse.controllers.volume;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimStatus;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides about one claim (upstream: {@code syncClaim} in
 * {@code pkg/controller/volume/persistentvolume/pv_controller.go}). Pure functions.
 */
final class ClaimDecisions {
    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;

    private ClaimDecisions() {}

    /** @throws IllegalArgumentException if the claim's selector is invalid */
    static BindingStep decide(ClaimView view) {
        Write migration = Migration.of(view.claim());
        if (migration != null) {
            return BindingStep.next(migration);
        }
        return Volumes.isAnnotated(view.claim(), Volumes.BIND_COMPLETED) ? ofBound(view) : ofUnbound(view);
    }

    private static BindingStep ofUnbound(ClaimView view) {
        V1PersistentVolumeClaim claim = view.claim();
        if (isEmpty(claim.getSpec().getVolumeName())) {
            return ofAnyVolume(view);
        }
        V1PersistentVolume volume = view.named();
        if (volume == null) {
            return pending(claim);
        }
        if (volume.getSpec().getClaimRef() == null) {
            String mismatch = mismatch(volume, claim);
            return mismatch == null
                    ? bind(volume, claim)
                    : pending(claim, warning(claim, "VolumeMismatch", "Cannot bind to requested volume \""
                            + volume.getMetadata().getName() + "\": " + mismatch));
        }
        if (Volumes.isBoundTo(volume, claim)) {
            return bind(volume, claim);
        }
        Action event = warning(claim, "FailedBinding",
                "volume \"" + volume.getMetadata().getName() + "\" already bound to a different claim.");
        return Volumes.isAnnotated(claim, Volumes.BOUND_BY_CONTROLLER)
                ? BindingStep.of(List.of(event), BindingStep.Next.RETRY)
                : pending(claim, event);
    }

    private static BindingStep ofAnyVolume(ClaimView view) {
        V1PersistentVolumeClaim claim = view.claim();
        boolean delayed = Volumes.waitsForPod(view.storageClass());
        V1PersistentVolume volume = Volumes.match(claim, view.volumes(), delayed);
        if (volume != null) {
            return bind(volume, claim);
        }
        V1StorageClass defaultClass = view.defaultClass();
        if (defaultClass != null && !Volumes.hasClass(claim)) {
            String name = String.valueOf(defaultClass.getMetadata().getName());
            return BindingStep.last(update(claim, "the default class " + name + " exists now",
                    changed -> changed.getSpec().setStorageClassName(name)))
                    .of(BindingStep.Operation.DEFAULT_CLASS, false);
        }
        if (delayed && !Volumes.isAnnotated(claim, Volumes.SELECTED_NODE)) {
            return pending(claim, waiting(claim, view.waitingPods()));
        }
        return Volumes.classOf(claim).isEmpty()
                ? pending(claim, normal(claim, "FailedBinding",
                        "no persistent volumes available for this claim and no storage class is set"))
                : Provisioning.decide(view);
    }

    private static Action waiting(V1PersistentVolumeClaim claim, List<String> pods) {
        return switch (pods.size()) {
            case 0 -> normal(claim, "WaitForFirstConsumer",
                    "waiting for first consumer to be created before binding");
            case 1 -> normal(claim, "WaitForPodScheduled", "waiting for pod " + pods.getFirst() + " to be scheduled");
            default -> normal(claim, "WaitForPodScheduled",
                    "waiting for pods " + String.join(",", pods) + " to be scheduled");
        };
    }

    /** Why a volume that a claim names cannot be bound to it; null if it can. */
    private static @Nullable String mismatch(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {
        if (volume.getMetadata().getDeletionTimestamp() != null) {
            return "the volume is marked for deletion \"" + volume.getMetadata().getName() + "\"";
        }
        if (Volumes.capacity(volume).compareTo(Volumes.requested(claim)) < 0) {
            return "requested PV is too small";
        }
        if (!Volumes.classOf(volume).equals(Volumes.classOf(claim))) {
            return "storageClassName does not match";
        }
        if (!Volumes.haveSameAttributesClass(claim, volume)) {
            return "volumeAttributesClassName does not match";
        }
        if (!Volumes.haveSameMode(claim, volume)) {
            return "incompatible volumeMode";
        }
        return Volumes.hasAccessModes(volume, claim) ? null : "incompatible accessMode";
    }

    private static BindingStep ofBound(ClaimView view) {
        V1PersistentVolumeClaim claim = view.claim();
        if (isEmpty(claim.getSpec().getVolumeName())) {
            return lost(claim, "ClaimLost",
                    "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
        }
        V1PersistentVolume volume = view.named();
        if (volume == null) {
            return lost(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
        }
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        return reference == null || Objects.equals(reference.getUid(), claim.getMetadata().getUid())
                ? bind(volume, claim)
                : lost(claim, "ClaimMisbound",
                        "Two claims are bound to the same volume, this one is bound incorrectly");
    }

    /** The first of the four writes of a binding that is still missing. */
    private static BindingStep bind(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {
        String name = String.valueOf(volume.getMetadata().getName());
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        boolean refers = reference != null && Volumes.isBoundTo(volume, claim)
                && Objects.equals(reference.getUid(), claim.getMetadata().getUid());
        if (!refers) {
            V1PersistentVolume changed = ModelJson.copy(volume);
            changed.getSpec().setClaimRef(Volumes.reference(claim));
            if (!Volumes.isBoundTo(volume, claim) && !Volumes.isAnnotated(volume, Volumes.BOUND_BY_CONTROLLER)) {
                changed.getMetadata().putAnnotationsItem(Volumes.BOUND_BY_CONTROLLER, "yes");
            }
            return BindingStep.next(new Action.Update(VOLUMES, changed,
                    "it fits the claim " + claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName()));
        }
        Write phase = VolumeDecisions.phase(volume, "Bound");
        if (phase != null) {
            return BindingStep.next(phase);
        }
        boolean named = name.equals(claim.getSpec().getVolumeName());
        if (!named || !Volumes.isAnnotated(claim, Volumes.BIND_COMPLETED)) {
            return BindingStep.next(update(claim, "the volume " + name + " is bound to it", changed -> {
                if (!named) {
                    changed.getSpec().setVolumeName(name);
                    changed.getMetadata().putAnnotationsItem(Volumes.BOUND_BY_CONTROLLER, "yes");
                }
                changed.getMetadata().putAnnotationsItem(Volumes.BIND_COMPLETED, "yes");
            }));
        }
        return BindingStep.last(status(claim, "Bound", volume));
    }

    private static BindingStep pending(V1PersistentVolumeClaim claim) {
        return BindingStep.last(status(claim, "Pending", null));
    }

    private static BindingStep pending(V1PersistentVolumeClaim claim, Action event) {
        return BindingStep.last(event, status(claim, "Pending", null));
    }

    /** Marks a claim whose volume is gone for good, once. */
    private static BindingStep lost(V1PersistentVolumeClaim claim, String reason, String message) {
        Write status = "Lost".equals(phase(claim)) ? null : status(claim, "Lost", null);
        return status == null ? BindingStep.NONE : BindingStep.last(status, warning(claim, reason, message));
    }

    private static String phase(V1PersistentVolumeClaim claim) {
        return claim.getStatus() == null ? "" : String.valueOf(claim.getStatus().getPhase());
    }

    /**
     * The write of a claim's status; null if nothing changes. The capacity is written only when the phase changes,
     * because later it may differ from the volume's on purpose.
     *
     * @param volume null if the claim is not bound
     */
    private static @Nullable Write status(V1PersistentVolumeClaim claim, String phase,
            @Nullable V1PersistentVolume volume) {
        V1PersistentVolumeClaim changed = ModelJson.shallowCopy(claim);
        V1PersistentVolumeClaimStatus before = Objects.requireNonNullElseGet(claim.getStatus(),
                V1PersistentVolumeClaimStatus::new);
        V1PersistentVolumeClaimStatus status = ModelJson.shallowCopy(before);
        status.setPhase(phase);
        if (volume == null) {
            status.setAccessModes(List.of());
            status.setCapacity(Map.of());
            status.setCurrentVolumeAttributesClassName(null);
        } else {
            status.setAccessModes(volume.getSpec().getAccessModes());
            if (!phase.equals(before.getPhase())) {
                status.setCapacity(capacity(before.getCapacity(), volume));
            }
            if ("Pending".equals(before.getPhase())) {
                status.setCurrentVolumeAttributesClassName(volume.getSpec().getVolumeAttributesClassName());
            }
        }
        changed.setStatus(status);
        return status.equals(before) ? null : new Action.UpdateStatus(CLAIMS, changed, "it is " + phase);
    }

    /** The capacity of a claim that becomes bound: that of the volume before a resize that is not complete. */
    private static @Nullable Map<String, Quantity> capacity(@Nullable Map<String, Quantity> before,
            V1PersistentVolume volume) {
        String unresized = Metadata.annotation(volume, ExpansionDecisions.BEFORE_GROWTH);
        if (unresized != null) {
            Map<String, Quantity> capacity = new HashMap<>(orEmpty(before));
            capacity.put("storage", quantity(unresized,
                    Objects.requireNonNull(volume.getSpec().getCapacity().get("storage"))));
            return capacity;
        }
        return Volumes.storage(before).compareTo(Volumes.capacity(volume)) == 0
                ? before
                : volume.getSpec().getCapacity();
    }

    private static Quantity quantity(String text, Quantity otherwise) {
        try {
            return BoundedQuantity.parse(text);
        } catch (QuantityFormatException e) {
            return otherwise;
        }
    }

    private static Action.Update update(V1PersistentVolumeClaim claim, String why,
            Consumer<V1PersistentVolumeClaim> change) {
        V1PersistentVolumeClaim changed = ModelJson.copy(claim);
        change.accept(changed);
        return new Action.Update(CLAIMS, changed, why);
    }

    private static Action normal(V1PersistentVolumeClaim claim, String reason, String message) {
        return new Action.Event(CLAIMS, claim, "Normal", reason, message);
    }

    private static Action warning(V1PersistentVolumeClaim claim, String reason, String message) {
        return new Action.Event(CLAIMS, claim, "Warning", reason, message);
    }

    private static boolean isEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }
}
