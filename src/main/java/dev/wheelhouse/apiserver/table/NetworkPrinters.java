package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

import static dev.wheelhouse.apiserver.table.Item.NONE;
import static dev.wheelhouse.apiserver.table.Item.UNKNOWN;

/** Services, endpoints, and groups {@code networking.k8s.io} and {@code discovery.k8s.io}. */
final class NetworkPrinters {

    private static final int SHOWN = 3;

    private NetworkPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("discovery.k8s.io/EndpointSlice", List.of(Column.objectName(),
                Column.of("AddressType", "What sort of addresses these are.", o -> o.text("addressType")),
                Column.of("Ports", "Ports of every endpoint.",
                        o -> Item.shorten(o.items("ports").stream().map(NetworkPrinters::slicePort).toList())),
                Column.of("Endpoints", "Addresses of the endpoints.",
                        o -> Item.shorten(o.items("endpoints").stream().flatMap(e -> e.texts("addresses").stream())
                                .toList())),
                Column.age()));
        all.put("networking.k8s.io/Ingress", List.of(Column.objectName(),
                Column.of("Class", "Ingress class that handles it.", o -> o.textOr(NONE, "spec", "ingressClassName")),
                Column.of("Hosts", "Host names of the rules.", NetworkPrinters::hosts),
                Column.of("Address", "Where the traffic comes in.", NetworkPrinters::loadBalancer),
                Column.of("Ports", "Ports that are open, 443 only with TLS.",
                        o -> o.size("spec", "tls") == 0 ? "80" : "80, 443"),
                Column.age()));
        all.put("networking.k8s.io/IngressClass", List.of(
                Column.named(o -> o.name() + (o.text("metadata", "annotations",
                        "ingressclass.kubernetes.io/is-default-class").equals("true") ? " (default)" : "")),
                Column.of("Controller", "Who handles ingresses of this class.", o -> o.text("spec", "controller")),
                Column.of("Parameters", "Object with more settings.", NetworkPrinters::parameters), Column.age()));
        all.put("networking.k8s.io/NetworkPolicy", List.of(Column.objectName(),
                Column.of("Pod-Selector", "Which pods the policy is for.",
                        o -> Selectors.format(o, "spec", "podSelector")),
                Column.age()));
        all.put("networking.k8s.io/ServiceCIDR", List.of(Column.objectName(),
                Column.of("CIDRs", "Ranges of service addresses.", o -> String.join(",", o.texts("spec", "cidrs"))),
                Column.age()));
        all.put("networking.k8s.io/IPAddress", List.of(Column.objectName(),
                Column.of("ParentRef", "Object that has the address.", NetworkPrinters::parent), Column.age()));
    }

    private static String slicePort(Item port) {
        return port.has("port") ? Long.toString(port.number("port")) : port.textOr("*", "name");
    }

    private static String hosts(Item ingress) {
        List<String> hosts = new ArrayList<>();
        boolean more = false;
        for (Item rule : ingress.items("spec", "rules")) {
            more |= hosts.size() == SHOWN;
            String host = rule.text("host");
            if (!more && !host.isEmpty()) {
                hosts.add(host);
            }
        }
        if (hosts.isEmpty()) {
            return "*";
        }
        return String.join(",", hosts)
                + (more ? " + " + (ingress.size("spec", "rules") - SHOWN) + " more..." : "");
    }

    private static String parameters(Item ingressClass) {
        Item parameters = ingressClass.part("spec", "parameters");
        if (!ingressClass.has("spec", "parameters")) {
            return NONE;
        }
        String group = parameters.has("apiGroup") ? "." + parameters.text("apiGroup") : "";
        return parameters.text("kind") + group + "/" + parameters.text("name");
    }

    private static String parent(Item address) {
        if (!address.has("spec", "parentRef")) {
            return NONE;
        }
        Item parent = address.part("spec", "parentRef");
        String group = parent.text("group");
        String namespace = parent.text("namespace");
        return (parent.text("resource") + (group.isEmpty() ? "" : "." + group)).toLowerCase(Locale.ROOT)
                + (namespace.isEmpty() ? "" : "/" + namespace) + "/" + parent.text("name");
    }

    private static String loadBalancer(Item item) {
        TreeSet<String> addresses = new TreeSet<>();
        for (Item ingress : item.items("status", "loadBalancer", "ingress")) {
            addresses.add(ingress.textOr(ingress.text("hostname"), "ip"));
        }
        addresses.remove("");
        return String.join(",", addresses);
    }
}
