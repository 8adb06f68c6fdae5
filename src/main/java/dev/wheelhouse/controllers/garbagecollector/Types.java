package dev.wheelhouse.controllers.garbagecollector;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * Maps a kind in a version to its resource type. An owner reference may name any version that the API server serves.
 * All versions of a kind contain the same objects, so the preferred version is used. A version that is not served is
 * unknown; objects that refer to it are not garbage (upstream: {@code apiResource} in
 * {@code garbagecollector/operations.go}). Immutable.
 */
final class Types {
    static final Types NONE = new Types(List.of(), List.of());

    private final Map<VersionKind, ResourceType> byKind = new HashMap<>();

    private record VersionKind(String apiVersion, String kind) {}

    /** @param otherVersions the same types in their other served versions */
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

    /** The type in its preferred version; null if no such kind and version is known. */
    @Nullable
    ResourceType of(String apiVersion, String kind) {
        return byKind.get(new VersionKind(apiVersion, kind));
    }
}
