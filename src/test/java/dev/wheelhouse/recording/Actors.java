package dev.wheelhouse.recording;

import java.time.Instant;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;

/** Users and administrators: they take the steps that are requests. */
final class Actors {
    /** The nodes of each scenario that has no steps with nodes. */
    static final List<String> NODES = List.of("node-1", "node-2", "node-3");

    private final Wire wire;
    private final String namespace;
    private final Names names;

    Actors(Wire wire, String namespace, Names names) {
        this.wire = wire;
        this.namespace = namespace;
        this.names = names;
    }

    /**
     * Takes a step.
     *
     * @return the status code of the answer; 0 if the step is not a request
     */
    int perform(JsonNode step) {
        String action = step.propertyNames().iterator().next();
        JsonNode details = Json.read(names.toUids(step.get(action).toString()));
        return switch (action) {
            case "create" -> create(details);
            case "patch" -> wire.patch(path(details) + subresource(details), details.path("type").asString("merge"),
                    details.path("body")).code();
            case "delete" -> wire.delete(path(details), details.get("options")).code();
            case "evict" -> evict(name(details, "pod"));
            case "node" -> {
                node(details);
                yield 0;
            }
            case "heartbeat" -> {
                details.forEach(node -> renewLease(node.asString()));
                yield 0;
            }
            default -> 0;
        };
    }

    private int create(JsonNode manifest) {
        ResourceType type = Kinds.type(Json.text(manifest, "apiVersion"), Json.text(manifest, "kind"));
        if (manifest.get("metadata") instanceof ObjectNode metadata && metadata.has("name")) {
            metadata.put("name", names.name(Names.name(manifest)));
        }
        Wire.Answer answer = wire.post(type.path(namespace), manifest);
        JsonNode status = manifest.get("status");
        if (answer.succeeded() && type.equals(ResourceType.REPLICA_SETS)) {
            // Its pods have their aliases after it, perhaps before the next state.
            names.created(answer.body());
        }
        if (answer.succeeded() && status != null) {
            wire.patch(Kinds.path(type, namespace, Names.name(answer.body())) + "/status", "merge",
                    Json.object().set("status", status)).expected();
        }
        return answer.code();
    }

    private String path(JsonNode details) {
        ResourceType type = Kinds.type(Json.text(details, "apiVersion"), Json.text(details, "kind"));
        return Kinds.path(type, namespace, name(details, "name"));
    }

    /** An alias that nobody has yet is made a valid name, so that both servers know no such object. */
    private String name(JsonNode details, String field) {
        return names.name(Json.text(details, field)).replaceAll("[#~@+^\\[\\]]", "-");
    }

    private static String subresource(JsonNode details) {
        String subresource = Json.text(details, "subresource");
        return subresource.isEmpty() ? "" : "/" + subresource;
    }

    private int evict(String pod) {
        return wire.post(Kinds.path(ResourceType.PODS, namespace, pod) + "/eviction", Json.object()
                .put("apiVersion", "policy/v1").put("kind", "Eviction")
                .set("metadata", Json.object().put("name", pod).put("namespace", namespace))).code();
    }

    void addNodes() {
        NODES.forEach(name -> node(Json.object().put("name", name)));
    }

    void removeNodes() {
        NODES.forEach(name -> wire.delete(Kinds.path(ResourceType.NODES, "", name), null));
    }

    /**
     * Creates, changes or removes a node. A new node is ready and has no taints but the given ones. A node that does
     * not exist is removed in vain.
     */
    private void node(JsonNode details) {
        String name = Json.text(details, "name");
        String path = Kinds.path(ResourceType.NODES, "", name);
        if (details.path("absent").asBoolean(false)) {
            Wire.Answer answer = wire.delete(path, null);
            if (answer.code() != 404) {
                answer.expected();
            }
            return;
        }
        boolean isNew = wire.get(path).code() == 404;
        if (isNew) {
            ObjectNode node = Json.object().put("apiVersion", "v1").put("kind", "Node");
            ObjectNode labels = node.putObject("metadata").put("name", name).putObject("labels");
            labels.put("kubernetes.io/hostname", name).put("kubernetes.io/os", "linux");
            labels(details).properties().forEach(l -> labels.set(l.getKey(), l.getValue()));
            ObjectNode spec = node.putObject("spec");
            spec.set("taints", taints(details));
            spec.put("unschedulable", details.path("unschedulable").asBoolean(false));
            wire.post(ResourceType.NODES.path(""), node).expected();
        }
        if (isNew || details.has("ready")) {
            ready(path, details.path("ready").asBoolean(true));
        }
        ObjectNode change = Json.object();
        ObjectNode spec = change.putObject("spec");
        if (isNew || details.has("taints")) {
            // Admission adds a taint to a new node, and nobody removes it here.
            spec.set("taints", taints(details));
        }
        if (details.has("unschedulable")) {
            spec.set("unschedulable", details.get("unschedulable"));
        }
        if (!isNew && details.has("labels")) {
            change.putObject("metadata").set("labels", labels(details));
        }
        wire.patch(path, "merge", change).expected();
    }

    /** Renews the Lease of a node, as its kubelet does. Controllers compare its times with each other only. */
    private void renewLease(String node) {
        String namespace = "kube-node-lease";
        if (wire.get(ResourceType.NAMESPACES.path("") + "/" + namespace).code() == 404) {
            wire.post(ResourceType.NAMESPACES.path(""), Json.object().set("metadata",
                    Json.object().put("name", namespace))).expected();
        }
        Wire.Answer lease = wire.get(Kinds.path(ResourceType.LEASES, namespace, node));
        if (lease.code() == 404) {
            ObjectNode first = Json.object().put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
            first.putObject("metadata").put("name", node);
            first.putObject("spec").put("renewTime", "2030-01-01T00:00:00.000001Z");
            wire.post(ResourceType.LEASES.path(namespace), first).expected();
            return;
        }
        Instant next = Instant.parse(Json.text(lease.body(), "spec", "renewTime")).plusSeconds(1);
        wire.patch(Kinds.path(ResourceType.LEASES, namespace, node), "merge", Json.object().set("spec",
                Json.object().put("renewTime", next.toString()))).expected();
    }

    private void ready(String path, boolean ready) {
        ObjectNode status = Json.object();
        status.putObject("capacity").put("cpu", "8").put("memory", "16Gi").put("pods", "110");
        status.putObject("allocatable").put("cpu", "8").put("memory", "16Gi").put("pods", "110");
        status.putArray("conditions").addObject().put("type", "Ready").put("status", ready ? "True" : "False");
        wire.patch(path + "/status", "merge", Json.object().set("status", status)).expected();
    }

    private static JsonNode labels(JsonNode details) {
        return details.has("labels") ? details.get("labels") : Json.object();
    }

    private static JsonNode taints(JsonNode details) {
        ArrayNode taints = Json.array();
        details.path("taints").forEach(taints::add);
        return taints;
    }
}
