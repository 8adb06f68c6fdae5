package dev.wheelhouse.controllers.volume;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimStatus;
import io.kubernetes.client.openapi.models.V1VolumeAttributesClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.ResourceEventHandler;
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
        primary.addEventHandler(PROTECTION.handler(queue));
        claims.addEventHandler(
                new OfUsers<V1PersistentVolumeClaim>(AttributesClassProtectionController::classesOf));
        volumes.addEventHandler(new OfUsers<V1PersistentVolume>(AttributesClassProtectionController::classesOf));
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

    /** Wakes the classes that an object does not use any more. */
    private final class OfUsers<T> implements ResourceEventHandler<T> {
        private final Function<T, Collection<String>> uses;

        OfUsers(Function<T, Collection<String>> uses) {
            this.uses = uses;
        }

        @Override
        public void onUpdate(T before, T after) {
            Collection<String> now = uses.apply(after);
            uses.apply(before).stream().filter(name -> !now.contains(name)).forEach(this::wake);
        }

        @Override
        public void onDelete(T user, boolean finalStateUnknown) {
            uses.apply(user).forEach(this::wake);
        }

        private void wake(String name) {
            queue.add(ObjectKey.cluster(name));
        }
    }
}
