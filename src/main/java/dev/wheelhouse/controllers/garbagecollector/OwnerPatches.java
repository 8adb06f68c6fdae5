package dev.wheelhouse.controllers.garbagecollector;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.client.ModelJson;

/**
 * Makes the bodies of patches (upstream: {@code patch.go}). A strategic merge patch contains the changed references and
 * requires the object's UID. A merge patch replaces the whole list and requires the version at which the list was read.
 */
final class OwnerPatches {
    private OwnerPatches() {}

    /** A strategic merge patch that removes owners. */
    static String deleteOwners(String uid, List<String> ownerUids) {
        List<Map<String, Object>> references = new ArrayList<>();
        ownerUids.forEach(owner -> {
            Map<String, Object> reference = new LinkedHashMap<>();
            reference.put("$patch", "delete");
            reference.put("uid", owner);
            references.add(reference);
        });
        return body("uid", uid, "ownerReferences", references);
    }

    /** A merge patch that removes owners. */
    static String withoutOwners(V1ObjectMeta live, List<String> ownerUids) {
        Set<String> removed = new HashSet<>(ownerUids);
        return body("resourceVersion", String.valueOf(live.getResourceVersion()), "ownerReferences",
                OwnerReferences.of(live).stream().filter(r -> !removed.contains(r.getUid())).toList());
    }

    /** A strategic merge patch after which no owner reference blocks the deletion of its owner. */
    static String unblockOwners(V1ObjectMeta live) {
        return body("uid", String.valueOf(live.getUid()), "ownerReferences", OwnerReferences.of(live).stream()
                .filter(r -> Boolean.TRUE.equals(r.getBlockOwnerDeletion())).map(OwnerPatches::unblocked).toList());
    }

    /** A merge patch after which no owner reference blocks the deletion of its owner. */
    static String withUnblockedOwners(V1ObjectMeta live) {
        return body("resourceVersion", String.valueOf(live.getResourceVersion()), "ownerReferences",
                OwnerReferences.of(live).stream().map(OwnerPatches::unblocked).toList());
    }

    /** A merge patch that removes a finalizer. */
    static String withoutFinalizer(V1ObjectMeta live, String finalizer) {
        return body("resourceVersion", String.valueOf(live.getResourceVersion()), "finalizers",
                Finalizers.of(live).stream().filter(f -> !f.equals(finalizer)).toList());
    }

    private static V1OwnerReference unblocked(V1OwnerReference reference) {
        return ModelJson.copy(reference).blockOwnerDeletion(false);
    }

    private static String body(String precondition, String value, String field, List<?> list) {
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put(precondition, value);
        meta.put(field, list);
        return ModelJson.write(Map.of("metadata", meta));
    }
}
