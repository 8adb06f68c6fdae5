package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

/** Ranges of cluster IPs. An update can add a second range (upstream: {@code pkg/registry/networking/servicecidr}). */
final class ServiceCIDRStrategy extends Strategy {
    ServiceCIDRStrategy() {
        super("networking.k8s.io", "ServiceCIDR");
    }

    static void atMostTwo(Subject ranges) {
        if (ranges.value().size() > 2) {
            ranges.problems().invalid(ranges.path(), ranges.object(), "may only hold up to 2 values");
        }
    }

    static void rangesStay(Subject ranges) {
        JsonNode now = ranges.value();
        JsonNode before = ranges.old();
        if (now.size() < before.size()) {
            ranges.problems().invalid(ranges.path(), now, "field is immutable");
        }
        for (int i = 0; i < Math.min(now.size(), before.size()); i++) {
            if (!now.get(i).equals(before.get(i))) {
                ranges.problems().invalid(Problems.at(ranges.path(), i), now.get(i), "field is immutable");
            }
        }
        if (now.size() > before.size()) {
            check("ServiceCIDR", ranges.root(), null, "", ranges.problems());
        }
    }
}
