package dev.wheelhouse.node.net;

import java.util.Collection;
import java.util.Collections;
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
import io.kubernetes.client.openapi.models.V1EndpointHints;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ForNode;
import io.kubernetes.client.openapi.models.V1ForZone;
import io.kubernetes.client.openapi.models.V1LoadBalancerIngress;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;

import dev.wheelhouse.api.Absent;
import dev.wheelhouse.api.Names;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.runtime.Resources;

/**
 * The rules by which this machine answers for Services (upstream: {@code pkg/proxy/nftables/proxier.go},
 * {@code pkg/proxy/topology.go}). Pure. Only numbers, checked addresses and checked names become parts of rules.
 */
final class ServiceRules {
    static final String TABLE = "wheelhouse";
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
     * @param names the nodes on it
     * @param zone its zone; empty if it has none
     * @param pods the ranges of the addresses of its own pods
     */
    record Machine(Set<String> names, String zone, Set<String> pods) {}

    private record Endpoint(String ip, int port, boolean ready, boolean ending, boolean local, Set<String> nodes,
            Set<String> zones) {
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
                Absent.orEmpty(spec.getPorts()).forEach(port -> made.add(service, spec, port, slices.apply(service)));
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
        if (!List.of("tcp", "udp", "sctp").contains(protocol)) {
            return;
        }
        List<Endpoint> all = endpoints(port, slices);
        boolean insideLocal = "Local".equals(spec.getInternalTrafficPolicy());
        boolean outsideLocal = "Local".equals(spec.getExternalTrafficPolicy());
        List<String> outside = outside(service, spec);
        int nodePort = Absent.orZero(port.getNodePort());
        List<Endpoint> cluster = preferred(usable(all));
        List<Endpoint> local = usable(all.stream().filter(Endpoint::local).toList());
        Stream.concat(cluster.stream(), local.stream()).filter(Endpoint::local)
                .forEach(each -> rules.add("hairpin", each.ip + " . " + each.ip, ""));

        String name = name(service, protocol, port);
        String clusterChain = policy("all-" + name, protocol, spec, cluster);
        String localChain = insideLocal || outsideLocal ? policy("local-" + name, protocol, spec, local) : null;
        String from = insideLocal ? localChain : clusterChain;
        rules.add("cluster-ips", spec.getClusterIP(), "");
        String none = cluster.isEmpty() ? "goto refused" : "drop";
        String suffix = " . " + protocol + " . " + port.getPort();
        rules.add(from == null ? "unanswered" : "addresses", spec.getClusterIP() + suffix,
                from == null ? none : "goto " + from);
        if (outside.isEmpty() && nodePort == 0) {
            return;
        }
        String to = outsideLocal ? localChain : clusterChain;
        String entry = "outside-" + name;
        if (clusterChain != null) {
            rules.chains().put(entry, outsideLocal
                    // Pods and the machine itself reach all endpoints, as if they came in by a load balancer.
                    ? Stream.of("ip saddr @pods goto " + clusterChain, "fib saddr type local " + MASQUERADE,
                            "fib saddr type local goto " + clusterChain, to == null ? null : "goto " + to)
                            .filter(Objects::nonNull).toList()
                    : List.of(MASQUERADE, "goto " + to));
        }
        for (String address : outside) {
            answer("addresses", "unanswered", address + suffix, clusterChain == null ? null : entry, to, none);
        }
        if (nodePort > 0) {
            answer("node-ports", "unanswered-node-ports", protocol + " . " + nodePort,
                    clusterChain == null ? null : entry, to, none);
        }
    }

