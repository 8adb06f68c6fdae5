package dev.wheelhouse.apiserver.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Which fields each resource can be selected by, and their values (upstream: the {@code ToSelectableFields} functions of
 * {@code pkg/registry} and the field label conversions of {@code pkg/apis}).
 */
public final class SelectableFields {
    private static final Map<String, List<String>> PATHS = Map.ofEntries(
            Map.entry("pods",
                    List.of("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
                            "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName")),
            Map.entry("events",
                    List.of("involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
                            "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
                            "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type")),
            Map.entry("secrets", List.of("type")),
            Map.entry("nodes", List.of("spec.unschedulable")),
            Map.entry("namespaces", List.of("status.phase")),
            Map.entry("services", List.of("spec.clusterIP", "spec.type")),
            Map.entry("replicationcontrollers", List.of("status.replicas")),
            Map.entry("replicasets.apps", List.of("status.replicas")),
            Map.entry("jobs.batch", List.of("status.successful")),
            Map.entry("certificatesigningrequests.certificates.k8s.io", List.of("spec.signerName")),
            Map.entry("resourceslices.resource.k8s.io", List.of("spec.nodeName", "spec.driver")));

    private static final Set<String> NUMBERS = Set.of("status.replicas", "status.successful");
    private static final Set<String> FLAGS = Set.of("spec.unschedulable", "spec.hostNetwork");

    private SelectableFields() {}

    /** Whether objects of the resource can be selected by the field. @param resource {@code pods}, {@code jobs.batch} */
    public static boolean supports(String resource, String field) {
        return field.equals("metadata.name") || field.equals("metadata.namespace")
                || PATHS.getOrDefault(resource, List.of()).contains(field);
    }

    /** Whether the resource has selectable fields besides its name and namespace. */
    public static boolean hasOwn(String resource) {
        return PATHS.containsKey(resource);
    }

    static Map<String, String> of(String resource, ObjectNode object) {
        List<String> paths = PATHS.get(resource);
        if (paths == null) {
            return Map.of();
        }
        Map<String, String> values = HashMap.newHashMap(paths.size());
        for (String path : paths) {
            values.put(path, value(object, path));
        }
        return Map.copyOf(values);
    }

    private static String value(ObjectNode object, String path) {
        if (path.equals("source")) {
            String component = Json.text(object, "source", "component");
            return component.isEmpty() ? Json.text(object, "reportingComponent") : component;
        }
        JsonNode value = Json.at(object,
                path.equals("status.successful") ? new String[]{"status", "succeeded"} : path.split("\\."));
        if (value == null) {
            return NUMBERS.contains(path) ? "0" : FLAGS.contains(path) ? "false" : "";
        }
        return value.isContainer() ? "" : value.asString();
    }
}
