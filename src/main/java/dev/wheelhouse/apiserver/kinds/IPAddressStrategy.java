package dev.wheelhouse.apiserver.kinds;

import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/** IP addresses of Services; the address is the name (upstream: {@code pkg/registry/networking/ipaddress}). */
final class IPAddressStrategy extends Strategy {
    IPAddressStrategy() {
        super("networking.k8s.io", "IPAddress", Map.of("parent", IPAddressStrategy::parent));
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
}
