package dev.wheelhouse.apiserver.resources;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * A resource in one version of a CustomResourceDefinition.
 *
 * @param custom the schema and columns of the version
 */
public record CustomResourceInfo(ResourceType type, String singular, List<String> shortNames, List<String> categories,
        Set<String> verbs, List<Subresource> subresources, CustomType custom) implements ResourceInfo {

    /** The schema and columns of a custom resource; null for a built-in resource. */
    public static @Nullable CustomType typeOf(ResourceInfo resource) {
        return resource instanceof CustomResourceInfo defined ? defined.custom : null;
    }
}
