package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;

/**
 * The writes of slices, in the order in which no address is missing for a while: creations, updates, deletions. Updates
 * and deletions require the versions that they were decided on.
 */
final class SliceWrites {
    private final List<Action> creates = new ArrayList<>();
    private final List<Action> updates = new ArrayList<>();
    private final List<Action> deletes = new ArrayList<>();

    void create(V1EndpointSlice slice) {
        creates.add(new Action.Create(ResourceType.ENDPOINT_SLICES, slice, "its endpoints are in no slice"));
    }

    void update(V1EndpointSlice slice) {
        updates.add(new Action.Update(ResourceType.ENDPOINT_SLICES, slice, "its endpoints have changed"));
    }

    void delete(V1EndpointSlice slice, String why) {
        V1ObjectMeta meta = slice.getMetadata();
        deletes.add(new Action.Delete(ResourceType.ENDPOINT_SLICES, ObjectKey.of(slice),
                new Deletion(null, meta.getUid(), meta.getResourceVersion(), null), why));
    }

    /** All writes in order. */
    List<Action> actions() {
        List<Action> all = new ArrayList<>(creates);
        all.addAll(updates);
        all.addAll(deletes);
        return all;
    }

    /**
     * The beginning of upstream's words for a failed write.
     *
     * @param of the kind and the key of the object that the slice is for
     */
    static String failure(Action.@Nullable Write write, String of) {
        return write instanceof Action.Create || write == null
                ? "failed to create EndpointSlice for " + of + ": "
                : "failed to " + write.verb() + " " + write.target().name() + " EndpointSlice for " + of + ": ";
    }

    int count() {
        return creates.size() + updates.size() + deletes.size();
    }
}
