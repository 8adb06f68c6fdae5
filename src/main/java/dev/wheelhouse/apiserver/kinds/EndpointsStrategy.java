package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Endpoints (upstream: {@code pkg/registry/core/endpoint}). */
final class EndpointsStrategy extends Strategy {
    EndpointsStrategy() {
        super("", "Endpoints", Set.of(Trait.CREATED_BY_UPDATE), TableColumn.objectName(),
                TableColumn.of("Endpoints", "Addresses and ports behind the service.", EndpointsStrategy::endpoints),
                TableColumn.age());
    }

    @Override
    public String deprecation(ResourceType type) {
        return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.EndpointPort", port -> set(port, "protocol", "TCP"));
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
            return Item.NONE;
        }
        return all.isEmpty() ? "" : Item.firstThree(all);
    }

    @Override
    protected void validate(ObjectNode endpoints, Problems problems) {
        Problems.each(endpoints.path("subsets"), "subsets", (subset, at) -> {
            if (subset.path("addresses").isEmpty() && subset.path("notReadyAddresses").isEmpty()) {
                problems.required(at, "must specify `addresses` or `notReadyAddresses`");
            }
            for (String list : List.of("addresses", "notReadyAddresses")) {
                Problems.each(subset.path(list), at + "." + list,
                        (address, field) -> address(address, field, problems));
            }
            Problems.each(subset.path("ports"), at + ".ports",
                    (port, field) -> port(port, field, subset.path("ports").size() > 1, problems));
        });
    }

    private static void address(JsonNode address, String at, Problems problems) {
        String ip = Json.text(address, "ip");
        problems.formedIfSet(at + ".hostname", Json.text(address, "hostname"), Formats::dnsLabel);
        problems.formedIfPresent(address, at, "nodeName", Formats::dnsSubdomain);
        problems.invalid(at + ".ip", ip, Formats.endpointIp(ip));
    }

    private static void port(JsonNode port, String at, boolean named, Problems problems) {
        String name = Json.text(port, "name");
        if (named && name.isEmpty()) {
            problems.required(at + ".name");
        } else if (!name.isEmpty()) {
            problems.invalid(at + ".name", name, Formats.dnsLabel(name));
        }
        long number = Json.number(port, 0, "port");
        Formats.portNumber(number).forEach(problem -> problems.invalid(at + ".port", number, problem));
        problems.oneOf(at + ".protocol", Json.text(port, "protocol"), "SCTP", "TCP", "UDP");
        problems.formedIfPresent(port, at, "appProtocol", Formats::qualifiedName);
    }
}
