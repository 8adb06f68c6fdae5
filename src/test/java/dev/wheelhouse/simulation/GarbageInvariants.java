package dev.wheelhouse.simulation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;

/**
 * The garbage collector deletes no object that has an owner, except an owner that waits for the deletion of its
 * dependents. At the end no object's owners are all gone.
 *
 * @param types the types that discovery lists
 */
record GarbageInvariants(Truth truth, List<ResourceType> types) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(GarbageCollector.NAME) || !write.request().verb().equals("delete")) {
            return List.of();
        }
        V1ObjectMeta object = truth.metadata(write.request().type(), write.request().key());
        if (object == null || object.getOwnerReferences() == null) {
            return List.of();
        }
        return object.getOwnerReferences().stream().filter(this::keeps).findFirst()
                .map(o -> List.of("the garbage collector deletes " + object.getName() + ", whose owner " + o.getKind()
                        + " " + o.getName() + " exists"))
                .orElse(List.of());
    }

    private boolean keeps(V1OwnerReference reference) {
        V1ObjectMeta owner = owner(reference);
        return owner != null && (owner.getDeletionTimestamp() == null || owner.getFinalizers() == null
                || !owner.getFinalizers().contains("foregroundDeletion"));
    }

    /** The owner; null if it is gone. */
    private @Nullable V1ObjectMeta owner(V1OwnerReference reference) {
        return types.stream().filter(t -> t.kind().equals(reference.getKind()))
                .flatMap(t -> truth.list(t, PartialObjectMetadata.class).stream())
                .map(PartialObjectMetadata::getMetadata).filter(m -> reference.getUid().equals(m.getUid())).findFirst()
                .orElse(null);
    }

    @Override
    public List<String> atEnd() {
        return types.stream().flatMap(t -> truth.list(t, PartialObjectMetadata.class).stream())
                .map(PartialObjectMetadata::getMetadata)
                .filter(m -> m.getOwnerReferences() != null && !m.getOwnerReferences().isEmpty()
                        && m.getOwnerReferences().stream().allMatch(o -> owner(o) == null))
                .map(m -> "all owners of " + m.getName() + " are gone").toList();
    }
}
