package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Endpoint slices, whose type of addresses is immutable (upstream: {@code pkg/registry/discovery/endpointslice}). */
final class EndpointSliceStrategy extends Strategy {
    EndpointSliceStrategy() {
        super("discovery.k8s.io", "EndpointSlice", Set.of(Trait.COUNTS_GENERATIONS), TableColumn.objectName(),
                TableColumn.of("AddressType", "Type of the addresses: IPv4, IPv6 or FQDN.", o -> o.text("addressType")),
                TableColumn.of("Ports", "Ports of every endpoint.",
                        o -> Item.firstThree(o.items("ports").stream().map(EndpointSliceStrategy::port).toList())),
                TableColumn.of("Endpoints", "Addresses of the endpoints.",
                        o -> Item.firstThree(o.items("endpoints").stream().flatMap(e -> e.texts("addresses").stream())
                                .toList())),
                TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.discovery.v1.EndpointPort", port -> {
            set(port, "name", "");
            set(port, "protocol", "TCP");
        });
    }

    /** A change of labels makes a new generation too, because they name the Service. */
    @Override
    protected boolean changesGeneration(ObjectNode slice, ObjectNode old) {
        return !Meta.of(slice).path("labels").equals(Meta.of(old).path("labels"))
                || super.changesGeneration(slice, old);
    }

    private static String port(Item port) {
        return port.has("port") ? Long.toString(port.number("port")) : port.textOr("*", "name");
    }

    @Override
    protected void validate(ObjectNode slice, Problems problems) {
        String type = Json.text(slice, "addressType");
        problems.oneOf("addressType", type, "FQDN", "IPv4", "IPv6");
        Problems.each(slice.path("endpoints"), "endpoints", (endpoint, at) -> endpoint(endpoint, type, at, problems));
        Problems.each(slice.path("ports"), "ports", (port, at) -> port(port, at, problems));
    }

    private static void endpoint(JsonNode endpoint, String type, String at, Problems problems) {
        problems.filled(endpoint, at, "addresses", "must contain at least 1 addresses");
        Problems.each(endpoint.path("addresses"), at + ".addresses", (node, field) -> {
            String address = node.asString("");
            if (type.equals("FQDN")) {
                problems.invalid(field, address, Formats.dnsSubdomain(address));
            } else if (Formats.ip(address).isEmpty() && address.contains(":") != type.equals("IPv6")) {
                problems.invalid(field, address, "must be a valid " + type + " address");
            } else {
                problems.invalid(field, address, Formats.endpointIp(address));
            }
        });
        problems.formedIfPresent(endpoint, at, "hostname", Formats::dnsLabel);
        problems.formedIfPresent(endpoint, at, "nodeName", Formats::dnsSubdomain);
        for (String hints : List.of("forZones", "forNodes")) {
            Problems.each(endpoint.path("hints").path(hints), at + ".hints." + hints, (hint, field) -> {
                String name = Json.text(hint, "name");
                problems.invalid(field + ".name", name,
                        hints.equals("forZones") ? Formats.labelValue(name) : Formats.dnsSubdomain(name));
            });
        }
    }

    private static void port(JsonNode port, String at, Problems problems) {
        problems.formedIfSet(at + ".name", Json.text(port, "name"), Formats::dnsLabel);
        problems.oneOf(at + ".protocol", Json.text(port, "protocol"), "SCTP", "TCP", "UDP");
        problems.formedIfPresent(port, at, "appProtocol", Formats::qualifiedName);
    }

    @Override
    protected void validateUpdate(ObjectNode slice, ObjectNode old, Problems problems) {
        validate(slice, problems);
        problems.immutable("addressType", slice.get("addressType"), old.get("addressType"));
    }
}
