package dev.wheelhouse.node.net;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1LoadBalancerIngress;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;

import dev.wheelhouse.api.Absent;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.runtime.Resources;

/**
 * The rules by which this machine answers for Services (upstream: {@code pkg/proxy/nftables/proxier.go},
 * {@code pkg/proxy/topology.go}). Pure. Only numbers, checked addresses and checked names become parts of rules.
 */
final class ServiceRules {
    static final String TABLE = "wheelhouse";
    static final List<String> PROTOCOLS = List.of("tcp", "udp", "sctp");
    private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");
    private static final Pattern RANGE = Pattern.compile("[\\d.]{7,15}/\\d{1,2}");
    private static final long DEFAULT_AFFINITY_SECONDS = 10_800;
    private static final int HASH_LENGTH = 12;
    /** A bit of the packet's mark, which only this table reads: its packets leave with this machine's address. */
    private static final String MASQUERADE = "meta mark set meta mark or 0x20000";
    private static final String BASE = Resources.text(ServiceRules.class, "services.nft");

    /**
     * The machine.
     *
     * @param nodes the names of the nodes on it
     * @param pods the ranges of the addresses of their pods
     */
    record Machine(Set<String> nodes, Set<String> pods) {}

    private record Endpoint(String ip, int port, boolean ready, boolean ending, boolean local) {
        String target() {
            return ip + " . " + port;
        }
    }

    private final Machine machine;
    private final Ruleset rules = new Ruleset(TABLE, BASE);

    private ServiceRules(Machine machine) {
        this.machine = machine;
    }

    /** @param slices the slices of a Service */
    static Ruleset of(Collection<V1Service> services, Function<V1Service, List<V1EndpointSlice>> slices,
            Machine machine) {
        ServiceRules made = new ServiceRules(machine);
        addRanges(made.rules, "pods", machine.pods);
        for (V1Service service : services) {
            V1ServiceSpec spec = service.getSpec();
            if (spec != null && isIpv4(spec.getClusterIP()) && !"ExternalName".equals(spec.getType())) {
                Absent.orEmpty(spec.getPorts()).stream()
                        .filter(port -> PROTOCOLS.contains(protocol(port.getProtocol())))
                        .forEach(port -> made.add(service, spec, port, slices.apply(service)));
            }
        }
        return made.rules;
    }

    static void addRanges(Ruleset rules, String set, Set<String> ranges) {
        ranges.stream().filter(RANGE.asMatchPredicate()).forEach(each -> rules.add(set, each, ""));
    }

    static boolean isIpv4(@Nullable String text) {
        return text != null && IPV4.matcher(text).matches();
    }

    static String protocol(@Nullable String protocol) {
        return protocol == null ? "tcp" : protocol.toLowerCase(Locale.ROOT);
    }

    private void add(V1Service service, V1ServiceSpec spec, V1ServicePort port, List<V1EndpointSlice> slices) {
        String protocol = protocol(port.getProtocol());
        String whole = service.getMetadata().getNamespace() + "/" + service.getMetadata().getName();
        String name = Hashes.sha256(whole + "/" + protocol + "/" + port.getName()).substring(0, HASH_LENGTH) + "-"
                + whole.replaceAll("[^a-z0-9/-]", "");
        List<Endpoint> all = endpoints(port, slices);
        String cluster = policy("Cluster", name, protocol, spec, all);
        String inside = policy(spec.getInternalTrafficPolicy(), name, protocol, spec, all);
        String none = cluster == null ? "goto refused" : "drop";
        String suffix = " . " + protocol + " . " + port.getPort();
        rules.add("cluster-ips", spec.getClusterIP(), "");
        answer("addresses", spec.getClusterIP() + suffix, inside, inside == null ? none : null);
        List<String> addresses = outside(service, spec);
        int nodePort = Absent.orZero(port.getNodePort());
        if (addresses.isEmpty() && nodePort == 0) {
            return;
        }
        String outside = policy(spec.getExternalTrafficPolicy(), name, protocol, spec, all);
        String entry = cluster == null ? null : "outside-" + name;
        if (entry != null) {
            List<String> first = Objects.equals(outside, cluster)
                    ? List.of(MASQUERADE)
                    // Pods and the machine itself reach all endpoints, as if they came in by a load balancer.
                    : List.of("ip saddr @pods goto " + cluster, "fib saddr type local " + MASQUERADE,
                            "fib saddr type local goto " + cluster);
            rules.chains().put(entry, Stream.concat(first.stream(),
                    Stream.ofNullable(outside).map(chain -> "goto " + chain)).toList());
        }
        for (String address : addresses) {
            answer("addresses", address + suffix, entry, outside == null ? none : null);
        }
        if (nodePort > 0) {
            answer("node-ports", protocol + " . " + nodePort, entry, outside == null ? none : null);
        }
    }

    /** @param none what becomes of packets that no chain has taken; null if there are none */
    private void answer(String map, String key, @Nullable String chain, @Nullable String none) {
        if (chain != null) {
            rules.add(map, key, "goto " + chain);
        }
        if (none != null) {
            rules.add("unanswered-" + map, key, none);
        }
    }

