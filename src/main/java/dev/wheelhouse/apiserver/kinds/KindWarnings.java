package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.facts.Schemas;

/** Warns of what is valid and probably not meant (upstream: the {@code WarningsOnCreate} functions of {@code pkg/registry}). */
public final class KindWarnings {
    private static final Set<String> OF_THE_SYSTEM = Set.of("kubernetes", "orphan", "foregroundDeletion");

    private KindWarnings() {}

    /** @param old null for a new object @param warnings gets them */
    public static void of(ResourceType type, ObjectNode object, @Nullable ObjectNode old, List<String> warnings) {
        if (!Schemas.isBuiltIn(type)) {
            List<String> before = old == null ? List.of() : Meta.finalizers(old);
            for (String finalizer : Meta.finalizers(object)) {
                if (finalizer.indexOf('/') < 0 && !OF_THE_SYSTEM.contains(finalizer) && !before.contains(finalizer)) {
                    warnings.add("metadata.finalizers: \"" + finalizer + "\": prefer a domain-qualified finalizer name "
                            + "to avoid accidental conflicts with other finalizer writers");
                }
            }
        } else if (type.kind().equals("CSIDriver")) {
            JsonNode spec = object.path("spec");
            if (!spec.path("tokenRequests").isEmpty() && Json.at(spec, "serviceAccountTokenInSecrets") == null) {
                warnings.add("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true "
                        + "to prevent possible logging of tokens in volume attributes");
            }
        }
    }
}
