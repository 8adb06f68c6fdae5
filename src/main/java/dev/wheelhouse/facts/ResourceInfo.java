package dev.wheelhouse.facts;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * The facts that discovery publishes about one resource in one version, be it built in or custom. Implementations are
 * immutable.
 */
public interface ResourceInfo {
    ResourceType type();

    String singular();

    List<String> shortNames();

    List<String> categories();

    Set<String> verbs();

    List<Subresource> subresources();

    /**
     * A part of a resource's objects with a path of its own.
     *
     * @param name {@code status}, {@code scale}, …; may have a slash
     * @param group the group of the subresource's kind; empty if it is the resource's group
     * @param version the version of the subresource's kind; empty if it is the resource's version
     * @param kind the kind of the objects that the subresource answers with
     * @param verbs the verbs that the subresource supports
     */
    record Subresource(String name, String group, String version, String kind, Set<String> verbs) {}

    /** The kind of the bodies of a subresource, such as Scale; this resource if they are its own objects. */
    default ResourceInfo bodyOf(String subresource) {
        Subresource part = subresource(subresource);
        if (part == null || part.kind().equals(type().kind())) {
            return this;
        }
        ResourceType own = type();
        return new BuiltInResource(new ResourceType(part.group().isEmpty() ? own.group() : part.group(),
                part.version().isEmpty() ? own.version() : part.version(), own.plural(), part.kind(),
                own.namespaced()), "", List.of(), List.of(), Set.of(), List.of());
    }

    /** Whether the resource has a subresource of that name. */
    default boolean has(String subresource) {
        return subresource(subresource) != null;
    }

    /** The subresource of that name; null if the resource has none. */
    default @Nullable Subresource subresource(String name) {
        return subresources().stream().filter(subresource -> subresource.name().equals(name)).findFirst().orElse(null);
    }
}
