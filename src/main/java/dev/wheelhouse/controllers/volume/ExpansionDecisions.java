package dev.wheelhouse.controllers.volume;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimCondition;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimStatus;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides about a claim that requests more than it has (upstream: {@code pkg/controller/volume/expand},
 * {@code expandAndRecoverFunction} in {@code operation_generator.go}, {@code pkg/volume/util/resize_util.go}). External
 * controllers make volumes grow; the successor of an in-tree driver is asked by an annotation. FlexVolumes grow
 * on nodes, for which the claim and the volume are marked. Pure functions.
 */
final class ExpansionDecisions {
    /** On a volume: its claim's size before a growth that is complete only on a node. */
    static final String BEFORE_GROWTH = "volume.alpha.kubernetes.io/pre-resize-capacity";
    /** On a claim: the controller that makes its volume grow. */
    static final String RESIZER = "volume.kubernetes.io/storage-resizer";

    private static final String GROWS = "it grows to ";
    private static final String EXTERNAL = "ExternalExpanding";
    private static final String STORAGE = "storage";
    private static final String NODE_PENDING = "NodeResizePending";
    private static final Set<String> RESIZE_CONDITIONS = Set.of("FileSystemResizePending", "Resizing",
            "ControllerResizeError", "NodeResizeError");

    private ExpansionDecisions() {}

    static BindingStep decide(ExpansionView view) {
        V1PersistentVolumeClaim claim = view.claim();
        V1PersistentVolume volume = view.volume();
        if (Volumes.requested(claim).compareTo(Volumes.storage(status(claim).getCapacity())) <= 0
                && !Volumes.isAnnotated(volume, BEFORE_GROWTH)) {
            return BindingStep.NONE;
        }
        String inTree = CsiMigration.driverOf(volume);
        if (inTree != null) {
            return askSuccessor(claim, inTree);
        }
        if (volume.getSpec().getFlexVolume() == null) {
            return BindingStep.last(event(claim, "Normal", EXTERNAL,
                    "waiting for an external controller to expand this PVC"));
        }
        return view.begun() ? onNode(view) : begin(view);
    }

    private static V1PersistentVolumeClaimStatus status(V1PersistentVolumeClaim claim) {
        return Objects.requireNonNullElseGet(claim.getStatus(), V1PersistentVolumeClaimStatus::new);
    }

    private static BindingStep askSuccessor(V1PersistentVolumeClaim claim, String inTree) {
        Action event = event(claim, "Normal", EXTERNAL,
                "CSI migration enabled for " + inTree + "; waiting for external resizer to expand the pvc");
        String successor = CsiMigration.successorOf(inTree);
        return successor.equals(Metadata.annotation(claim, RESIZER))
                ? BindingStep.last(event)
                : BindingStep.last(event, patch(claim, successor, Map.of(), "it waits for " + successor));
    }

    /** Marks the claim of a FlexVolume as growing, unless that is done. */
    private static BindingStep begin(ExpansionView view) {
        V1PersistentVolumeClaim claim = view.claim();
        V1PersistentVolume volume = view.volume();
        V1PersistentVolumeClaimStatus status = status(claim);
        if (isComplete(claim, volume)) {
            return BindingStep.last(annotate(volume, null, "its growth is complete"));
        }
        String phase = orEmpty(status.getAllocatedResourceStatuses()).getOrDefault(STORAGE, "");
        boolean grown = Volumes.capacity(volume).compareTo(Volumes.requested(claim)) >= 0;
        if (grown && phase.equals("NodeResizeInfeasible")) {
            return BindingStep.of(pending(view), BindingStep.Next.DONE);
        }
        if (grown && (phase.equals("NodeResizeInProgress") || phase.equals(NODE_PENDING))) {
            return BindingStep.NONE;
        }
        boolean goesOn = grown
                ? !phase.startsWith("Node")
                : !phase.isEmpty() && !phase.equals("ControllerResizeInfeasible");
        Quantity allocated = status.getAllocatedResources() == null
                ? null
                : status.getAllocatedResources().get(STORAGE);
        Quantity size = goesOn && allocated != null
                ? allocated
                : Objects.requireNonNull(claim.getSpec().getResources().getRequests().get(STORAGE));
        return BindingStep.next(patch(claim, volume.getSpec().getFlexVolume().getDriver(),
                Map.of("conditions", conditions(view, "Resizing", null, false),
                        "allocatedResources", Map.of(STORAGE, BoundedQuantity.text(size)),
                        "allocatedResourceStatuses", Map.of(STORAGE, "ControllerResizeInProgress")),
                GROWS + BoundedQuantity.text(size)));
    }

