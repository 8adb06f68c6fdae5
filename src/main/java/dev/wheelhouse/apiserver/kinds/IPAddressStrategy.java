package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Locale;

import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;

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
}
