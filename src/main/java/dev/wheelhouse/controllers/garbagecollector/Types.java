package dev.wheelhouse.controllers.garbagecollector;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * Finds the resource type of a kind. An owner reference may name any version that the API server serves; all versions of a kind
 * show the same objects, so the preferred one is as good. A version that is not served means nothing: what refers to it is not
 * garbage (upstream: {@code apiResource} in {@code garbagecollector/operations.go}). Immutable.
 */
final class Types {
    static final Types NONE = new Types(List.of(), List.of());

    private final Map<VersionKind, ResourceType> byKind = new HashMap<>();

    private record VersionKind(String apiVersion, String kind) {}

    /** @param otherVersions the same types in versions that are served too */
    Types(Collection<ResourceType> preferred, Collection<ResourceType> otherVersions) {
        Map<String, ResourceType> byResource = new HashMap<>();
        for (ResourceType type : preferred) {
            byResource.put(type.groupResource(), type);
            byKind.put(new VersionKind(type.apiVersion(), type.kind()), type);
        }
        for (ResourceType other : otherVersions) {
            ResourceType type = byResource.get(other.groupResource());
            if (type != null) {
                byKind.putIfAbsent(new VersionKind(other.apiVersion(), other.kind()), type);
            }
        }
    }

    /** The type, or null if the API server is not known to have it in that version. */
    @Nullable
    ResourceType of(String apiVersion, String kind) {
        return byKind.get(new VersionKind(apiVersion, kind));
    }
}