    private static boolean isComplete(V1PersistentVolumeClaim claim, V1PersistentVolume volume) {
        var size = Volumes.storage(status(claim).getCapacity());
        return Volumes.isAnnotated(volume, BEFORE_GROWTH) && size.compareTo(Volumes.requested(claim)) >= 0
                && size.compareTo(Volumes.capacity(volume)) >= 0;
    }

    /** Enlarges the volume of a claim that is marked as growing. A file system waits for a node, a block does not. */
    private static BindingStep onNode(ExpansionView view) {
        V1PersistentVolumeClaim claim = view.claim();
        V1PersistentVolume volume = view.volume();
        String size = BoundedQuantity.text(Objects.requireNonNull(status(claim).getAllocatedResources().get(STORAGE)));
        List<Action> actions = new ArrayList<>();
        if (!size.equals(BoundedQuantity.text(Objects.requireNonNull(volume.getSpec().getCapacity().get(STORAGE))))) {
            actions.add(patch(volume, Map.of(), Map.of("capacity", Map.of(STORAGE, size)), GROWS + size));
        }
        if (!"Block".equals(volume.getSpec().getVolumeMode())) {
            actions.addAll(pending(view));
            return BindingStep.of(actions, BindingStep.Next.DONE);
        }
        Map<String, @Nullable Object> grown = new LinkedHashMap<>();
        grown.put("capacity", Map.of(STORAGE, size));
        grown.put("allocatedResourceStatuses", null);
        grown.put("conditions", conditions(view, null, null, false));
        actions.add(patch(claim, null, grown, "it has grown to " + size));
        actions.add(event(claim, "Normal", "VolumeResizeSuccessful",
                "ExpandVolume succeeded for volume " + ObjectKey.of(claim)));
        return BindingStep.of(actions, BindingStep.Next.DONE);
    }

    /** Marks the claim as waiting for a node, and the volume with the size before the growth. */
    private static List<Action> pending(ExpansionView view) {
        V1PersistentVolumeClaim claim = view.claim();
        List<Action> actions = new ArrayList<>();
        actions.add(patch(claim, null, Map.of("conditions",
                conditions(view, "FileSystemResizePending",
                        "Waiting for user to (re-)start a pod to finish file system resize of volume on node.", true),
                "allocatedResourceStatuses", Map.of(STORAGE, NODE_PENDING)), "it grows when a node mounts it"));
        if (!Volumes.isAnnotated(view.volume(), BEFORE_GROWTH)) {
            Quantity before = status(claim).getCapacity() == null ? null : status(claim).getCapacity().get(STORAGE);
            actions.add(annotate(view.volume(), before == null ? "0" : BoundedQuantity.text(before),
                    "it grows when a node mounts it"));
        }
        return actions;
    }

