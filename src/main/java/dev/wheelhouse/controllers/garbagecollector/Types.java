package dev.wheelhouse.controllers.garbagecollector;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * Finds the resource type of a kind. An owner reference may name any version of a group; all versions of a kind show the same
 * objects, so the preferred one is as good. Immutable.
 */
final class Types {
    static final Types NONE = new Types(java.util.List.of());

    private final Map<GroupKind, ResourceType> byKind = new HashMap<>();

    private record GroupKind(String group, String kind) {}

    Types(Collection<ResourceType> types) {
        types.forEach(type -> byKind.put(new GroupKind(type.group(), type.kind()), type));
    }

    /** The type, or null if the API server is not known to have it. */
    @Nullable
    ResourceType of(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        return byKind.get(new GroupKind(slash < 0 ? "" : apiVersion.substring(0, slash), kind));
    }
}
