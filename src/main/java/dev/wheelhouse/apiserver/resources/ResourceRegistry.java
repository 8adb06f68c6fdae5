package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The served resources: the built-in ones, which are fixed, and those of CustomResourceDefinitions, which change.
 *
 * <p>Safe for use by many threads. Readers see an immutable snapshot; writers replace it.
 */
public final class ResourceRegistry {
    private static final Comparator<ResourceInfo> CUSTOM_ORDER = Comparator
            .comparing((ResourceInfo r) -> r.type().group())
            .thenComparing(r -> r.type().version(), KubeVersions.PREFERRED_FIRST)
            .thenComparing(r -> r.type().plural());

    private final List<ResourceInfo> builtIn;
    /** As {@code deployments.apps}. */
    private final Set<String> builtInNames;
    /** As {@code apps/v1}. */
    private final Set<String> builtInVersions;
    private volatile Snapshot snapshot;

    /** @param all the built-in resources, whose names no definition may have */
    private ResourceRegistry(List<ResourceInfo> all, RuntimeConfig config) {
        this.builtIn = all.stream().filter(r -> config.serves(r.type().group(), r.type().version(), r.type().plural()))
                .toList();
        this.builtInNames = all.stream().map(r -> r.type().groupResource()).collect(Collectors.toSet());
        this.builtInVersions = all.stream().map(r -> r.type().apiVersion()).collect(Collectors.toSet());
        this.snapshot = Snapshot.of(builtIn, Map.of());
    }

    /** A registry with all built-in resources, in all versions. */
    public static ResourceRegistry builtIn() {
        return builtIn(RuntimeConfig.parse("api/all=true"));
    }

    /** A registry with the built-in resources that are switched on. */
    public static ResourceRegistry builtIn(RuntimeConfig config) {
        return new ResourceRegistry(List.copyOf(BuiltInResource.all()), config);
    }

    /**
     * Returns a resource; null if it is not served.
     *
     * @param group empty for the core group
     */
    public @Nullable ResourceInfo find(String group, String version, String plural) {
        return snapshot.byKey.get(new Key(group, version, plural));
    }

    /**
     * Returns the resource of a kind; null if it is not served.
     *
     * @param apiVersion {@code apps/v1}
     */
    public @Nullable ResourceInfo findKind(String apiVersion, String kind) {
        return snapshot.byKind.get(apiVersion + " " + kind);
    }

    /**
     * All resources. Built-in ones come first, in the order of discovery. Custom ones follow by group, version and
     * name; preferred versions come first.
     */
    public List<ResourceInfo> all() {
        return snapshot.ordered;
    }

    /**
     * Whether a built-in resource has the name, in any version.
     *
     * @param groupResource {@code deployments.apps}
     */
    boolean isBuiltIn(String groupResource) {
        return builtInNames.contains(groupResource);
    }

    /**
     * Whether the group version has built-in resources.
     *
     * @param apiVersion {@code apps/v1}
     */
    boolean isBuiltInVersion(String apiVersion) {
        return builtInVersions.contains(apiVersion);
    }

    /**
     * Replaces all versions of a custom resource, at once, because a definition may have thousands. Has no effect on
     * built-in resources.
     *
     * @param versions empty if the resource is not served any more
     * @throws IllegalArgumentException if a built-in resource has the name, or the group version
     */
    public synchronized void set(String group, String plural, List<? extends ResourceInfo> versions) {
        Map<Key, ResourceInfo> custom = new LinkedHashMap<>(snapshot.custom);
        custom.keySet().removeIf(key -> key.group.equals(group) && key.plural.equals(plural));
        for (ResourceInfo resource : versions) {
            ResourceType type = resource.type();
            if (isBuiltIn(type.groupResource()) || isBuiltInVersion(type.apiVersion())) {
                throw new IllegalArgumentException(type + " is not for a definition: " + type.apiVersion()
                        + " or a resource of that name is built in");
            }
            custom.put(Key.of(resource), resource);
        }
        snapshot = Snapshot.of(builtIn, custom);
    }

    private record Key(String group, String version, String plural) {
        static Key of(ResourceInfo r) {
            return new Key(r.type().group(), r.type().version(), r.type().plural());
        }
    }

    private record Snapshot(Map<Key, ResourceInfo> custom, Map<Key, ResourceInfo> byKey,
            Map<String, ResourceInfo> byKind, List<ResourceInfo> ordered) {

        static Snapshot of(List<ResourceInfo> builtIn, Map<Key, ResourceInfo> custom) {
            Map<Key, ResourceInfo> byKey = new LinkedHashMap<>();
            builtIn.forEach(r -> byKey.put(Key.of(r), r));
            List<ResourceInfo> extra = new ArrayList<>(custom.values());
            extra.sort(CUSTOM_ORDER);
            extra.forEach(r -> byKey.put(Key.of(r), r));
            Map<String, ResourceInfo> byKind = new LinkedHashMap<>();
            byKey.values().forEach(r -> byKind.putIfAbsent(r.type().apiVersion() + " " + r.type().kind(), r));
            return new Snapshot(custom, byKey, byKind, List.copyOf(byKey.values()));
        }
    }
}
