package dev.wheelhouse.node.net;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The rules of one node: the machine's ports lead to its pods (instead of CNI's plugin {@code portmap}), and its pods
 * reach the world by the machine's address. Pure.
 */
final class NodeRules {
    private static final List<String> PROTOCOLS = List.of("tcp", "udp", "sctp");
    private static final String ANY = "0.0.0.0";
    private static final String BASE = """
            map ports { type inet_proto . inet_service : ipv4_addr . inet_service; }
            map ports-of-addresses { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
            set hairpin { type ipv4_addr . ipv4_addr; }
            set pods { type ipv4_addr; flags interval; auto-merge; }
            set all-pods { type ipv4_addr; flags interval; auto-merge; }
            chain host-ports {
              meta l4proto { tcp, udp, sctp } dnat ip addr . port to ip daddr . meta l4proto . th dport \
                map @ports-of-addresses
              meta l4proto { tcp, udp, sctp } dnat ip addr . port to meta l4proto . th dport map @ports
            }
            chain prerouting {
              type nat hook prerouting priority -110;
              fib daddr type local ip daddr != 127.0.0.0/8 jump host-ports
            }
            chain output {
              type nat hook output priority -110;
              fib daddr type local ip daddr != 127.0.0.0/8 jump host-ports
            }
            chain postrouting {
              type nat hook postrouting priority 90;
              ct status dnat ip saddr . ip daddr @hairpin masquerade fully-random
              ip saddr @pods ip daddr != @all-pods masquerade fully-random
            }
            """;

    private NodeRules() {}

    /**
     * @param pods the range of the addresses of the node's pods
     * @param allPods those of all nodes
     */
    static Ruleset of(String node, Collection<PodPort> ports, String pods, Set<String> allPods) {
        Ruleset rules = new Ruleset("wheelhouse-" + node, BASE);
        ServiceRules.addRanges(rules, "pods", Set.of(pods));
        ServiceRules.addRanges(rules, "all-pods", allPods);
        for (PodPort each : ports) {
            String protocol = ServiceRules.protocol(each.protocol());
            boolean all = each.hostIp().isEmpty() || each.hostIp().equals(ANY);
            if (ServiceRules.isIpv4(each.podIp()) && PROTOCOLS.contains(protocol)
                    && (all || ServiceRules.isIpv4(each.hostIp()))) {
                String key = protocol + " . " + each.port();
                rules.add(all ? "ports" : "ports-of-addresses", all ? key : each.hostIp() + " . " + key,
                        each.podIp() + " . " + each.podPort());
                rules.add("hairpin", each.podIp() + " . " + each.podIp(), "");
            }
        }
        return rules;
    }
}
