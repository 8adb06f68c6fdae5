package dev.wheelhouse.controllers.volume;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimStatus;
import io.kubernetes.client.openapi.models.V1VolumeAttributesClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Keeps VolumeAttributesClasses that claims or volumes use from being deleted (upstream:
 * {@code pkg/controller/volume/vacprotection}). The caches alone decide: a claim that they do not show yet keeps
 * nothing.
 */
public final class AttributesClassProtectionController extends ObjectController<V1VolumeAttributesClass> {
    public static final String NAME = "volumeattributesclass-protection-controller";

    private static final Protection PROTECTION = new Protection(ResourceType.VOLUME_ATTRIBUTES_CLASSES,
            "kubernetes.io/vac-protection");
    private static final String BY_CLASS = NAME + "/class";

    private final SharedIndexInformer<V1PersistentVolumeClaim> claims;
    private final SharedIndexInformer<V1PersistentVolume> volumes;

    public AttributesClassProtectionController(ControllerContext context) {
        super(NAME, context, ResourceType.VOLUME_ATTRIBUTES_CLASSES, V1VolumeAttributesClass.class);
        this.claims = informerFor(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        this.volumes = informerFor(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        claims.getIndexer().addIndex(BY_CLASS, AttributesClassProtectionController::classesOf);
        volumes.getIndexer().addIndex(BY_CLASS, AttributesClassProtectionController::classesOf);
        watch(primary).when(PROTECTION::concerns).enqueue(ObjectKey::of);
        watch(claims).enqueueFor(change -> freed(change, AttributesClassProtectionController::classesOf));
        watch(volumes).enqueueFor(change -> freed(change, AttributesClassProtectionController::classesOf));
    }

    /** The classes that a claim requests, has, and changes to. */
    private static Collection<String> classesOf(V1PersistentVolumeClaim claim) {
        V1PersistentVolumeClaimStatus status = Objects.requireNonNullElseGet(claim.getStatus(),
                V1PersistentVolumeClaimStatus::new);
        return Stream.of(claim.getSpec().getVolumeAttributesClassName(), status.getCurrentVolumeAttributesClassName(),
                status.getModifyVolumeStatus() == null
                        ? null
                        : status.getModifyVolumeStatus().getTargetVolumeAttributesClassName())
                .filter(name -> name != null && !name.isEmpty()).distinct().toList();
    }

    private static Collection<String> classesOf(V1PersistentVolume volume) {
        String name = volume.getSpec().getVolumeAttributesClassName();
        return name == null || name.isEmpty() ? List.of() : List.of(name);
    }

    @Override
    protected Result sync(ObjectKey key, V1VolumeAttributesClass attributes, SyncRun run) {
        boolean used = !volumes.getIndexer().byIndex(BY_CLASS, key.name()).isEmpty()
                || !claims.getIndexer().byIndex(BY_CLASS, key.name()).isEmpty();
        return run.execute(PROTECTION.decide(attributes, used)).toResult();
    }

    /** The classes that an object does not use any more. */
    private static <T extends KubernetesObject> Stream<ObjectKey> freed(Change<T> change,
            Function<T, Collection<String>> uses) {
        Collection<String> now = change.after() == null ? List.of() : uses.apply(change.after());
        return Stream.ofNullable(change.before()).flatMap(before -> uses.apply(before).stream())
                .filter(name -> !now.contains(name)).map(ObjectKey::cluster);
    }
}
