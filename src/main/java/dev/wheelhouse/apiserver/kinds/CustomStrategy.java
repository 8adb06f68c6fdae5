package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Meta;

/** Custom resources of all kinds (upstream: {@code apiextensions-apiserver/pkg/registry/customresource}). */
final class CustomStrategy extends Strategy {
    CustomStrategy() {
        super("", "custom resources");
    }

    private static final Set<String> OF_THE_SYSTEM = Set.of("kubernetes", "orphan", "foregroundDeletion");

    @Override
    protected boolean isBuiltIn() {
        return false;
    }

    @Override
    public void warn(String subresource, ObjectNode object, @Nullable ObjectNode old, List<String> warnings) {
        if (!subresource.isEmpty()) {
            return;
        }
        List<String> before = old == null ? List.of() : Meta.finalizers(old);
        for (String finalizer : Meta.finalizers(object)) {
            if (finalizer.indexOf('/') < 0 && !OF_THE_SYSTEM.contains(finalizer) && !before.contains(finalizer)) {
                warnings.add("metadata.finalizers: \"" + finalizer + "\": prefer a domain-qualified finalizer name "
                        + "to avoid accidental conflicts with other finalizer writers");
            }
        }
    }

    @Override
    public void deleted(ResourceType type, Supplier<ObjectNode> object, ClusterState state) {
        state.customResources().finishDeletion(type.groupResource());
    }
}