    /** The addresses besides the cluster's own. */
    private static List<String> outside(V1Service service, V1ServiceSpec spec) {
        List<V1LoadBalancerIngress> ingress = service.getStatus() == null
                || service.getStatus().getLoadBalancer() == null
                        ? List.of()
                        : Absent.orEmpty(service.getStatus().getLoadBalancer().getIngress());
        return Stream.concat(Absent.orEmpty(spec.getExternalIPs()).stream(),
                ingress.stream().filter(each -> !"Proxy".equals(each.getIpMode())).map(V1LoadBalancerIngress::getIp))
                .filter(ServiceRules::isIpv4).distinct().toList();
    }

    private List<Endpoint> endpoints(V1ServicePort port, List<V1EndpointSlice> slices) {
        Set<Endpoint> found = new TreeSet<>(Comparator.comparing(Endpoint::target));
        for (V1EndpointSlice slice : slices) {
            for (DiscoveryV1EndpointPort each : Absent.orEmpty(slice.getPorts())) {
                if (each.getPort() != null && Absent.orEmpty(each.getName()).equals(Absent.orEmpty(port.getName()))
                        && protocol(each.getProtocol()).equals(protocol(port.getProtocol()))) {
                    Absent.orEmpty(slice.getEndpoints()).stream().map(one -> endpoint(one, each.getPort()))
                            .filter(Objects::nonNull).forEach(found::add);
                }
            }
        }
        return List.copyOf(found);
    }

    private @Nullable Endpoint endpoint(V1Endpoint endpoint, int port) {
        String ip = endpoint.getAddresses().isEmpty() ? null : endpoint.getAddresses().get(0);
        // No packet of a pod can reach a loopback address of the machine.
        if (ip == null || !isIpv4(ip) || ip.startsWith("127.")) {
            return null;
        }
        V1EndpointConditions conditions = endpoint.getConditions();
        return new Endpoint(ip, port, isReady(endpoint),
                conditions != null && Boolean.TRUE.equals(conditions.getTerminating())
                        && !Boolean.FALSE.equals(conditions.getServing()),
                endpoint.getNodeName() != null && machine.nodes.contains(endpoint.getNodeName()));
    }

    static boolean isReady(V1Endpoint endpoint) {
        return endpoint.getConditions() == null || !Boolean.FALSE.equals(endpoint.getConditions().getReady());
    }

    /**
     * Makes the chain that leads to one of the ready endpoints, or of those that end but still serve if none is ready.
     *
     * @param traffic the traffic policy
     * @return its name; null if there is no endpoint
     */
    private @Nullable String policy(@Nullable String traffic, String service, String protocol, V1ServiceSpec spec,
            List<Endpoint> all) {
        boolean here = "Local".equals(traffic);
        List<Endpoint> allowed = all.stream().filter(each -> each.local || !here).toList();
        List<Endpoint> ready = allowed.stream().filter(Endpoint::ready).toList();
        List<Endpoint> endpoints = ready.isEmpty() ? allowed.stream().filter(Endpoint::ending).toList() : ready;
        if (endpoints.isEmpty()) {
            return null;
        }
        endpoints.stream().filter(Endpoint::local)
                .forEach(each -> rules.add("hairpin", each.ip + " . " + each.ip, ""));
        String chain = (here ? "local-" : "all-") + service;
        String choice = "numgen random mod " + endpoints.size();
        if (!"ClientIP".equals(spec.getSessionAffinity())) {
            rules.chains().put(chain, List.of("meta l4proto " + protocol + " dnat ip addr . port to " + choice
                    + " map { " + numbered(endpoints.stream().map(Endpoint::target).toList()) + " }"));
            return chain;
        }
        long seconds = spec.getSessionAffinityConfig() == null || spec.getSessionAffinityConfig().getClientIP() == null
                ? DEFAULT_AFFINITY_SECONDS
                : Math.max(1, Absent.orZero(spec.getSessionAffinityConfig().getClientIP().getTimeoutSeconds()));
        List<String> jumps = endpoints.stream().map(each -> {
            String clients = "clients-" + service + "/" + each.ip + "/" + each.port + "/" + seconds;
            String one = "one-" + service + "/" + each.ip + "/" + each.port;
            rules.sets().put(clients, "{ type ipv4_addr; flags dynamic,timeout; timeout " + seconds + "s; }");
            rules.chains().put(one, List.of("update @" + clients + " { ip saddr }",
                    "meta l4proto " + protocol + " dnat to " + each.ip + ":" + each.port));
            return "ip saddr @" + clients + " goto " + one;
        }).toList();
        List<String> targets = jumps.stream().map(jump -> jump.substring(jump.indexOf("goto"))).toList();
        rules.chains().put(chain, Stream.concat(jumps.stream(),
                Stream.of(choice + " vmap { " + numbered(targets) + " }")).toList());
        return chain;
    }

    private static String numbered(List<String> targets) {
        return IntStream.range(0, targets.size()).mapToObj(i -> i + " : " + targets.get(i))
                .collect(Collectors.joining(", "));
    }
}
