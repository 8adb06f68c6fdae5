package dev.wheelhouse.controllers.volume;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The marks of claims and volumes by their drivers: the name of the external driver that has replaced an in-tree
 * one, and the finalizer of volumes whose storage an in-tree controller deletes (upstream:
 * {@code updateMigrationAnnotations} and {@code modifyDeletionFinalizers} in {@code pv_controller_base.go}). Pure
 * functions.
 */
final class Migration {
    /** On a claim or volume: the external driver that works for the one that is named. */
    static final String MIGRATED_TO = "pv.kubernetes.io/migrated-to";
    /** The finalizer of volumes whose storage this controller deletes. */
    static final String IN_TREE_PROTECTION = "kubernetes.io/pv-controller";
    /** The finalizer of volumes whose storage an external provisioner deletes. */
    private static final String EXTERNAL_PROTECTION = "external-provisioner.volume.kubernetes.io/finalizer";

    private Migration() {}

    /** The write that corrects a claim's marks; null if they are right. */
    static @Nullable Write of(V1PersistentVolumeClaim claim) {
        Map<String, String> annotations = new HashMap<>(Metadata.annotations(claim.getMetadata()));
        if (!annotate(annotations, annotations.getOrDefault(Volumes.STORAGE_PROVISIONER,
                annotations.get(Volumes.BETA_STORAGE_PROVISIONER)))) {
            return null;
        }
        V1PersistentVolumeClaim changed = ModelJson.copy(claim);
        changed.getMetadata().setAnnotations(annotations);
        return new Action.Update(ResourceType.PERSISTENT_VOLUME_CLAIMS, changed, "its provisioner has a successor");
    }

    /** The write that corrects a volume's marks; null if they are right. */
    static @Nullable Write of(V1PersistentVolume volume) {
        V1ObjectMeta meta = volume.getMetadata();
        Map<String, String> annotations = new HashMap<>(Metadata.annotations(meta));
        List<String> finalizers = finalizers(volume);
        if (!annotate(annotations, annotations.get(Volumes.PROVISIONED_BY))
                && finalizers.equals(Metadata.finalizers(volume))) {
            return null;
        }
        V1PersistentVolume changed = ModelJson.copy(volume);
        changed.getMetadata().annotations(annotations).setFinalizers(finalizers);
        return new Action.Update(ResourceType.PERSISTENT_VOLUMES, changed, "its driver and reclaim policy ask for it");
    }

    /**
     * Corrects the annotation with the successor.
     *
     * @param provisioner null if no provisioner is known; then any annotation stays
     * @return whether it was wrong
     */
    static boolean annotate(Map<String, String> annotations, @Nullable String provisioner) {
        if (provisioner == null) {
            return false;
        }
        String successor = CsiMigration.successorOf(provisioner);
        return successor.equals(provisioner)
                ? !orEmpty(annotations.remove(MIGRATED_TO)).isEmpty()
                : !successor.equals(annotations.put(MIGRATED_TO, successor));
    }

    /**
     * The finalizers that a volume should have. One that is made by an in-tree provisioner is protected as
     * long as its storage is to be deleted. The server refuses new finalizers of an object that is being deleted.
     */
    private static List<String> finalizers(V1PersistentVolume volume) {
        List<String> finalizers = new ArrayList<>(Metadata.finalizers(volume));
        String provisioner = Metadata.annotation(volume, Volumes.PROVISIONED_BY);
        if (provisioner == null) {
            return finalizers;
        }
        if (!CsiMigration.successorOf(provisioner).equals(provisioner)) {
            finalizers.remove(IN_TREE_PROTECTION);
        } else if (Drivers.isInTree(provisioner)) {
            finalizers.remove(EXTERNAL_PROTECTION);
            switch (orEmpty(volume.getSpec().getPersistentVolumeReclaimPolicy())) {
                case "Retain", "Recycle" -> finalizers.remove(IN_TREE_PROTECTION);
                case "Delete" -> {
                    if (volume.getMetadata().getDeletionTimestamp() == null
                            && !finalizers.contains(IN_TREE_PROTECTION)) {
                        finalizers.add(IN_TREE_PROTECTION);
                    }
                }
                default -> {
                }
            }
        }
        return finalizers;
    }

    /** A copy of a volume without the finalizer, because its storage is deleted; null if it has none. */
    static @Nullable Write released(V1PersistentVolume volume) {
        List<String> finalizers = Metadata.finalizers(volume);
        if (!finalizers.contains(IN_TREE_PROTECTION)) {
            return null;
        }
        V1PersistentVolume changed = ModelJson.copy(volume);
        changed.getMetadata().setFinalizers(
                finalizers.stream().filter(finalizer -> !finalizer.equals(IN_TREE_PROTECTION)).toList());
        return new Action.Update(ResourceType.PERSISTENT_VOLUMES, changed, "its storage is deleted");
    }
}
