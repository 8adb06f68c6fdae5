package dev.wheelhouse.apiserver.discovery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.wheelhouse.facts.ResourceInfo;

/**
 * Resources by group and version, in the order of discovery: groups as they first appear in the registry, the preferred
 * version of a group first.
 *
 * @param byGroup group (empty for the core group) → version → resources
 */
record GroupVersions(Map<String, Map<String, List<ResourceInfo>>> byGroup) {

    static GroupVersions of(List<ResourceInfo> resources) {
        return new GroupVersions(resources.stream().collect(Collectors.groupingBy(info -> info.type().group(),
                LinkedHashMap::new, Collectors.groupingBy(info -> info.type().version(), LinkedHashMap::new,
                        Collectors.toList()))));
    }

    /** The storage version that discovery assumes for a resource: the first version of its group that has it. */
    String storageVersion(ResourceInfo resource) {
        String plural = resource.type().plural();
        return byGroup.getOrDefault(resource.type().group(), Map.of()).entrySet().stream()
                .filter(version -> version.getValue().stream().anyMatch(r -> r.type().plural().equals(plural)))
                .findFirst().map(Map.Entry::getKey).orElse(resource.type().version());
    }
}
