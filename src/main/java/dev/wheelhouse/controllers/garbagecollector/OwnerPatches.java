package dev.wheelhouse.controllers.garbagecollector;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.client.ModelJson;

/**
 * Bodies of patches (upstream: {@code patch.go}). A strategic merge patch names what changes and demands the UID; a merge
 * patch replaces the whole list and demands the version that the list was read at.
 */
final class OwnerPatches {
    private OwnerPatches() {}

    /** Strategic: takes owners out. */
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

    /** Merge: leaves the other owners. */
    static String withoutOwners(V1ObjectMeta live, List<String> ownerUids) {
        return body("resourceVersion", String.valueOf(live.getResourceVersion()), "ownerReferences",
                OwnerReferences.of(live).stream().filter(r -> !ownerUids.contains(r.getUid())).toList());
    }

    /** Strategic: makes every blocking reference one that does not block. */
    static String unblockOwners(V1ObjectMeta live) {
        return body("uid", String.valueOf(live.getUid()), "ownerReferences", OwnerReferences.of(live).stream()
                .filter(r -> Boolean.TRUE.equals(r.getBlockOwnerDeletion())).map(OwnerPatches::unblocked).toList());
    }

    /** Merge: the same. */
    static String withUnblockedOwners(V1ObjectMeta live) {
        return body("resourceVersion", String.valueOf(live.getResourceVersion()), "ownerReferences",
                OwnerReferences.of(live).stream().map(OwnerPatches::unblocked).toList());
    }

    /** Merge: takes a finalizer out. */
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
