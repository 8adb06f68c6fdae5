package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;


import dev.wheelhouse.apiserver.table.Item;


/**
 * Claims of devices. Their defaults are those of claim templates too (upstream:
 * {@code pkg/registry/resource/resourceclaim}).
 */
final class ResourceClaimStrategy extends Strategy {
    ResourceClaimStrategy() {
        super("resource.k8s.io", "ResourceClaim", Map.of("state", ResourceClaimStrategy::state));
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
