package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Ingress classes (upstream: {@code pkg/registry/networking/ingressclass}). */
final class IngressClassStrategy extends Strategy {
    private static final int LONGEST_CONTROLLER = 250;

    IngressClassStrategy() {
        super("networking.k8s.io", "IngressClass", TableColumn.named(o -> o.name() + (o.text("metadata", "annotations",
                "ingressclass.kubernetes.io/is-default-class").equals("true") ? " (default)" : "")),
                TableColumn.of("Controller", "Controller of the ingresses of this class.",
                        o -> o.text("spec", "controller")),
                TableColumn.of("Parameters", "Object with more settings.", IngressClassStrategy::parameters),
                TableColumn.age());
    }

    @Override
    protected boolean countsGenerations() {
        return false;
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.networking.v1.IngressClassParametersReference", p -> set(p, "scope", "Cluster"));
    }

    private static String parameters(Item ingressClass) {
        Item parameters = ingressClass.part("spec", "parameters");
        if (!ingressClass.has("spec", "parameters")) {
            return Item.NONE;
        }
        String group = parameters.has("apiGroup") ? "." + parameters.text("apiGroup") : "";
        return parameters.text("kind") + group + "/" + parameters.text("name");
    }

    @Override
    protected void validate(ObjectNode ingressClass, Problems problems) {
        JsonNode spec = ingressClass.path("spec");
        String controller = Json.text(spec, "controller");
        if (controller.length() > LONGEST_CONTROLLER) {
            problems.tooLong("spec.controller", LONGEST_CONTROLLER);
        }
        problems.domainPrefixed("spec.controller", controller);
        JsonNode parameters = spec.get("parameters");
        if (parameters == null) {
            return;
        }
        String at = "spec.parameters";
        IngressStrategy.reference(parameters, at, problems);
        String scope = Json.text(parameters, "scope");
        switch (scope) {
            case "Namespace" -> {
                String namespace = Json.text(parameters, "namespace");
                if (!parameters.has("namespace")) {
                    problems.required(at + ".namespace", "`parameters.scope` is set to 'Namespace'");
                } else {
                    problems.invalid(at + ".namespace", namespace, Formats.dnsLabel(namespace));
                }
            }
            case "Cluster" -> {
                if (parameters.has("namespace")) {
                    problems.forbidden(at + ".namespace", "`parameters.scope` is set to 'Cluster'");
                }
            }
            default -> {
                if (parameters.has("scope")) {
                    problems.notSupported(at + ".scope", scope, "Cluster", "Namespace");
                } else {
                    problems.required(at + ".scope");
                }
            }
        }
    }

    @Override
    protected void validateUpdate(ObjectNode ingressClass, ObjectNode old, Problems problems) {
        problems.immutable("spec.controller", ingressClass.path("spec").get("controller"),
                old.path("spec").get("controller"));
        validate(ingressClass, problems);
    }
}
