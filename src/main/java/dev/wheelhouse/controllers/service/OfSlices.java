package dev.wheelhouse.controllers.service;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1EndpointSlice;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.ResourceEventHandler;

/**
 * Names the Services whose slices others have changed or deleted.
 *
 * @param manager the label {@link WellKnown#MANAGED_BY} of the controller's slices
 * @param wakeInitial called for each slice of the initial list
 * @param wake called for each change by others
 */
record OfSlices(String manager, SliceTracker tracker, Consumer<ObjectKey> wakeInitial, Consumer<ObjectKey> wake)
        implements
            ResourceEventHandler<V1EndpointSlice> {

    @Override
    public void onAdd(V1EndpointSlice slice, boolean initial) {
        ObjectKey service = service(slice);
        if (service != null && isManaged(slice) && tracker.isChangedByOthers(service, slice)) {
            (initial ? wakeInitial : wake).accept(service);
        }
    }

    @Override
    public void onUpdate(V1EndpointSlice before, V1EndpointSlice after) {
        ObjectKey then = service(before);
        ObjectKey now = service(after);
        if (now == null ? then != null : !now.equals(then)) {
            wake(then);
            wake(now);
        } else if (now != null && (isManaged(before) != isManaged(after)
                || isManaged(after) && tracker.isChangedByOthers(now, after))) {
            wake(now);
        }
    }

    @Override
    public void onDelete(V1EndpointSlice slice, boolean finalStateUnknown) {
        ObjectKey service = service(slice);
        if (service != null && isManaged(slice) && tracker.isDeletedByOthers(service, slice)) {
            wake(service);
        }
    }

    private void wake(@Nullable ObjectKey service) {
        if (service != null) {
            wake.accept(service);
        }
    }

    private boolean isManaged(V1EndpointSlice slice) {
        return manager.equals(WellKnown.label(slice.getMetadata(), WellKnown.MANAGED_BY));
    }

    /** The Service of a slice; null if no label names it. */
    static @Nullable ObjectKey service(V1EndpointSlice slice) {
        String name = WellKnown.label(slice.getMetadata(), WellKnown.SERVICE);
        return name == null || name.isEmpty()
                ? null
                : ObjectKey.of(String.valueOf(slice.getMetadata().getNamespace()), name);
    }
}
