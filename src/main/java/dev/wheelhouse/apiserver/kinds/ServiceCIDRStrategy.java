package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Ranges of cluster IPs. An update can add a second range (upstream: {@code pkg/registry/networking/servicecidr}). */
final class ServiceCIDRStrategy extends Strategy {
    ServiceCIDRStrategy() {
        super("networking.k8s.io", "ServiceCIDR");
    }

    @Override
    protected void validate(ObjectNode range, Problems problems) {
        JsonNode ranges = range.path("spec").path("cidrs");
        if (ranges.isEmpty()) {
            problems.required("spec.cidrs", "at least one CIDR required");
        } else if (ranges.size() > 2) {
            problems.invalid("spec.cidrs", range.get("spec"), "may only hold up to 2 values");
        } else {
            boolean valid = true;
            int i = 0;
            for (JsonNode node : ranges) {
                List<String> wrong = Formats.cidr(node.asString(""));
                valid &= wrong.isEmpty();
                problems.invalid(Problems.at("spec.cidrs", i++), node.asString(""), wrong);
            }
            if (valid && ranges.size() == 2
                    && ranges.get(0).asString().contains(":") == ranges.get(1).asString().contains(":")) {
                problems.invalid("spec.cidrs", ranges, "may specify no more than one IP for each IP family, i.e "
                        + "192.168.0.0/24 and 2001:db8::/64");
            }
        }
    }

    @Override
    protected void validateUpdate(ObjectNode range, ObjectNode old, Problems problems) {
        JsonNode now = range.path("spec").path("cidrs");
        JsonNode before = old.path("spec").path("cidrs");
        if (now.size() < before.size()) {
            problems.invalid("spec.cidrs", now, "field is immutable");
        }
        for (int i = 0; i < Math.min(now.size(), before.size()); i++) {
            if (!now.get(i).equals(before.get(i))) {
                problems.invalid(Problems.at("spec.cidrs", i), now.get(i), "field is immutable");
            }
        }
        if (now.size() > before.size()) {
            validate(range, problems);
        }
    }
}