    private void answer(String answered, String unanswered, String key, @Nullable String entry, @Nullable String to,
            String none) {
        if (entry != null) {
            rules.add(answered, key, "goto " + entry);
        }
        if (to == null) {
            rules.add(unanswered, key, none);
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

    private static String name(V1Service service, String protocol, V1ServicePort port) {
        String namespace = service.getMetadata().getNamespace();
        String own = service.getMetadata().getName();
        String whole = namespace + "/" + own + "/" + protocol + "/" + Absent.orEmpty(port.getName());
        String hash = Hashes.sha256(whole).substring(0, HASH_LENGTH);
        return namespace != null && Names.isLabel(namespace) && Names.isLabel(own)
                ? hash + "-" + namespace + "/" + own
                : hash;
    }

    private List<Endpoint> endpoints(V1ServicePort port, List<V1EndpointSlice> slices) {
        Set<Endpoint> found = new TreeSet<>(Comparator.comparing(Endpoint::target));
        for (V1EndpointSlice slice : slices) {
            if (!"IPv4".equals(slice.getAddressType())) {
                continue;
            }
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
        if (!isIpv4(ip) || ip.startsWith("127.")) {
            return null;
        }
        V1EndpointConditions conditions = endpoint.getConditions() == null
                ? new V1EndpointConditions()
                : endpoint.getConditions();
        boolean ready = isReady(endpoint);
        boolean serving = conditions.getServing() == null ? ready : conditions.getServing();
        V1EndpointHints hints = endpoint.getHints() == null ? new V1EndpointHints() : endpoint.getHints();
        return new Endpoint(ip, port, ready, serving && Boolean.TRUE.equals(conditions.getTerminating()),
                endpoint.getNodeName() != null && machine.names.contains(endpoint.getNodeName()),
                Absent.orEmpty(hints.getForNodes()).stream().map(V1ForNode::getName).collect(Collectors.toSet()),
                Absent.orEmpty(hints.getForZones()).stream().map(V1ForZone::getName).collect(Collectors.toSet()));
    }

    static boolean isReady(V1Endpoint endpoint) {
        return endpoint.getConditions() == null || !Boolean.FALSE.equals(endpoint.getConditions().getReady());
    }

    /** The ready endpoints; if there are none, those that end but still serve. */
    private static List<Endpoint> usable(List<Endpoint> endpoints) {
        List<Endpoint> ready = endpoints.stream().filter(Endpoint::ready).toList();
        return ready.isEmpty() ? endpoints.stream().filter(Endpoint::ending).toList() : ready;
    }

    /** The endpoints for this node, else for its zone, if all have such hints; else all. */
    private List<Endpoint> preferred(List<Endpoint> usable) {
        return Stream.of(near(usable, Endpoint::nodes, machine.names),
                near(usable, Endpoint::zones, Set.of(machine.zone))).filter(near -> !near.isEmpty()).findFirst()
                .orElse(usable);
    }

    private static List<Endpoint> near(List<Endpoint> usable, Function<Endpoint, Set<String>> hints,
            Set<String> mine) {
        return usable.stream().anyMatch(each -> hints.apply(each).isEmpty())
                ? List.of()
                : usable.stream().filter(each -> !Collections.disjoint(hints.apply(each), mine)).toList();
    }

    /** Makes the chain that leads to one of the endpoints. @return its name; null if there is no endpoint */
    private @Nullable String policy(String chain, String protocol, V1ServiceSpec spec, List<Endpoint> endpoints) {
        if (endpoints.isEmpty()) {
            return null;
        }
        String choice = "numgen random mod " + endpoints.size();
        if (!"ClientIP".equals(spec.getSessionAffinity())) {
            rules.chains().put(chain, List.of("meta l4proto " + protocol + " dnat ip addr . port to " + choice
                    + " map { " + numbered(endpoints.stream().map(Endpoint::target).toList()) + " }"));
            return chain;
        }
        long seconds = spec.getSessionAffinityConfig() == null || spec.getSessionAffinityConfig().getClientIP() == null
                ? DEFAULT_AFFINITY_SECONDS
                : Math.max(1, Absent.orZero(spec.getSessionAffinityConfig().getClientIP().getTimeoutSeconds()));
        // Chains for the whole cluster and for this machine share what is known of clients.
        String service = chain.substring(chain.indexOf('-') + 1);
        List<String> jumps = endpoints.stream().map(each -> {
            String clients = "clients-" + service.substring(0, HASH_LENGTH) + "-" + each.ip + "-" + each.port + "-"
                    + seconds;
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
