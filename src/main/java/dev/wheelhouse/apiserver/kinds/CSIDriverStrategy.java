package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;

/** CSI drivers (upstream: {@code pkg/registry/storage/csidriver}). */
final class CSIDriverStrategy extends Strategy {
    CSIDriverStrategy() {
        super("storage.k8s.io", "CSIDriver", Map.of("audiences", o -> o.has("spec", "tokenRequests")
                ? o.join(t -> t.text("audience"), "spec", "tokenRequests")
                : Item.UNSET));
    }

    @Override
    public void warn(ObjectNode object, @Nullable ObjectNode old, List<String> warnings) {
        JsonNode spec = object.path("spec");
        if (!spec.path("tokenRequests").isEmpty() && Json.at(spec, "serviceAccountTokenInSecrets") == null) {
            warnings.add("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true "
                    + "to prevent possible logging of tokens in volume attributes");
        }
    }
}
