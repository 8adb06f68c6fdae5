package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.facts.ResourceInfo;

/**
 * Resources by group and version, in the order of discovery: groups as they first appear in the registry, the preferred
 * version of a group first.
 *
 * @param byGroup group (empty for the core group) → version → resources
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

    /** The storage version that discovery assumes for a resource: the first version of its group that has it. */
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
