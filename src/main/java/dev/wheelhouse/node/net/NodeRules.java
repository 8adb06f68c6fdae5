package dev.wheelhouse.node.net;

import java.util.Collection;
import java.util.Set;

import dev.wheelhouse.runtime.Resources;

/**
 * The rules of one node: the machine's ports lead to its pods (instead of CNI's plugin {@code portmap}), and its pods
 * reach the world by the machine's address. Pure.
 */
final class NodeRules {
    private static final String ANY = "0.0.0.0";
    private static final String BASE = Resources.text(NodeRules.class, "node.nft");

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
            if (ServiceRules.isIpv4(each.podIp()) && ServiceRules.PROTOCOLS.contains(protocol)
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
