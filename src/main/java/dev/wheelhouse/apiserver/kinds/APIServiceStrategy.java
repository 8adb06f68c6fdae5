package dev.wheelhouse.apiserver.kinds;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Resources;

/**
 * API services: the group versions that the server serves itself or by a Service (upstream:
 * {@code kube-aggregator/pkg/registry/apiservice}).
 */
final class APIServiceStrategy extends Strategy {
    private static final String RESOURCE = "apiservices.apiregistration.k8s.io";
    private static final String MANAGED = "kube-aggregator.kubernetes.io/automanaged";
    private static final String[] OF_DEFINITIONS = {"", "1000", "100"};
    /** The rows of {@code api-services.tsv} by their names. */
    private static final Map<String, String[]> PRIORITIES = Resources
            .text(APIServiceStrategy.class, "api-services.tsv").lines().filter(line -> !line.startsWith("#"))
            .map(line -> line.split("\t")).collect(Collectors.toUnmodifiableMap(row -> row[0], row -> row));

    APIServiceStrategy() {
        super("apiregistration.k8s.io", "APIService", Map.of("available", APIServiceStrategy::available));
    }

    /**
     * Makes the missing APIServices of the group versions that the server has itself, and deletes those that were made
     * for others (upstream: {@code kube-aggregator/pkg/controllers/autoregister}, {@code crdregistration}).
     */
    static void publish(ClusterState state) {
        synchronized (state.customResources()) { // Else a thread that has seen fewer definitions deletes too much.
            Map<String, ResourceType> missing = new LinkedHashMap<>();
            state.customResources().registry().all().stream().map(ResourceInfo::type)
                    .filter(type -> !type.group().equals("apiregistration.k8s.io"))
                    .forEach(type -> missing.putIfAbsent(type.version() + "." + type.group(), type));
            for (StoredObject stored : state.store().snapshot(RESOURCE).select(Selection.all())) {
                if (missing.remove(stored.name()) == null && stored.labels().containsKey(MANAGED)) {
                    state.delete(RESOURCE, stored.name());
                }
            }
            missing.forEach((name, type) -> state.create(RESOURCE, local(name, type, state)));
        }
    }

    private static ObjectNode local(String name, ResourceType type, ClusterState state) {
        String[] priorities = PRIORITIES.getOrDefault(name, OF_DEFINITIONS);
        ObjectNode service = state.made("APIService", "<NAME>", name, "<GROUP>", type.group(), "<VERSION>",
                type.version(), "<MADE>", priorities == OF_DEFINITIONS ? "true" : "onstart", "<OF_GROUP>",
                priorities[1], "<OF_VERSION>", priorities[2]);
        if (type.group().isEmpty()) {
            Json.child(service, "spec").remove("group");
            ((ObjectNode) service.at("/metadata/managedFields/0/fieldsV1/f:spec")).remove("f:group");
        }
        setAvailable(service, state);
        return service;
    }

    @Override
    protected void create(ObjectNode service, User writer, ClusterState state) {
        if (!service.path("spec").hasNonNull("service")) {
            setAvailable(service, state);
        }
    }

    private static void setAvailable(ObjectNode service, ClusterState state) {
        service.putObject("status").putArray("conditions").addObject().put("type", "Available").put("status", "True")
                .put("lastTransitionTime", Meta.time(state.clock().now())).put("reason", "Local")
                .put("message", "Local APIServices are always available");
    }

    static void versionAndGroup(Subject name) {
        JsonNode spec = name.root().path("spec");
        String wanted = Json.text(spec, "version") + "." + Json.text(spec, "group");
        if (!name.text().equals(wanted) && Formats.pathSegment(name.text()).isEmpty()) {
            name.problems().invalid(name.path(), name.text(),
                    "must be `spec.version+\".\"+spec.group`: \"" + wanted + "\"");
        }
    }

    static void bundleOfLocal(Subject bundle) {
        int length = bundle.text().replace("=", "").length() * 3 / 4;
        if (length > 0 && !bundle.root().path("spec").hasNonNull("service")) {
            bundle.problems().invalid(bundle.path(), length + " bytes", "local APIServices may not have a caBundle");
        }
    }

    private static String available(Item service) {
        Item condition = service.ofType("Available", "status", "conditions");
        return switch (condition.text("status")) {
            case "" -> "Unknown";
            case "True" -> "True";
            default -> condition.text("status") + " (" + condition.text("reason") + ")";
        };
    }
}
