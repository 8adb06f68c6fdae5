package dev.wheelhouse.apiserver.resources;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * A resource that a CustomResourceDefinition defines, in one version.
 *
 * @param custom the schema and the columns of the definition's version
 */
public record CustomResourceInfo(ResourceType type, String singular, List<String> shortNames, List<String> categories,
        Set<String> verbs, List<Subresource> subresources, CustomType custom) implements ResourceInfo {

    /** The definition's schema and columns; null for a built-in resource. */
    public static @Nullable CustomType typeOf(ResourceInfo resource) {
        return resource instanceof CustomResourceInfo defined ? defined.custom : null;
    }
}
