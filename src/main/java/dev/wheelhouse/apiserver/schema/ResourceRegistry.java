package dev.wheelhouse.apiserver.schema;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** The resources that the server serves: the built-in ones, and those of custom resource definitions, which come and go. */
public final class ResourceRegistry {
    /** A registry with all built-in resources. */
    public static ResourceRegistry builtIn() {
        throw new UnsupportedOperationException();
    }

    /** @param group empty for the core group */
    public @Nullable ResourceInfo find(String group, String version, String plural) {
        throw new UnsupportedOperationException();
    }

    /** All resources, ordered by group as discovery orders them, then by name. */
    public List<ResourceInfo> all() {
        throw new UnsupportedOperationException();
    }

    /** Adds or replaces a resource. */
    public void put(ResourceInfo resource) {
        throw new UnsupportedOperationException();
    }

    public void remove(String group, String version, String plural) {
        throw new UnsupportedOperationException();
    }
}
