package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/** Endpoints (upstream: {@code pkg/registry/core/endpoint}). */
final class EndpointsStrategy extends Strategy {
    EndpointsStrategy() {
        super("", "Endpoints", Map.of("endpoints", EndpointsStrategy::endpoints));
    }

    private static String endpoints(Item endpoints) {
        List<String> all = new ArrayList<>();
        for (Item subset : endpoints.items("subsets")) {
            List<String> ips = subset.items("addresses").stream().map(a -> a.text("ip")).toList();
            if (subset.size("ports") == 0) {
                all.addAll(ips);
            }
            for (Item port : subset.items("ports")) {
                ips.forEach(ip -> all.add((ip.contains(":") ? "[" + ip + "]" : ip) + ":" + port.number("port")));
            }
        }
        if (endpoints.size("subsets") == 0) {
            return Item.NONE;
        }
        return all.isEmpty() ? "" : Item.firstThree(all);
    }
}
