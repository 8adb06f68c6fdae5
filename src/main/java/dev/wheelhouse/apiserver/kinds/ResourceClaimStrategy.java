package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Rules.Check;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Claims of devices. Their defaults are those of claim templates too (upstream:
 * {@code pkg/registry/resource/resourceclaim}).
 */
final class ResourceClaimStrategy extends Strategy {
    ResourceClaimStrategy() {
        super("resource.k8s.io", "ResourceClaim", Map.of("state", ResourceClaimStrategy::state));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        for (String version : List.of("v1", "v1beta1", "v1beta2")) {
            rules.put("io.k8s.api.resource." + version + ".ExactDeviceRequest", ResourceClaimStrategy::addDefaults);
            rules.put("io.k8s.api.resource." + version + ".DeviceSubRequest", ResourceClaimStrategy::addDefaults);
        }
    }

    private static void addDefaults(ObjectNode request) {
        set(request, "allocationMode", "ExactCount");
        if (Json.text(request, "allocationMode").equals("ExactCount") && Json.number(request, 0, "count") == 0) {
            request.put("count", 1);
        }
    }

    private static String state(Item claim) {
        List<String> states = new ArrayList<>();
        if (claim.deleting()) {
            states.add("deleted");
        }
        if (claim.has("status", "allocation")) {
            states.add("allocated");
            if (claim.size("status", "reservedFor") > 0) {
                states.add("reserved");
            }
        } else if (!claim.deleting()) {
            states.add("pending");
        }
        return String.join(",", states);
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        DeviceRules.addChecks(checks);
    }
}
