package dev.wheelhouse.apiserver.patch;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;

/**
 * The kind of one write, in the version of its request and in those of the object's managers, whose fields are compared
 * with the object in their own version (upstream: structured-merge-diff's {@code merge/update.go}).
 */
record VersionedKind(String apiVersion, String kind, String subresource, KindVersions versions) {
    Structure structure(String version) {
        return Structure.ofKind(version, kind, versions.type(version));
    }

    /** The fields that the request cannot change. Of a custom resource, they are known in its own version only. */
    FieldSet ignored(String version) {
        boolean known = version.equals(apiVersion) || versions.type(apiVersion) == null;
        return known ? UnmanagedFields.of(kind, subresource, versions.type(version)) : new FieldSet();
    }

    Comparison compare(JsonNode before, JsonNode after, String version) {
        return Comparison.of(before, after, structure(version)).without(UnmanagedFields.MANAGED_FIELDS)
                .without(ignored(version));
    }

    /**
     * The object in another version; the same object if it has that version.
     *
     * @param failure the beginning of the error's message
     * @return null if there is no such version
     * @throws PatchException 500 if the object cannot be converted, or has fields that the version does not have
     */
    @Nullable
    ObjectNode in(String version, JsonNode object, String failure) {
        ObjectNode given = (ObjectNode) object;
        if (Json.text(given, "apiVersion").equals(version)) {
            return given;
        }
        String problem;
        try {
            ObjectNode converted = versions.converted(given, version);
            problem = converted == null ? null : AppliedConfig.problem(converted, structure(version));
            if (problem == null) {
                return converted;
            }
        } catch (PatchException e) {
            problem = e.getMessage();
        }
        throw new PatchException(500, failure + problem);
    }

    /** The changes of a write, by version. */
    final class Changes {
        private final ObjectNode before;
        private final ObjectNode after;
        private final Map<String, Comparison> byVersion = new HashMap<>();

        Changes(ObjectNode before, ObjectNode after, Comparison own) {
            this.before = before;
            this.after = after;
            byVersion.put(apiVersion, own);
        }

        /** @throws PatchException if the object cannot be converted to the version */
        Comparison in(String version) {
            return byVersion.computeIfAbsent(version, other -> {
                ObjectNode old = VersionedKind.this.in(other, before, "failed to convert old object: ");
                ObjectNode now = VersionedKind.this.in(other, after, "failed to convert new object: ");
                return old == null || now == null ? Comparison.NONE : compare(old, now, other);
            });
        }
    }
}
