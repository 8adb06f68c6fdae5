package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** What an update of a Service keeps of the addresses that the server gave it, when the request leaves them out. */
final class Services {
    private Services() {}

    static void carryOver(ObjectNode service, ObjectNode old) {
        ObjectNode spec = Json.child(service, "spec");
        ObjectNode before = Json.child(old, "spec");
        String type = Json.text(spec, "type");
        boolean external = type.equals("ExternalName");
        if (!external && !Json.text(before, "type").equals("ExternalName")) {
            for (String field : new String[]{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
                if (missing(spec.get(field)) && before.get(field) != null) {
                    spec.set(field, before.get(field));
                }
            }
        }
        if (!type.equals("NodePort") && !type.equals("LoadBalancer")) {
            return;
        }
        if (spec.get("ports") instanceof ArrayNode ports && before.get("ports") instanceof ArrayNode earlier) {
            for (JsonNode port : ports) {
                for (JsonNode was : earlier) {
                    if (port instanceof ObjectNode one && !one.has("nodePort") && was.has("nodePort")
                            && Json.number(one, 0, "port") == Json.number(was, 0, "port")
                            && protocol(one).equals(protocol(was))) {
                        one.set("nodePort", was.get("nodePort"));
                    }
                }
            }
        }
    }

    private static String protocol(JsonNode port) {
        String protocol = Json.text(port, "protocol");
        return protocol.isEmpty() ? "TCP" : protocol;
    }

    private static boolean missing(@Nullable JsonNode value) {
        return value == null || value.isNull() || value.isString() && value.stringValue().isEmpty()
                || value.isArray() && value.isEmpty();
    }
}
