package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Claims of devices. Their defaults are those of claim templates too (upstream:
 * {@code pkg/registry/resource/resourceclaim}).
 */
final class ResourceClaimStrategy extends Strategy {
    private static final int MOST_CONSUMERS = 256;

    ResourceClaimStrategy() {
        super("resource.k8s.io", "ResourceClaim", TableColumn.objectName(),
                TableColumn.of("State", "Whether the claim is allocated and reserved.", ResourceClaimStrategy::state),
                TableColumn.age());
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

    @Override
    protected void validate(ObjectNode claim, Problems problems) {
        DeviceRequestRules.check(claim, claim.path("spec"), "spec", problems);
    }

    @Override
    protected void validateUpdate(ObjectNode claim, ObjectNode old, Problems problems) {
        problems.immutable("spec", claim.get("spec"), old.get("spec"));
    }

    @Override
    protected void validateStatus(ObjectNode claim, ObjectNode old, Problems problems) {
        JsonNode status = claim.path("status");
        JsonNode reservedFor = status.path("reservedFor");
        if (reservedFor.size() > MOST_CONSUMERS) {
            problems.tooMany("status.reservedFor", reservedFor.size(), MOST_CONSUMERS);
            return;
        }
        Problems.each(status, "status", "reservedFor", (consumer, at) -> {
            for (String field : List.of("resource", "name", "uid")) {
                problems.filled(consumer, at, field);
            }
        });
        Set<String> uids = new HashSet<>();
        Problems.each(status, "status", "reservedFor", (consumer, at) -> {
            problems.unique(uids, Json.text(consumer, "uid"), at, "\"" + Json.text(consumer, "uid") + "\"");
        });
        if (!reservedFor.isEmpty() && !status.has("allocation")) {
            problems.forbidden("status.reservedFor", "may not be specified when `allocated` is not set");
        } else if (claim.path("metadata").has("deletionTimestamp")
                && !elements(old.at("/status/reservedFor")).containsAll(elements(reservedFor))) {
            problems.forbidden("status.reservedFor",
                    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
        }
        if (old.path("status").has("allocation") && status.has("allocation")) {
            problems.immutable("status.allocation", status.get("allocation"), old.at("/status/allocation"));
        } else {
            DeviceRequestRules.checkResults(claim, status.at("/allocation/devices"), "status.allocation.devices",
                    problems);
        }
    }

    private static Set<JsonNode> elements(JsonNode list) {
        return list.valueStream().collect(Collectors.toSet());
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
}
