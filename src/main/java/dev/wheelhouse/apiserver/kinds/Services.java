package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * What becomes of the values that the server gave a Service when it is changed: they are kept where the request leaves them out, and go where
 * its new type has no use for them (upstream: {@code pkg/registry/core/service/strategy.go}, {@code storage/storage.go}).
 */
public final class Services {
    private Services() {}

    public static void carryOver(ObjectNode service, ObjectNode old) {
        ObjectNode spec = Json.child(service, "spec");
        ObjectNode before = Json.child(old, "spec");
        dropUseless(spec, before);
        boolean sameList = before.get("clusterIPs") != null && before.get("clusterIPs").equals(spec.get("clusterIPs"));
        String address = Json.text(spec, "clusterIP");
        if (sameList && !address.isEmpty() && !address.equals(Json.text(before, "clusterIP"))) {
            ArrayNode list = spec.get("clusterIPs").deepCopy().asArray();
            list.set(0, address);
            spec.set("clusterIPs", list);
        }
        if (!isExternalName(spec) && !isExternalName(before)) {
            for (String field : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
                if (missing(spec.get(field)) && before.get(field) != null) {
                    spec.set(field, before.get(field));
                }
            }
        }
        if (hasNodePorts(spec) && hasNodePorts(before)) {
            keepNodePorts(spec, before);
        }
    }

    /** What the request changes itself is left to validation to refuse. */
    private static void dropUseless(ObjectNode spec, ObjectNode before) {
        if (isExternalName(spec) && !isExternalName(before)) {
            if (same(spec, before, "clusterIP") && same(spec, before, "clusterIPs")) {
                spec.remove(List.of("clusterIP", "clusterIPs"));
            }
            removeIfSame(spec, before, "ipFamilies");
            removeIfSame(spec, before, "ipFamilyPolicy");
        }
        if (!hasNodePorts(spec) && hasNodePorts(before) && nodePorts(spec).equals(nodePorts(before))) {
            for (JsonNode port : spec.path("ports")) {
                if (port instanceof ObjectNode one) {
                    one.remove("nodePort");
                }
            }
        }
        if (isBalanced(before) && !isBalanced(spec)) {
            removeIfSame(spec, before, "allocateLoadBalancerNodePorts");
            removeIfSame(spec, before, "loadBalancerClass");
        }
        if (isAccessible(before) && !isAccessible(spec)) {
            removeIfSame(spec, before, "externalTrafficPolicy");
        }
        if (hasHealthPort(before) && !hasHealthPort(spec)) {
            removeIfSame(spec, before, "healthCheckNodePort");
        }
    }

    /** By the ports' names, unless another port has taken the number. */
    private static void keepNodePorts(ObjectNode spec, ObjectNode before) {
        Set<Long> taken = nodePorts(spec);
        Map<String, JsonNode> byName = new HashMap<>();
        before.path("ports").forEach(port -> byName.put(Json.text(port, "name"), port));
        for (JsonNode port : spec.path("ports")) {
            JsonNode was = byName.get(Json.text(port, "name"));
            if (port instanceof ObjectNode one && Json.number(one, 0, "nodePort") == 0 && was != null
                    && was.has("nodePort") && !taken.contains(Json.number(was, 0, "nodePort"))) {
                one.set("nodePort", was.get("nodePort"));
            }
        }
    }

    private static Set<Long> nodePorts(ObjectNode spec) {
        Set<Long> ports = new HashSet<>();
        spec.path("ports").forEach(port -> ports.add(Json.number(port, 0, "nodePort")));
        ports.remove(0L);
        return ports;
    }

    private static boolean isExternalName(ObjectNode spec) {
        return Json.text(spec, "type").equals("ExternalName");
    }

    private static boolean isBalanced(ObjectNode spec) {
        return Json.text(spec, "type").equals("LoadBalancer");
    }

    private static boolean hasNodePorts(ObjectNode spec) {
        return isBalanced(spec) || Json.text(spec, "type").equals("NodePort");
    }

    private static boolean hasHealthPort(ObjectNode spec) {
        return isBalanced(spec) && Json.text(spec, "externalTrafficPolicy").equals("Local");
    }

    private static boolean isAccessible(ObjectNode spec) {
        return hasNodePorts(spec) || !isExternalName(spec) && !spec.path("externalIPs").isEmpty();
    }

    private static boolean same(ObjectNode spec, ObjectNode before, String field) {
        return spec.path(field).equals(before.path(field));
    }

    private static void removeIfSame(ObjectNode spec, ObjectNode before, String field) {
        if (same(spec, before, field)) {
            spec.remove(field);
        }
    }

    private static boolean missing(@Nullable JsonNode value) {
        return value == null || value.isNull() || value.isString() && value.stringValue().isEmpty()
                || value.isArray() && value.isEmpty();
    }
}
