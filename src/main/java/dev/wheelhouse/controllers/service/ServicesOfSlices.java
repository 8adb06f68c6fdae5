package dev.wheelhouse.controllers.service;

import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1EndpointSlice;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Change;

/**
 * Names the Services whose slices others have changed or deleted.
 *
 * @param manager the label {@link WellKnown#MANAGED_BY} of the controller's slices
 */
record ServicesOfSlices(String manager, SliceTracker tracker) {
    Stream<ObjectKey> keys(Change<V1EndpointSlice> change) {
        V1EndpointSlice slice = change.object();
        ObjectKey service = service(slice);
        if (change.alters(ServicesOfSlices::service)) {
            return change.states().map(ServicesOfSlices::service).filter(Objects::nonNull);
        }
        return service != null && (change.alters(this::isManaged) || isManaged(slice) && (change.isDeletion()
                ? tracker.isDeletedByOthers(service, slice)
                : tracker.isChangedByOthers(service, slice))) ? Stream.of(service) : Stream.empty();
    }

    private boolean isManaged(V1EndpointSlice slice) {
        return manager.equals(Metadata.label(slice, WellKnown.MANAGED_BY));
    }

    /** The Service of a slice; null if no label names it. */
    static @Nullable ObjectKey service(V1EndpointSlice slice) {
        String name = Metadata.label(slice, WellKnown.SERVICE);
        return name == null || name.isEmpty()
                ? null
                : ObjectKey.of(String.valueOf(slice.getMetadata().getNamespace()), name);
    }
}
