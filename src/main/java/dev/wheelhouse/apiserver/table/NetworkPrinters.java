package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static dev.wheelhouse.apiserver.table.Item.NONE;
import static dev.wheelhouse.apiserver.table.Item.UNKNOWN;

/** Services and endpoints. */
final class NetworkPrinters {
    private NetworkPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("/Service", List.of(Column.objectName(),
                Column.of("Type", "How the service is reached.", o -> o.text("spec", "type")),
                Column.of("Cluster-IP", "Address within the cluster.", NetworkPrinters::clusterIp),
                Column.of("External-IP", "Addresses from outside.", NetworkPrinters::externalIp),
                Column.of("Port(s)", "Ports, with the nodes' ports after a colon.", NetworkPrinters::servicePorts),
                Column.age(),
                Column.of("Selector", "Which pods get the traffic.", o -> o.labels("spec", "selector")).wide()));
        all.put("/Endpoints", List.of(Column.objectName(),
                Column.of("Endpoints", "Addresses and ports behind the service.", NetworkPrinters::endpoints),
                Column.age()));
    }

    private static String clusterIp(Item service) {
        List<String> ips = service.texts("spec", "clusterIPs");
        return ips.isEmpty() ? service.textOr(NONE, "spec", "clusterIP") : ips.getFirst();
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
                return UNKNOWN;
            }
        }
        ips.addAll(service.texts("spec", "externalIPs"));
        if (!ips.isEmpty()) {
            return String.join(",", ips);
        }
        return type.equals("LoadBalancer") ? "<pending>" : NONE;
    }

    private static String servicePorts(Item service) {
        String ports = service.join(port -> {
            long nodePort = port.number("nodePort");
            return port.number("port") + (nodePort > 0 ? ":" + nodePort : "") + "/" + port.textOr("TCP", "protocol");
        }, "spec", "ports");
        return ports.isEmpty() ? NONE : ports;
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
            return NONE;
        }
        return all.isEmpty() ? "" : Item.firstThree(all);
    }
}
