package dev.wheelhouse.apiserver.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;

/**
 * The fields by which objects of each resource can be selected, and their values (upstream: the
 * {@code ToSelectableFields} functions of {@code pkg/registry} and the field label conversions of {@code pkg/apis}).
 */
public final class SelectableFields {
    /** By resource, the fields besides name and namespace. Other built-in resources have none. */
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
            Map.entry("jobs.batch", List.of("status.successful")),
            Map.entry("certificatesigningrequests.certificates.k8s.io", List.of("spec.signerName")),
            Map.entry("clustertrustbundles.certificates.k8s.io", List.of("spec.signerName")),
            Map.entry("podcertificaterequests.certificates.k8s.io",
                    List.of("spec.signerName", "spec.podName", "spec.nodeName")),
            Map.entry("resourceslices.resource.k8s.io", List.of("spec.nodeName", "spec.driver")));

    private static final String[] NONE = {};
    /** By resource, the steps to each of its fields. */
    private static final Map<String, List<String[]>> STEPS = PATHS.entrySet().stream().collect(
            Collectors.toUnmodifiableMap(Map.Entry::getKey, of -> of.getValue().stream().map(path -> path.equals(
                    "status.successful") ? new String[]{"status", "succeeded"} : path.split("\\.", -1)).toList()));

    private static final Set<String> NUMBERS = Set.of("status.replicas", "status.successful");
    private static final Set<String> FLAGS = Set.of("spec.unschedulable", "spec.hostNetwork");

    private SelectableFields() {}

    /**
     * The name under which {@link StoredObject} keeps a field that a client names in a selector.
     *
     * @return null if objects of the type cannot be selected by this field
     */
    public static @Nullable String canonical(ResourceType type, String field) {
        boolean name = field.equals("metadata.name");
        boolean namespace = field.equals("metadata.namespace");
        if (type.group().equals("events.k8s.io")) {
            return name || namespace ? field : ofCoreEvent(field);
        }
        List<String> own = PATHS.get(type.groupResource());
        if (own == null) {
            return name || namespace ? field : null;
        }
        boolean pod = type.kind().equals("Pod");
        if (pod && field.equals("spec.host")) {
            return "spec.nodeName";
        }
        return name || (namespace && type.namespaced() && !type.kind().equals("PodCertificateRequest"))
                || own.contains(field) || (pod && field.equals("status.podIPs")) ? field : null;
    }

    /** The name in the core Event, as which all Events are stored, of a field of the group events.k8s.io. */
    private static @Nullable String ofCoreEvent(String field) {
        String core = field.equals("reportingController")
                ? "reportingComponent"
                : field.replaceFirst("^regarding\\.", "involvedObject.");
        boolean known = !core.equals(field) && paths("events").contains(core) || field.equals("reason")
                || field.equals("type");
        return known ? core : null;
    }

    /** Upstream's error message for a field that {@link #canonical} does not know. */
    public static String refusal(ResourceType type, String field) {
        return switch (type.group() + "/" + type.kind()) {
            case "batch/Job" -> "field label \"" + field + "\" not supported for Job";
            case "resource.k8s.io/ResourceSlice" -> "field label not supported for " + type.apiVersion()
                    + ", Kind=ResourceSlice: " + field;
            default -> type.group().equals("events.k8s.io") || PATHS.containsKey(type.groupResource())
                    ? "field label not supported: " + field
                    : "\"" + field + "\" is not a known field selector: only \"metadata.name\", "
                            + "\"metadata.namespace\"";
        };
    }

    /** The values of an object's fields, in the order of {@link #PATHS}; empty for a resource without such fields. */
    static String[] of(String resource, ObjectNode object) {
        List<String[]> steps = STEPS.get(resource);
        if (steps == null) {
            return NONE;
        }
        List<String> paths = paths(resource);
        String[] values = new String[paths.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(object, paths.get(i), steps.get(i));
        }
        return values;
    }

    /** The fields of a resource besides name and namespace; none for a custom resource and most others. */
    static List<String> paths(String resource) {
        return PATHS.getOrDefault(resource, List.of());
    }

    private static String value(ObjectNode object, String path, String[] steps) {
        if (path.equals("source")) {
            String component = Json.text(object, "source", "component");
            return component.isEmpty() ? Json.text(object, "reportingComponent") : component;
        }
        JsonNode value = Json.at(object, steps);
        if (value == null) {
            return NUMBERS.contains(path) ? "0" : FLAGS.contains(path) ? "false" : "";
        }
        return value.isContainer() ? "" : value.asString();
    }
}
