package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Allocates the cluster IPs (10.96.0.0/12) and node ports (30000 to 32767) of Services (upstream:
 * {@code pkg/registry/core/service}). Starts with the addresses and ports of the stored Services. Thread safe.
 */
public final class ServiceAddresses {
    private static final String RESOURCE = "ipaddresses.networking.k8s.io";
    private static final int BASE = 10 << 24 | 96 << 16;
    private static final int SIZE = 1 << 20;
    private static final int STATIC_BAND = 256;
    private static final int FIRST_PORT = 30_000;
    private static final int PORTS = 2_768;

    private final Map<Integer, String> addresses = new HashMap<>();
    private final BitSet ports = new BitSet(PORTS);

    private final ObjectStore store;

    public ServiceAddresses(ObjectStore store) {
        this.store = store;
        store.snapshot("services").select(Selection.all()).forEach(service -> take(service.tree()));
    }

    /**
     * Makes the IPAddresses of the cluster IPs of a Service, and deletes those that it no longer has (upstream:
     * {@code pkg/registry/core/service/ipallocator/cidrallocator.go}).
     *
     * @param old the state before; null for a new Service
     * @param service null for one that is gone
     */
    static void publish(@Nullable ObjectNode old, @Nullable ObjectNode service, ClusterState state) {
        List<String> before = clusterIps(old);
        List<String> now = clusterIps(service);
        before.stream().filter(ip -> !now.contains(ip)).forEach(ip -> state.delete(RESOURCE, ip));
        for (String ip : now) {
            if (service != null && !before.contains(ip)) {
                state.create(RESOURCE,
                        state.made("IPAddress", "<IP>", ip, "<FAMILY>", ip.contains(":") ? "IPv6" : "IPv4",
                                "<NAMESPACE>", Meta.namespace(service), "<NAME>", Meta.name(service)));
            }
        }
    }

    private static List<String> clusterIps(@Nullable ObjectNode service) {
        List<String> ips = new ArrayList<>(
                service == null ? List.of() : Json.texts(service.path("spec").path("clusterIPs")));
        ips.remove("None");
        return ips;
    }

    private synchronized void take(ObjectNode service) {
        int address = parse(Json.text(service, "spec", "clusterIP"));
        if (address >= 0) {
            addresses.put(address, Meta.namespace(service) + "/" + Meta.name(service));
        }
        nodePorts(service).forEach(ports::set);
    }

    /** Frees the address and ports of a Service. */
    synchronized void release(ObjectNode service) {
        addresses.remove(parse(Json.text(service, "spec", "clusterIP")),
                Meta.namespace(service) + "/" + Meta.name(service));
        nodePorts(service).forEach(ports::clear);
    }

    /**
     * Allocates what a changed Service leaves to the server, and frees what it no longer uses.
     *
     * @throws ApiException 422 if it names an address or port that it cannot have; the old ones stay allocated
     */
    synchronized void reallocate(ObjectNode old, ObjectNode next) {
        release(old);
        boolean given = false;
        try {
            allocate(next, true);
            given = true;
        } finally {
            if (!given) {
                take(old);
            }
        }
    }

    /** Reverts {@link #reallocate}: frees the allocations of {@code next}, and restores those of {@code old}. */
    synchronized void undo(ObjectNode next, ObjectNode old) {
        release(next);
        take(old);
    }

    private static List<Integer> nodePorts(ObjectNode service) {
        JsonNode spec = service.path("spec");
        return IntStream.concat(
                spec.path("ports").valueStream().mapToInt(port -> (int) Json.number(port, 0, "nodePort") - FIRST_PORT),
                IntStream.of((int) Json.number(spec, 0, "healthCheckNodePort") - FIRST_PORT))
                .filter(at -> at >= 0 && at < PORTS).boxed().toList();
    }

    private static int parse(String address) {
        String[] parts = address.split("\\.", -1);
        if (parts.length != 4) {
            return -1;
        }
        int value = 0;
        try {
            for (String part : parts) {
                value = value << 8 | Integer.parseInt(part);
            }
        } catch (NumberFormatException e) {
            return -1;
        }
        int at = value - BASE;
        return at >= 0 && at < SIZE ? at : -1;
    }

    private static String format(int at) {
        int value = BASE + at;
        return (value >>> 24) + "." + (value >>> 16 & 255) + "." + (value >>> 8 & 255) + "." + (value & 255);
    }

    /**
     * Allocates the address and ports that a Service leaves to the server, and fills them in.
     *
     * @param keep whether the Service may keep an address that is allocated to it
     * @throws ApiException 422 if it names an address or port that it cannot have; nothing is allocated then
     */
    public synchronized void allocate(ObjectNode service, boolean keep) {
        ObjectNode spec = Json.child(service, "spec");
        String type = Json.text(spec, "type");
        if (type.equals("ExternalName")) {
            spec.remove(List.of("clusterIP", "clusterIPs"));
            return;
        }
        String owner = Meta.namespace(service) + "/" + Meta.name(service);
        String wanted = Json.text(spec, "clusterIP");
        if (wanted.isEmpty()) {
            wanted = format(free(owner));
        } else if (!wanted.equals("None")) {
            String holder = addresses.get(parse(wanted));
            if (holder != null && !(keep && holder.equals(owner)) || !keep && isReserved(wanted)) {
                Problems problems = new Problems();
                cannotHave(wanted, "provided IP is already allocated", problems);
                throw Errors.invalid(ResourceType.SERVICES, Meta.name(service), problems.causes());
            }
        }
        checkPorts(service, spec, type);
        spec.put("clusterIP", wanted);
        spec.putArray("clusterIPs").add(wanted);
        fillInFamilies(spec);
        if (parse(wanted) >= 0) {
            addresses.put(parse(wanted), owner);
        }
        allocatePorts(spec, type);
    }

