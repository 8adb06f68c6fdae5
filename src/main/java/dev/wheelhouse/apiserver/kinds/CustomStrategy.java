package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.facts.ResourceInfo;

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

    /** The status counts as well unless it is a subresource. */
    @Override
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        super.prepareForUpdate(info, subresource, object, old, state);
        long before = Json.number(Meta.of(old), 0, "generation");
        if (!info.has("status") && !object.path("status").equals(old.path("status"))
                && Json.number(Meta.of(object), 0, "generation") == before) {
            Meta.of(object).put("generation", before + 1);
        }
    }

    @Override
    public void warn(String subresource, ObjectNode object, @Nullable ObjectNode old, List<String> warnings) {
        if (!subresource.isEmpty()) {
            return;
        }
        Set<String> added = new TreeSet<>(Meta.finalizers(object));
        added.removeAll(old == null ? List.of() : Meta.finalizers(old));
        for (String finalizer : added) {
            String beginning = "metadata.finalizers: \"" + finalizer + "\": ";
            Formats.qualifiedName(finalizer).forEach(problem -> warnings.add(beginning + problem));
            if (finalizer.indexOf('/') < 0 && !OF_THE_SYSTEM.contains(finalizer)) {
                warnings.add(beginning + "prefer a domain-qualified finalizer name "
                        + (finalizer.indexOf('.') < 0 ? "" : "including a path (/) ")
                        + "to avoid accidental conflicts with other finalizer writers");
            }
        }
    }

    @Override
    public void deleted(ResourceType type, Supplier<ObjectNode> object, ClusterState state) {
        state.customResources().finishDeletion(type.groupResource());
    }
}
