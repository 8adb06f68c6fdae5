package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/** CSI drivers (upstream: {@code pkg/registry/storage/csidriver}). */
final class CSIDriverStrategy extends Strategy {
    CSIDriverStrategy() {
        super("storage.k8s.io", "CSIDriver", Map.of("audiences", o -> o.has("spec", "tokenRequests")
                ? o.join(t -> t.text("audience"), "spec", "tokenRequests")
                : Item.UNSET));
    }
}
