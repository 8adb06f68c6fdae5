package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

/** Endpoint slices, whose type of addresses is immutable (upstream: {@code pkg/registry/discovery/endpointslice}). */
final class EndpointSliceStrategy extends Strategy {
    EndpointSliceStrategy() {
        super("discovery.k8s.io", "EndpointSlice", Map.of("ports",
                o -> Item.firstThree(o.items("ports").stream().map(EndpointSliceStrategy::port).toList()), "endpoints",
                o -> Item.firstThree(o.items("endpoints").stream().flatMap(e -> e.texts("addresses").stream())
                        .toList())));
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

    static void endpointAddress(Subject subject) {
        String type = Json.text(subject.root(), "addressType");
        String address = subject.text();
        Problems problems = subject.problems();
        if (type.equals("FQDN")) {
            problems.invalid(subject.path(), address, Formats.named("fullyQualified").apply(address));
        } else if (type.equals("IPv4") || type.equals("IPv6")) {
            boolean is6 = type.equals("IPv6");
            List<String> wrong = is6 ? Formats.named("canonicalIp").apply(address) : Formats.ip(address);
            problems.invalid(subject.path(), address, wrong);
            if (wrong.isEmpty() && address.contains(":") != is6) {
                problems.invalid(subject.path().replaceFirst("\\[\\d+\\]$", ""), address,
                        "must be an " + type + " address");
            }
            problems.invalid(subject.path(), address, wrong.isEmpty() ? Formats.endpointIp(address) : List.of());
        }
    }
}