    /**
     * The conditions of a claim with another one. A condition that is present stays as it is.
     *
     * @param type null for no further condition
     * @param keeps whether other conditions about growth stay
     */
    private static List<Object> conditions(ExpansionView view, @Nullable String type, @Nullable String message,
            boolean keeps) {
        List<Object> conditions = new ArrayList<>();
        boolean present = type == null;
        for (V1PersistentVolumeClaimCondition condition : orEmpty(status(view.claim()).getConditions())) {
            boolean same = condition.getType().equals(type) && "True".equals(condition.getStatus());
            present |= same;
            if (same || !condition.getType().equals(type) && (keeps
                    || !RESIZE_CONDITIONS.contains(condition.getType()))) {
                conditions.add(ModelJson.tree(condition));
            }
        }
        if (!present) {
            Map<String, @Nullable Object> added = new LinkedHashMap<>();
            added.put("type", type);
            added.put("status", "True");
            added.put("lastTransitionTime", ModelJson.time(Durations.wholeSeconds(view.now())));
            if (message != null) {
                added.put("message", message);
            }
            conditions.add(added);
        }
        return conditions;
    }

    private static Write annotate(V1PersistentVolume volume, @Nullable String size, String why) {
        Map<String, @Nullable Object> annotations = new LinkedHashMap<>();
        annotations.put(BEFORE_GROWTH, size);
        return patch(volume, Map.of("annotations", annotations), Map.of(), why);
    }

    private static Write patch(V1PersistentVolume volume, Map<String, ?> metadata, Map<String, ?> spec, String why) {
        Map<String, Object> meta = new LinkedHashMap<>(metadata);
        meta.put("uid", String.valueOf(volume.getMetadata().getUid()));
        return patch(ResourceType.PERSISTENT_VOLUMES, volume, "",
                spec.isEmpty() ? Map.of("metadata", meta) : Map.of("metadata", meta, "spec", spec), why);
    }

    /** The Event about a write that failed. */
    static Action failed(ExpansionView view, Write write, String message) {
        String claim = ObjectKey.of(view.claim()).toString();
        boolean ofClaim = write.type().equals(ResourceType.PERSISTENT_VOLUME_CLAIMS);
        String cause = ofClaim
                ? "patchPVCStatus failed to patch PVC \"" + view.claim().getMetadata().getName() + "\": " + message
                : "error Patching PV \"" + write.target().name() + "\" with error : " + message;
        if (view.volume().getSpec().getFlexVolume() == null) {
            return event(view.claim(), "Warning", EXTERNAL,
                    "error setting resizer annotation to pvc " + claim + ", with error " + cause);
        }
        String node = "error marking pvc " + claim + " for node expansion: ";
        String step = !view.begun()
                ? "error updating pvc " + claim + " with resize in progress: "
                : ofClaim
                        ? node + node
                        : write.why().startsWith(GROWS)
                                ? "error updating pv for pvc " + claim + ": "
                                : node + "error updating pv " + write.target().name() + " annotation (" + BEFORE_GROWTH
                                        + ") with pre-resize capacity: ";
        return event(view.claim(), "Warning", "VolumeResizeFailed", step + cause);
    }

    /** @param resizer the new annotation; null if it does not change */
    private static Write patch(V1PersistentVolumeClaim claim, @Nullable String resizer,
            Map<String, ? extends @Nullable Object> status, String why) {
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("resourceVersion", String.valueOf(claim.getMetadata().getResourceVersion()));
        if (resizer != null) {
            metadata.put("annotations", Map.of(RESIZER, resizer));
        }
        return patch(ResourceType.PERSISTENT_VOLUME_CLAIMS, claim, "status",
                status.isEmpty() ? Map.of("metadata", metadata) : Map.of("metadata", metadata, "status", status), why);
    }

    private static Write patch(ResourceType type, KubernetesObject object, String subresource, Map<String, ?> body,
            String why) {
        return new Action.Patch(type, ObjectKey.of(object), subresource, PatchType.MERGE, ModelJson.write(body), why,
                Set.of(), object.getClass());
    }

    private static Action event(V1PersistentVolumeClaim claim, String level, String reason, String message) {
        return new Action.Event(ResourceType.PERSISTENT_VOLUME_CLAIMS, claim, level, reason, message);
    }
}
