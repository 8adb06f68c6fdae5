package dev.wheelhouse.apiserver.schema;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.api.ResourceType;

/**
 * What discovery says of one resource in one version.
 *
 * @param subresources by name ({@code status}, {@code scale}, …): the kind that it answers with, and its verbs
 */
public record ResourceInfo(ResourceType type, String singular, List<String> shortNames, List<String> categories,
        Set<String> verbs,
        List<Subresource> subresources) {

    /** @param group of the subresource's kind; empty where it is the resource's own */
    public record Subresource(String name, String group, String version, String kind, Set<String> verbs) {}

    public boolean has(String subresource) {
        return subresources.stream().anyMatch(s -> s.name().equals(subresource));
    }
}
