package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Locale;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** IP addresses of Services; the address is the name (upstream: {@code pkg/registry/networking/ipaddress}). */
final class IPAddressStrategy extends Strategy {
    IPAddressStrategy() {
        super("networking.k8s.io", "IPAddress", TableColumn.objectName(),
                TableColumn.of("ParentRef", "Object that has the address.", IPAddressStrategy::parent),
                TableColumn.age());
    }

    @Override
    protected boolean countsGenerations() {
        return false;
    }

    private static String parent(Item address) {
        if (!address.has("spec", "parentRef")) {
            return Item.NONE;
        }
        Item parent = address.part("spec", "parentRef");
        String group = parent.text("group");
        String namespace = parent.text("namespace");
        return (parent.text("resource") + (group.isEmpty() ? "" : "." + group)).toLowerCase(Locale.ROOT)
                + (namespace.isEmpty() ? "" : "/" + namespace) + "/" + parent.text("name");
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.ip(name);
    }

    @Override
    protected void validate(ObjectNode address, Problems problems) {
        JsonNode parent = address.path("spec").path("parentRef");
        if (parent.isMissingNode()) {
            problems.required("spec.parentRef");
            return;
        }
        for (String field : List.of("resource", "name")) {
            problems.filled(parent, "spec.parentRef", field);
        }
        problems.formedIfSet("spec.parentRef.group", Json.text(parent, "group"), Formats::dnsSubdomain);
        for (String field : List.of("resource", "name", "namespace")) {
            String value = Json.text(parent, field);
            problems.invalid("spec.parentRef." + field, value, Formats.pathSegment(value));
        }
    }

    @Override
    protected void validateUpdate(ObjectNode address, ObjectNode old, Problems problems) {
        problems.immutable("spec.parentRef", Json.at(address, "spec", "parentRef"), Json.at(old, "spec", "parentRef"));
    }
}
