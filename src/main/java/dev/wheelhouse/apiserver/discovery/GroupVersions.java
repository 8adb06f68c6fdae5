package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.facts.ResourceInfo;

/**
 * A registry's resources by group and version, in discovery's order: groups as they first appear, the preferred version first.
 *
 * @param byGroup group (empty for core) → version → resources
 */
record GroupVersions(Map<String, Map<String, List<ResourceInfo>>> byGroup) {

    static GroupVersions of(List<ResourceInfo> resources) {
        Map<String, Map<String, List<ResourceInfo>>> byGroup = new LinkedHashMap<>();
        for (ResourceInfo resource : resources) {
            byGroup.computeIfAbsent(resource.type().group(), g -> new LinkedHashMap<>())
                    .computeIfAbsent(resource.type().version(), v -> new ArrayList<>()).add(resource);
        }
        return new GroupVersions(byGroup);
    }

    /** The version that objects of a resource are taken to be stored in: the first of its group that has the resource. */
    String storageVersion(ResourceInfo resource) {
        String plural = resource.type().plural();
        for (Map.Entry<String, List<ResourceInfo>> version : byGroup
                .getOrDefault(resource.type().group(), Map.of()).entrySet()) {
            if (version.getValue().stream().anyMatch(r -> r.type().plural().equals(plural))) {
                return version.getKey();
            }
        }
        return resource.type().version();
    }
}
