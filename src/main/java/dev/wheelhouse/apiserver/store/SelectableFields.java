package dev.wheelhouse.apiserver.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;

/**
 * The fields by which objects of each resource can be selected, and their values (upstream: the {@code
 * ToSelectableFields} functions of {@code pkg/registry} and the field label conversions of {@code pkg/apis}).
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
            Map.entry("jobs.batch", List.of("status.successful")),
            Map.entry("certificatesigningrequests.certificates.k8s.io", List.of("spec.signerName")),
            Map.entry("clustertrustbundles.certificates.k8s.io", List.of("spec.signerName")),
            Map.entry("podcertificaterequests.certificates.k8s.io",
                    List.of("spec.signerName", "spec.podName", "spec.nodeName")),
            Map.entry("resourceslices.resource.k8s.io", List.of("spec.nodeName", "spec.driver")));

    /** By kind, the fields that clients may name besides name and namespace. Other kinds have none. */
    private static final Map<String, List<String>> KNOWN = Map.ofEntries(
            Map.entry("Pod", with(PATHS.get("pods"), "status.podIPs")),
            Map.entry("Event", with(PATHS.get("events"))),
            Map.entry("Secret", with(PATHS.get("secrets"))),
            Map.entry("Node", with(PATHS.get("nodes"))),
            Map.entry("Namespace", with(PATHS.get("namespaces"))),
            Map.entry("Service", with(PATHS.get("services"))),
            Map.entry("ReplicationController", with(PATHS.get("replicationcontrollers"))),
            Map.entry("Job", with(PATHS.get("jobs.batch"))),
            Map.entry("CertificateSigningRequest", List.of("spec.signerName")),
            Map.entry("ClusterTrustBundle", List.of("spec.signerName")),
            Map.entry("PodCertificateRequest", List.of("spec.signerName", "spec.podName", "spec.nodeName")),
            Map.entry("ResourceSlice", with(PATHS.get("resourceslices.resource.k8s.io"))));
    /** The groups of those kinds that are not in the core group. */
    private static final Map<String, String> GROUPS = Map.of("Job", "batch", "CertificateSigningRequest",
            "certificates.k8s.io", "ClusterTrustBundle", "certificates.k8s.io", "PodCertificateRequest",
            "certificates.k8s.io", "ResourceSlice", "resource.k8s.io");
    /** The fields of Events in the group events.k8s.io, with their names in the stored core Event. */
    private static final Map<String, String> NEW_EVENTS = Map.ofEntries(Map.entry("reason", "reason"),
            Map.entry("regarding.kind", "involvedObject.kind"),
            Map.entry("regarding.namespace", "involvedObject.namespace"),
            Map.entry("regarding.name", "involvedObject.name"),
            Map.entry("regarding.uid", "involvedObject.uid"),
            Map.entry("regarding.apiVersion", "involvedObject.apiVersion"),
            Map.entry("regarding.resourceVersion", "involvedObject.resourceVersion"),
            Map.entry("regarding.fieldPath", "involvedObject.fieldPath"),
            Map.entry("reportingController", "reportingComponent"),
            Map.entry("type", "type"));

    private static final Set<String> NUMBERS = Set.of("status.replicas", "status.successful");
    private static final Set<String> FLAGS = Set.of("spec.unschedulable", "spec.hostNetwork");

    private SelectableFields() {}

    private static List<String> with(@Nullable List<String> fields, String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.addAll(fields == null ? List.of() : fields);
        return List.copyOf(all);
    }

    /**
     * The name under which {@link StoredObject} keeps a field that a client names in a selector.
     *
     * @return null if objects of the type cannot be selected by this field
     */
    public static @Nullable String canonical(ResourceType type, String field) {
        if (type.group().equals("events.k8s.io")) {
            return field.equals("metadata.name") || field.equals("metadata.namespace") ? field : NEW_EVENTS.get(field);
        }
        List<String> own = KNOWN.get(type.kind());
        if (own == null || !type.group().equals(GROUPS.getOrDefault(type.kind(), ""))) {
            return field.equals("metadata.name") || field.equals("metadata.namespace") ? field : null;
        }
        if (type.kind().equals("Pod") && field.equals("spec.host")) {
            return "spec.nodeName";
        }
        return field.equals("metadata.name") || field.equals("metadata.namespace") && type.namespaced()
                && !type.kind().equals("PodCertificateRequest") || own.contains(field) ? field : null;
    }

    /** Upstream's error message for a field that {@link #canonical} does not know. */
    public static String refusal(ResourceType type, String field) {
        return switch (type.group() + "/" + type.kind()) {
            case "batch/Job" -> "field label \"" + field + "\" not supported for Job";
            case "resource.k8s.io/ResourceSlice" -> "field label not supported for " + type.apiVersion()
                    + ", Kind=ResourceSlice: " + field;
            default -> type.group().equals("events.k8s.io")
                    || KNOWN.containsKey(type.kind()) && type.group().equals(GROUPS.getOrDefault(type.kind(), ""))
                            ? "field label not supported: " + field
                            : "\"" + field + "\" is not a known field selector: only \"metadata.name\", "
                                    + "\"metadata.namespace\"";
        };
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
