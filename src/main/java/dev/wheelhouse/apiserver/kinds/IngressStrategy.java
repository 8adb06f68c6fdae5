package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Subject;

/** Ingresses (upstream: {@code pkg/registry/networking/ingress}). */
final class IngressStrategy extends Strategy {
    private static final int SHOWN_HOSTS = 3;
    private static final String CLASS_ANNOTATION = "kubernetes.io/ingress.class";

    IngressStrategy() {
        super("networking.k8s.io", "Ingress", Map.of("hosts", IngressStrategy::hosts, "address", Item::loadBalancer,
                "ports", o -> o.size("spec", "tls") == 0 ? "80" : "80, 443"));
    }

    private static String hosts(Item ingress) {
        List<String> hosts = new ArrayList<>();
        boolean more = false;
        for (Item rule : ingress.items("spec", "rules")) {
            more |= hosts.size() == SHOWN_HOSTS;
            String host = rule.text("host");
            if (!more && !host.isEmpty()) {
                hosts.add(host);
            }
        }
        if (hosts.isEmpty()) {
            return "*";
        }
        return String.join(",", hosts)
                + (more ? " + " + (ingress.size("spec", "rules") - SHOWN_HOSTS) + " more..." : "");
    }

    static void backendOrRules(Subject spec) {
        JsonNode rules = spec.value().path("rules");
        if (rules.isEmpty() && !spec.value().has("defaultBackend")) {
            spec.problems().invalid(spec.path(), rules, "either `defaultBackend` or `rules` must be specified");
        }
    }

    static void ingressClass(Subject ingress) {
        String annotation = Json.text(ingress.value(), "metadata", "annotations", CLASS_ANNOTATION);
        String name = Json.text(ingress.value(), "spec", "ingressClassName");
        if (!annotation.isEmpty() && !name.isEmpty() && !annotation.equals(name)) {
            ingress.problems().invalid("annotations." + CLASS_ANNOTATION, annotation,
                    "must match `ingressClassName` when both are specified");
        }
    }
}
