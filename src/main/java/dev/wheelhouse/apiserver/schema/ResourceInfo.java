package dev.wheelhouse.apiserver.schema;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * What discovery says of one resource in one version. Immutable.
 *
 * @param subresources by name ({@code status}, {@code scale}, …): the kind that it answers with, and its verbs
 * @param custom what its CustomResourceDefinition says; null for a built-in one
 */
public record ResourceInfo(ResourceType type, String singular, List<String> shortNames, List<String> categories,
        Set<String> verbs,
        List<Subresource> subresources, @Nullable CustomType custom) {

    /** A resource that no CustomResourceDefinition defines. */
    public ResourceInfo(ResourceType type, String singular, List<String> shortNames, List<String> categories,
            Set<String> verbs, List<Subresource> subresources) {
        this(type, singular, shortNames, categories, verbs, subresources, null);
    }

    /**
     * @param group of the subresource's kind; empty where it is the resource's own
     * @param version of the subresource's kind; empty where it is the resource's own
     */
    public record Subresource(String name, String group, String version, String kind, Set<String> verbs) {}

    public boolean has(String subresource) {
        return subresource(subresource) != null;
    }

    /** The subresource of that name, or null. */
    public @Nullable Subresource subresource(String name) {
        for (Subresource subresource : subresources) {
            if (subresource.name().equals(name)) {
                return subresource;
            }
        }
        return null;
    }
}