    /** Checks that the address that a new Service names is one of the server's. */
    static void checkRange(ObjectNode spec, Problems problems) {
        String wanted = Json.text(spec, "clusterIP");
        if (!wanted.isEmpty() && !wanted.equals("None") && parse(wanted) < 0) {
            cannotHave(wanted, "the provided IP (" + wanted
                    + ") is not in the valid range. The range of valid IPs is 10.96.0.0/12", problems);
        }
    }

    private static void cannotHave(String address, String why, Problems problems) {
        problems.invalid("spec.clusterIPs", Json.list(address), "failed to allocate IP " + address + ": " + why);
    }

    /** Like the addresses, they have no owner (upstream: {@code initIPFamilyFields}). */
    private static void fillInFamilies(ObjectNode spec) {
        boolean anyFamily = Json.text(spec, "clusterIP").equals("None") && isEmpty(spec, "selector");
        set(spec, "ipFamilyPolicy", anyFamily ? "RequireDualStack" : "SingleStack");
        if (isEmpty(spec, "ipFamilies")) {
            ArrayNode families = spec.putArray("ipFamilies").add("IPv4");
            if (anyFamily && !Json.text(spec, "ipFamilyPolicy").equals("SingleStack")) {
                families.add("IPv6");
            }
        }
    }

    /** Refuses node ports out of the range, or of other Services. Ports of one Service may share a number. */
    private void checkPorts(ObjectNode service, ObjectNode spec, String type) {
        if (type.equals("ClusterIP")) {
            return;
        }
        int i = 0;
        for (JsonNode port : spec.path("ports")) {
            long given = Json.number(port, 0, "nodePort");
            String problem = problem(given);
            if (!problem.isEmpty()) {
                throw Errors.invalid(ResourceType.SERVICES, Meta.name(service),
                        List.of(new StatusCause("spec.ports[" + i + "].nodePort", "FieldValueInvalid",
                                "Invalid value: " + given + ": " + problem)));
            }
            i++;
        }
        long health = Json.number(spec, 0, "healthCheckNodePort");
        String problem = ServiceStrategy.hasHealthPort(spec) ? problem(health) : "";
        if (!problem.isEmpty()) {
            throw Errors.internalError("failed to allocate requested HealthCheck NodePort " + health + ": " + problem);
        }
    }

    private String problem(long port) {
        return port == 0
                ? ""
                : port < FIRST_PORT || port >= FIRST_PORT + PORTS
                        ? "provided port is not in the valid range. The range of valid ports is " + FIRST_PORT + "-"
                                + (FIRST_PORT + PORTS - 1)
                        : ports.get((int) port - FIRST_PORT) ? "provided port is already allocated" : "";
    }

    private void allocatePorts(ObjectNode spec, String type) {
        boolean wants = type.equals("NodePort")
                || (type.equals("LoadBalancer") && spec.path("allocateLoadBalancerNodePorts").asBoolean(true));
        for (JsonNode port : spec.path("ports")) {
            if (!(port instanceof ObjectNode one)) {
                continue;
            }
            if (type.equals("ClusterIP")) {
                one.remove("nodePort");
            } else {
                allocatePort(one, "nodePort", wants);
            }
        }
        if (ServiceStrategy.hasHealthPort(spec)) {
            allocatePort(spec, "healthCheckNodePort", true);
        }
    }

    private void allocatePort(ObjectNode holder, String field, boolean wants) {
        long given = Json.number(holder, 0, field);
        if (given >= FIRST_PORT && given < FIRST_PORT + PORTS) {
            ports.set((int) given - FIRST_PORT);
        } else if (given <= 0 && wants) {
            int at = ports.nextClearBit(Math.floorMod(holder.toString().hashCode(), PORTS / 2));
            if (at >= PORTS) {
                throw Errors.internal("no node port is free between " + FIRST_PORT + " and "
                        + (FIRST_PORT + PORTS - 1) + ": delete a Service of type NodePort");
            }
            ports.set(at);
            holder.put(field, FIRST_PORT + at);
        }
    }

    /** Whether there is an IPAddress, whoever made it. */
    private boolean isReserved(String ip) {
        return store.get(RESOURCE, "", ip) != null;
    }

    private int free(String owner) {
        int from = STATIC_BAND + Math.floorMod(owner.hashCode(), SIZE - 2 * STATIC_BAND);
        for (int i = 0; i < SIZE - 2 * STATIC_BAND; i++) {
            int at = STATIC_BAND + (from - STATIC_BAND + i) % (SIZE - 2 * STATIC_BAND);
            if (!addresses.containsKey(at) && !isReserved(format(at))) {
                return at;
            }
        }
        throw Errors.internal("no cluster IP is free in 10.96.0.0/12: delete Services that are not needed");
    }
}
