package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.facts.Quantities;

/** CSI storage capacities (upstream: {@code pkg/registry/storage/csistoragecapacity}). */
final class CSIStorageCapacityStrategy extends Strategy {

    CSIStorageCapacityStrategy() {
        super("storage.k8s.io", "CSIStorageCapacity", Set.of(Trait.UPDATED_BY_VERSION));
    }

    @Override
    protected void validate(ObjectNode capacity, Problems problems) {
        problems.formed("storageClassName", Json.text(capacity, "storageClassName"), Formats::dnsSubdomain);
        Selectors.validate(capacity.get("nodeTopology"), "nodeTopology", problems);
        for (String field : List.of("capacity", "maximumVolumeSize")) {
            BigDecimal size = Quantities.parse(Json.text(capacity, field));
            if (size != null && size.signum() < 0) {
                problems.invalid(field, Json.text(capacity, field), "must be greater than or equal to 0");
            }
        }
    }
}
