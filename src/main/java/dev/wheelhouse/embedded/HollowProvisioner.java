package dev.wheelhouse.embedded;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1CSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.volumes.Volumes;

/**
 * Makes volumes for the claims of classes whose provisioner is {@link #NAME}. It lets them grow, and deletes them when
 * they are released. Hollow pods need no more; a node that runs containers makes a directory (upstream:
 * external-provisioner and external-resizer of the Kubernetes CSI project, whose objects and Events these are).
 */
final class HollowProvisioner extends HollowController {
    /** The name of the provisioner in storage classes. */
    static final String NAME = "hollow.wheelhouse.dev/disk";

    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;

    private final SharedIndexInformer<V1PersistentVolumeClaim> claims;
    private final SharedIndexInformer<V1PersistentVolume> volumes;
    private final SharedIndexInformer<V1StorageClass> classes;

    /** @param discard takes the contents of a volume away */
    HollowProvisioner(ControllerContext context, Consumer<String> discard) {
        super("hollow-provisioner", NAME, context);
        this.claims = informerFor(CLAIMS, V1PersistentVolumeClaim.class);
        this.volumes = informerFor(VOLUMES, V1PersistentVolume.class);
        this.classes = informerFor(ResourceType.STORAGE_CLASSES, V1StorageClass.class);
        watch(claims).enqueue(claim -> new Key(CLAIMS, ObjectKey.of(claim)));
        watch(volumes).enqueueFor(change -> {
            V1PersistentVolume volume = change.object();
            if (change.isDeletion() && isOurs(volume)
                    && "Delete".equals(volume.getSpec().getPersistentVolumeReclaimPolicy())) {
                discard.accept(volume.getMetadata().getName());
            }
            Stream<Key> claim = Stream.ofNullable(volume.getSpec().getClaimRef())
                    .filter(reference -> !change.isDeletion() && isOurs(volume))
                    .map(reference -> new Key(CLAIMS, Volumes.claimKey(reference)));
            return Stream.concat(Stream.of(new Key(VOLUMES, ObjectKey.of(volume))), claim);
        });
    }

    @Override
    List<Action> actions(ResourceType type, KubernetesObject object) {
        return object instanceof V1PersistentVolumeClaim claim
                ? ofClaim(claim)
                : release((V1PersistentVolume) object);
    }

    private List<Action> ofClaim(V1PersistentVolumeClaim claim) {
        String bound = claim.getSpec().getVolumeName();
        if (bound != null && !bound.isEmpty()) {
            V1PersistentVolume volume = volumes.get(ObjectKey.cluster(bound));
            return volume != null && isOurs(volume) ? grow(claim, volume) : List.of();
        }
        String className = Volumes.classOf(claim);
        V1StorageClass storageClass = className.isEmpty() ? null : classes.get(ObjectKey.cluster(className));
        boolean asked = NAME.equals(Metadata.annotation(claim, Volumes.STORAGE_PROVISIONER))
                && claim.getMetadata().getDeletionTimestamp() == null;
        boolean early = Volumes.waitsForPod(storageClass) && !Volumes.isAnnotated(claim, Volumes.SELECTED_NODE);
        String name = "pvc-" + claim.getMetadata().getUid();
        return !asked || early || storageClass == null || volumes.get(ObjectKey.cluster(name)) != null
                ? List.of()
                : provision(claim, storageClass, name);
    }

    private static List<Action> provision(V1PersistentVolumeClaim claim, V1StorageClass storageClass, String name) {
        V1PersistentVolume volume = new V1PersistentVolume().apiVersion("v1").kind("PersistentVolume")
                .metadata(new V1ObjectMeta().name(name).putAnnotationsItem(Volumes.PROVISIONED_BY, NAME))
                .spec(new V1PersistentVolumeSpec().accessModes(claim.getSpec().getAccessModes())
                        .putCapacityItem("storage", requested(claim)).claimRef(Volumes.reference(claim))
                        .csi(new V1CSIPersistentVolumeSource().driver(Volumes.HOLLOW_DRIVER).volumeHandle(name))
                        .mountOptions(storageClass.getMountOptions())
                        .persistentVolumeReclaimPolicy(storageClass.getReclaimPolicy())
                        .storageClassName(storageClass.getMetadata().getName())
                        .volumeMode(claim.getSpec().getVolumeMode())
                        .volumeAttributesClassName(claim.getSpec().getVolumeAttributesClassName()));
        return List.of(
                normal(claim, "Provisioning",
                        "External provisioner is provisioning volume for claim \"" + ObjectKey.of(claim) + "\""),
                new Action.Create(VOLUMES, volume, "the claim " + ObjectKey.of(claim) + " waits for it"),
                normal(claim, "ProvisioningSucceeded", "Successfully provisioned volume " + name));
    }

    private static Quantity requested(V1PersistentVolumeClaim claim) {
        return new Quantity(Volumes.requested(claim), Quantity.Format.BINARY_SI);
    }

    /** Lets a volume grow to the size that its claim requests. The claim shows the size afterwards. */
    private static List<Action> grow(V1PersistentVolumeClaim claim, V1PersistentVolume volume) {
        if (Volumes.capacity(volume).compareTo(Volumes.requested(claim)) < 0) {
            V1PersistentVolume larger = ModelJson.copy(volume);
            larger.getSpec().putCapacityItem("storage", requested(claim));
            return List.of(
                    normal(claim, "Resizing", "External resizer is resizing volume " + volume.getMetadata().getName()),
                    new Action.Update(VOLUMES, larger, "its claim requests more"));
        }
        boolean shown = claim.getStatus() == null || !"Bound".equals(claim.getStatus().getPhase())
                || Volumes.storage(claim.getStatus().getCapacity()).compareTo(Volumes.capacity(volume)) >= 0;
        if (shown) {
            return List.of();
        }
        V1PersistentVolumeClaim larger = ModelJson.copy(claim);
        larger.getStatus().putCapacityItem("storage", volume.getSpec().getCapacity().get("storage"));
        return List.of(new Action.UpdateStatus(CLAIMS, larger, "its volume has grown"),
                normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded"));
    }

    private static List<Action> release(V1PersistentVolume volume) {
        boolean released = isOurs(volume) && volume.getStatus() != null
                && "Released".equals(volume.getStatus().getPhase())
                && "Delete".equals(volume.getSpec().getPersistentVolumeReclaimPolicy())
                && volume.getMetadata().getDeletionTimestamp() == null;
        return released
                ? List.of(new Action.Delete(VOLUMES, ObjectKey.of(volume),
                        Deletion.ofUid(volume.getMetadata().getUid()), "its claim is gone"))
                : List.of();
    }

    private static boolean isOurs(V1PersistentVolume volume) {
        return NAME.equals(Metadata.annotation(volume, Volumes.PROVISIONED_BY));
    }

    private static Action normal(V1PersistentVolumeClaim claim, String reason, String message) {
        return new Action.Event(CLAIMS, claim, "Normal", reason, message);
    }
}
