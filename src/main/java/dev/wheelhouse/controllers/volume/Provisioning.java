package dev.wheelhouse.controllers.volume;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.Volumes;

/**
 * Decides about a claim for which a volume has to be made (upstream: {@code provisionClaim} in
 * {@code pv_controller.go}, {@code pkg/volume/hostpath}). External provisioners are asked by annotations. Volumes on
 * host paths are made here, if the option for it is set; no directory is made. Pure functions.
 */
final class Provisioning {
    /** The reason of Events about claims for which no volume can be made. */
    static final String FAILED = "ProvisioningFailed";

    private Provisioning() {}

    static BindingStep decide(ClaimView view) {
        V1PersistentVolumeClaim claim = view.claim();
        V1StorageClass storageClass = view.storageClass();
        if (!view.provisions()) {
            return BindingStep.NONE;
        }
        if (storageClass == null) {
            return BindingStep.last(failed(claim, "storageclass.storage.k8s.io \"" + Volumes.classOf(claim)
                    + "\" not found"));
        }
        String provisioner = CsiMigration.successorOf(storageClass.getProvisioner());
        if (provisioner.equals(Drivers.HOST_PATH)) {
            return onHostPath(view, storageClass);
        }
        String why = Drivers.whyNotProvisioning(provisioner);
        if (why != null) {
            return BindingStep.last(failed(claim, why));
        }
        Action event = normal(claim, "ExternalProvisioning", "Waiting for a volume to be created either by the "
                + "external provisioner '" + provisioner + "' or manually by the system administrator. If volume "
                + "creation is delayed, please verify that the provisioner is running and correctly registered.");
        return BindingStep.last(request(claim, provisioner), event).of(BindingStep.Operation.PROVISION, false);
    }

    /** The write that asks a provisioner for a volume; null if the claim asks it. */
    private static @Nullable Write request(V1PersistentVolumeClaim claim, String provisioner) {
        if (provisioner.equals(Metadata.annotation(claim, Volumes.STORAGE_PROVISIONER))) {
            return null;
        }
        V1PersistentVolumeClaim changed = ModelJson.copy(claim);
        V1ObjectMeta meta = changed.getMetadata().putAnnotationsItem(Volumes.BETA_STORAGE_PROVISIONER, provisioner)
                .putAnnotationsItem(Volumes.STORAGE_PROVISIONER, provisioner);
        Migration.annotate(meta.getAnnotations(), provisioner);
        return new Action.Update(ResourceType.PERSISTENT_VOLUME_CLAIMS, changed, "it waits for " + provisioner);
    }

    private static BindingStep onHostPath(ClaimView view, V1StorageClass storageClass) {
        V1PersistentVolumeClaim claim = view.claim();
        if (claim.getSpec().getDataSource() != null) {
            return failedOperation(claim, "plugin \"" + Drivers.HOST_PATH + "\" is not a CSI plugin. Only CSI plugin "
                    + "can provision a claim with a datasource");
        }
        Write request = request(claim, Drivers.HOST_PATH);
        if (request != null) {
            return BindingStep.next(request);
        }
        String name = "pvc-" + claim.getMetadata().getUid();
        if (view.volumes().stream().anyMatch(volume -> name.equals(volume.getMetadata().getName()))) {
            return BindingStep.NONE;
        }
        List<String> options = storageClass.getMountOptions();
        if (options != null && !options.isEmpty()) {
            return failedOperation(claim, "Mount options are not supported by the provisioner but StorageClass \""
                    + storageClass.getMetadata().getName() + "\" has mount options ["
                    + String.join(" ", options) + "]");
        }
        if (!view.provisionsOnHostPaths()) {
            return failedOperation(claim, "Failed to create provisioner: provisioning in volume plugin \""
                    + Drivers.HOST_PATH + "\" is disabled");
        }
        String node = Metadata.annotation(claim, Volumes.SELECTED_NODE);
        if (node != null && !view.selectedNodeExists()) {
            return failedOperation(claim, "Failed to get target node: node \"" + node + "\" not found");
        }
        String why = Drivers.whyNotMade(claim);
        if (why != null) {
            return BindingStep.last(node == null ? null : withoutNode(claim), failed(claim,
                    "Failed to provision volume with StorageClass \"" + storageClass.getMetadata().getName() + "\": "
                            + why))
                    .of(BindingStep.Operation.PROVISION, true);
        }
        return BindingStep.last(
                new Action.Create(ResourceType.PERSISTENT_VOLUMES, volume(name, claim, storageClass),
                        "the claim " + claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName()
                                + " asks for it"),
                normal(claim, "ProvisioningSucceeded",
                        "Successfully provisioned volume " + name + " using " + Drivers.HOST_PATH))
                .of(BindingStep.Operation.PROVISION, false);
    }

    /** Lets the scheduler choose another node. */
    private static Write withoutNode(V1PersistentVolumeClaim claim) {
        V1PersistentVolumeClaim changed = ModelJson.copy(claim);
        changed.getMetadata().getAnnotations().remove(Volumes.SELECTED_NODE);
        return new Action.Update(ResourceType.PERSISTENT_VOLUME_CLAIMS, changed, "no volume can be made on its node");
    }

    private static V1PersistentVolume volume(String name, V1PersistentVolumeClaim claim,
            V1StorageClass storageClass) {
        String policy = storageClass.getReclaimPolicy();
        return new V1PersistentVolume()
                .metadata(new V1ObjectMeta().name(name)
                        .annotations(Map.of("kubernetes.io/createdby", "hostpath-dynamic-provisioner",
                                Volumes.BOUND_BY_CONTROLLER, "yes", Volumes.PROVISIONED_BY, Drivers.HOST_PATH))
                        .finalizers("Delete".equals(policy) ? List.of(Migration.IN_TREE_PROTECTION) : null))
                .spec(new V1PersistentVolumeSpec().persistentVolumeReclaimPolicy(policy)
                        .accessModes(claim.getSpec().getAccessModes())
                        .capacity(Map.of("storage", claim.getSpec().getResources().getRequests().get("storage")))
                        .claimRef(Volumes.reference(claim)).storageClassName(Volumes.classOf(claim))
                        .hostPath(new V1HostPathVolumeSource().path("/tmp/hostpath_pv/"
                                + claim.getMetadata().getUid())));
    }

    private static BindingStep failedOperation(V1PersistentVolumeClaim claim, String message) {
        return BindingStep.last(failed(claim, message)).of(BindingStep.Operation.PROVISION, true);
    }

    private static Action normal(V1PersistentVolumeClaim claim, String reason, String message) {
        return new Action.Event(ResourceType.PERSISTENT_VOLUME_CLAIMS, claim, "Normal", reason, message);
    }

    /** The Event about a claim for which no volume can be made. */
    static Action.Event failed(V1PersistentVolumeClaim claim, String message) {
        return new Action.Event(ResourceType.PERSISTENT_VOLUME_CLAIMS, claim, "Warning", FAILED, message);
    }
}
