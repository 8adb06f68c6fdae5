package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Services. The server allocates their cluster IPs and node ports (upstream: {@code pkg/registry/core/service}). */
final class ServiceStrategy extends Strategy {
    ServiceStrategy() {
        super("", "Service", Map.of("clusterIp", ServiceStrategy::clusterIp, "externalIp", ServiceStrategy::externalIp,
                "ports", ServiceStrategy::ports));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.merge("io.k8s.api.core.v1.Service", ServiceStrategy::ipModes, Consumer::andThen);
    }

    private static void ipModes(ObjectNode service) {
        if (Json.text(service, "spec", "type").equals("LoadBalancer")) {
            for (JsonNode point : service.path("status").path("loadBalancer").path("ingress")) {
                if (!Json.text(point, "ip").isEmpty()) {
                    set((ObjectNode) point, "ipMode", "VIP");
                }
            }
        }
    }

    private static String clusterIp(Item service) {
        List<String> ips = service.texts("spec", "clusterIPs");
        return ips.isEmpty() ? service.textOr(Item.NONE, "spec", "clusterIP") : ips.getFirst();
    }

    private static String externalIp(Item service) {
        List<String> ips = new ArrayList<>();
        String type = service.text("spec", "type");
        switch (type) {
            case "ClusterIP", "NodePort" -> {
            }
            case "LoadBalancer" -> {
                String balancer = service.loadBalancer();
                if (!balancer.isEmpty()) {
                    ips.add(balancer);
                }
            }
            case "ExternalName" -> {
                return service.text("spec", "externalName");
            }
            default -> {
                return Item.UNKNOWN;
            }
        }
        ips.addAll(service.texts("spec", "externalIPs"));
        if (!ips.isEmpty()) {
            return String.join(",", ips);
        }
        return type.equals("LoadBalancer") ? "<pending>" : Item.NONE;
    }

    private static String ports(Item service) {
        String ports = service.join(port -> {
            long nodePort = port.number("nodePort");
            return port.number("port") + (nodePort > 0 ? ":" + nodePort : "") + "/" + port.textOr("TCP", "protocol");
        }, "spec", "ports");
        return ports.isEmpty() ? Item.NONE : ports;
    }

    /**
     * Keeps the addresses and ports that the server gave the old Service, and drops those that the new type has no use
     * for (upstream: {@code strategy.go} and {@code storage/storage.go} of services).
     */
    @Override
    public void keepAllocated(ObjectNode service, ObjectNode old) {
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
                keep(field, spec, before);
            }
        }
        if (hasNodePorts(spec) && hasNodePorts(before)) {
            keepNodePorts(spec, before);
        }
        if (hasHealthPort(spec) && hasHealthPort(before)) {
            keep("healthCheckNodePort", spec, before);
        }
    }

    private static void keep(String field, ObjectNode spec, ObjectNode before) {
        if (missing(spec.get(field)) && before.get(field) != null) {
            spec.set(field, before.get(field).deepCopy());
        }
    }

    @Override
    protected void create(ObjectNode service, User writer, ClusterState state) {
        ObjectNode spec = Json.child(service, "spec");
        String address = Json.text(spec, "clusterIP");
        if (!address.isEmpty() && missing(spec.get("clusterIPs"))) {
            spec.set("clusterIPs", Json.list(address));
        }
    }

    @Override
    protected void update(ObjectNode service, ObjectNode old, ClusterState state) {
        if (!isBalanced(Json.child(service, "spec"))) {
            Json.child(service, "status").putObject("loadBalancer");
        }
    }

    /**
     * Removes the values that the new type has no use for. Values that the request itself sets stay, for validation to
     * refuse.
     */
    private static void dropUseless(ObjectNode spec, ObjectNode before) {
        if (isExternalName(spec) && !isExternalName(before)) {
            if (same(spec, before, "clusterIP") && same(spec, before, "clusterIPs")) {
                spec.remove(List.of("clusterIP", "clusterIPs"));
            }
            removeIfSame(spec, before, "ipFamilies");
            removeIfSame(spec, before, "ipFamilyPolicy");
        }
        if (!hasNodePorts(spec) && hasNodePorts(before) && nodePorts(before).containsAll(nodePorts(spec))) {
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

    /** Keeps the node port of each port by the port's name, unless another port has taken the number. */
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

    /** Whether a port of each node tells if the node has a pod of the Service. */
    static boolean hasHealthPort(ObjectNode spec) {
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

    @Override
    public Runnable reserve(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        ServiceAddresses addresses = state.addresses();
        if (old == null) {
            addresses.allocate(object, false);
            return () -> addresses.release(object);
        }
        addresses.reallocate(old, object);
        return () -> addresses.undo(object, old);
    }

    @Override
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        ServiceAddresses.publish(old, object, state);
    }

    @Override
    public void deleted(ResourceType type, Supplier<ObjectNode> object, ClusterState state) {
        ObjectNode service = object.get();
        state.addresses().release(service);
        ServiceAddresses.publish(service, null, state);
    }

    @Override
    protected void validate(ObjectNode service, Problems problems) {
        if (hasAddresses(service, true, problems)) {
            super.validate(service, problems);
        }
    }

    @Override
    protected void validateUpdate(ObjectNode service, ObjectNode old, Problems problems) {
        if (hasAddresses(service, false, problems)) {
            super.validateUpdate(service, old, problems);
        }
    }

    /** Checks the addresses and families, which upstream allocates before it checks all else, the metadata included. */
    private static boolean hasAddresses(ObjectNode service, boolean isNew, Problems problems) {
        Problems own = new Problems();
        if (service.get("spec") instanceof ObjectNode spec && !isExternalName(spec)) {
            check("ClusterIPs", spec, null, "spec", own);
            if (own.isEmpty()) {
                ServiceValidation.families(spec, own);
            }
            if (isNew && own.isEmpty()) {
                ServiceAddresses.checkRange(spec, own);
            }
        }
        problems.replace(own);
        return own.isEmpty();
    }
}
