package dev.wheelhouse.recording;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.attach.AttachDetachController;

/**
 * Reads the objects of a scenario in a normal form, which is the same for the real server and the embedded one: without
 * versions and times, with aliases for generated names and UIDs. A time is kept as {@value #TIME}. The specs of pods
 * keep the fields that controllers write or read, the status of a pod is without that of its containers.
 */
final class State {
    static final String TIME = "<time>";
    private static final Pattern A_TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final Set<String> METADATA = Set.of("labels", "annotations", "finalizers", "ownerReferences",
            "generation", "deletionTimestamp", "deletionGracePeriodSeconds");
    private static final Set<String> POD_SPEC = Set.of("nodeName", "nodeSelector", "hostname", "subdomain", "affinity",
            "tolerations", "restartPolicy", "schedulingGates", "priorityClassName", "topologySpreadConstraints");
    private static final Set<String> KUBELETS = Set.of("containerStatuses", "initContainerStatuses", "podIP", "podIPs",
            "hostIP", "hostIPs", "qosClass", "allocatable", "capacity", "nodeInfo", "daemonEndpoints");
    private static final Set<String> OF_KUBELETS = Set.of("Initialized", "ContainersReady", "PodScheduled");
    /** Certificates, requests and tokens, also in base64. */
    private static final Pattern PEM = Pattern.compile("^(-----BEGIN |LS0tLS1CRUdJTi|ZXlK)");
    private static final List<String> LISTS_OF_ADDRESSES = List.of("addresses", "notReadyAddresses");
    /** A schedule determines these times, so that they are equal in the replay. */
    private static final Set<String> SCHEDULED = Set.of("lastScheduleTime",
            "batch.kubernetes.io/cronjob-scheduled-timestamp");

    private static final Set<String> USER_ROLES = Set.of("admin", "cluster-admin", "edit", "view");

    /** Admission gives each pod tolerations of such a time. */
    private static final int DEFAULT_SECONDS = 300;

    private final Wire wire;
    private final String namespace;
    private final Names names;
    private final Set<ResourceType> types = new LinkedHashSet<>();
    private final Map<String, String> knownEvents = new HashMap<>();
    private final boolean showsClusterEvents;

    State(Wire wire, Scenario scenario, Names names) {
        this.wire = wire;
        this.namespace = scenario.namespace();
        this.names = names;
        showsClusterEvents = scenario.clusterEvents();
        Kinds.OF_WORKLOADS.forEach(kind -> types.add(Kinds.type(kind)));
        types.addAll(scenario.kinds());
        if (types.contains(ResourceType.SERVICES)) {
            types.addAll(List.of(ResourceType.ENDPOINTS, ResourceType.ENDPOINT_SLICES));
        }
        if (scenario.hasNodes()) {
            types.add(ResourceType.NODES);
        }
        if (scenario.controllers().contains(AttachDetachController.NAME)) {
            types.add(AttachDetachController.ATTACHMENTS);
        }
    }

    /** Whether the state has objects of this type. */
    boolean reads(ResourceType type) {
        return types.contains(type);
    }

    /** The names of the types in the store. */
    List<String> resources() {
        return types.stream().map(ResourceType::groupResource).toList();
    }

    /** The objects as the server has them. */
    List<JsonNode> raw() {
        List<JsonNode> all = new ArrayList<>();
        for (ResourceType type : types) {
            Wire.Answer answer = wire.get(type.path(namespace));
            // A custom resource is not there before its definition.
            if (answer.code() != 404) {
                answer.expected().path("items").forEach(item -> {
                    ((ObjectNode) item).put("kind", type.kind()).put("apiVersion", type.apiVersion());
                    if (type.namespaced() || isOurs(item)) {
                        all.add(item);
                    }
                });
            }
        }
        names.settle(all);
        return all;
    }

    /** Whether a cluster object is not one that each server has from its start. */
    private static boolean isOurs(JsonNode object) {
        return !Names.name(object).startsWith("system") && !Names.name(object).startsWith("kube-")
                && !Names.name(object).equals("kubernetes")
                && !Json.text(object, "spec", "parentRef", "name").equals("kubernetes")
                && Set.of("", "default").contains(Json.text(object, "spec", "parentRef", "namespace"))
                && !USER_ROLES.contains(Names.name(object));
    }

    /** The existing pods. */
    List<JsonNode> pods() {
        return raw().stream().filter(o -> Json.text(o, "kind").equals("Pod"))
                .sorted(Comparator.comparing((JsonNode p) -> natural(names.alias(Names.name(p))))).toList();
    }

    /** The normal form of all objects, by kind and alias. */
    Map<String, JsonNode> now() {
        Map<String, JsonNode> state = new TreeMap<>(Comparator.comparing(State::natural));
        for (JsonNode object : raw()) {
            state.put(Json.text(object, "kind") + "/" + names.alias(Names.name(object)), normal(object));
        }
        return state;
    }

    /** A text whose order is that of the numbers in this one. */
    static String natural(String text) {
        return Pattern.compile("\\d+").matcher(text).replaceAll(m -> "0".repeat(Math.max(0, 12 - m.group().length()))
                + m.group());
    }

    /** The Events that were written since the last call: type, reason, object and message, with real names. */
    Set<String> newEvents() {
        Set<String> events = new TreeSet<>(newEvents(namespace, namespace));
        if (showsClusterEvents) {
            events.addAll(newEvents("default", ""));
        }
        return events;
    }

    private Set<String> newEvents(String namespace, String ofObjects) {
        Set<String> events = new TreeSet<>();
        for (JsonNode event : wire.get(ResourceType.EVENTS.path(namespace)).expected().path("items")) {
            String version = Json.text(event, "metadata", "resourceVersion");
            JsonNode about = event.path("involvedObject");
            if (Json.text(about, "namespace").equals(ofObjects)
                    && !version.equals(knownEvents.put(Names.name(event), version))) {
                events.add(Json.text(event, "type") + " " + Json.text(event, "reason") + " "
                        + Json.text(about, "kind") + "/" + Json.text(about, "name") + ": "
                        + Json.text(event, "message") + " (" + source(event) + ")");
            }
        }
        return events;
    }

    private static String source(JsonNode event) {
        String source = Json.text(event, "source", "component");
        return source.isEmpty() ? Json.text(event, "reportingComponent") : source;
    }

    private JsonNode normal(JsonNode object) {
        String kind = Json.text(object, "kind");
        ObjectNode form = Json.object();
        object.path("metadata").properties().stream().filter(e -> METADATA.contains(e.getKey()))
                .forEach(e -> form.set(e.getKey(), e.getValue()));
        String uid = names.toAliases(Json.text(object, "metadata", "uid"));
        if (uid.contains("!")) {
            form.put("uid", uid);
        }
        object.properties().stream()
                .filter(e -> !Set.of("metadata", "apiVersion", "kind").contains(e.getKey()))
                .forEach(e -> form.set(e.getKey(),
                        kind.equals("Pod") && e.getKey().equals("spec") ? podSpec(e.getValue()) : e.getValue()));
        if (kind.equals("Pod") && Names.isAlias(names.alias(Names.name(object)))) {
            // The kubelet chose the node.
            ((ObjectNode) form.path("spec")).remove("nodeName");
        }
        if (kind.equals("Service")) {
            // The addresses depend on the server's configuration.
            form.remove("spec");
        }
        if (kind.equals("EndpointSlice")) {
            // Changes of several pods are one update or several.
            form.remove("generation");
        }
        JsonNode reduced = reduced(form, "");
        if (reduced == null) {
            return Json.object();
        }
        // The real controllers take the pods in random order.
        reduced.path("subsets").forEach(subset -> LISTS_OF_ADDRESSES.forEach(list -> sort(subset.path(list))));
        sort(reduced.path("subsets"));
        sort(reduced.path("endpoints"));
        return reduced;
    }

    private static void sort(JsonNode list) {
        if (list instanceof ArrayNode array) {
            List<JsonNode> sorted = array.valueStream().sorted(Comparator.comparing(JsonNode::toString)).toList();
            array.removeAll().addAll(sorted);
        }
    }

    private static JsonNode podSpec(JsonNode spec) {
        ObjectNode kept = Json.object();
        spec.properties().stream().filter(e -> POD_SPEC.contains(e.getKey()))
                .forEach(e -> kept.set(e.getKey(), e.getValue()));
        ArrayNode claims = Json.array();
        spec.path("volumes").valueStream().map(v -> v.at("/persistentVolumeClaim/claimName")).filter(JsonNode::isString)
                .forEach(claims::add);
        kept.set("claims", claims);
        ArrayNode tolerations = Json.array();
        spec.path("tolerations").valueStream().filter(t -> t.path("tolerationSeconds").asInt(0) != DEFAULT_SECONDS)
                .forEach(tolerations::add);
        kept.set("tolerations", tolerations);
        ArrayNode images = Json.array();
        spec.path("containers").forEach(c -> images.add(Json.text(c, "image")));
        kept.set("images", images);
        return kept;
    }

    /** A value without empty parts, and with aliases; null if nothing is left. */
    private @Nullable JsonNode reduced(JsonNode value, String field) {
        if (value.isObject()) {
            ObjectNode form = Json.object();
            value.properties().stream().sorted(Map.Entry.comparingByKey()).forEach(e -> {
                if (!dropped(field, e.getKey())) {
                    boolean template = field.equals("template") && e.getKey().equals("spec");
                    JsonNode part = reduced(template ? podSpec(e.getValue()) : e.getValue(), e.getKey());
                    if (part != null) {
                        form.set(names.toAliases(e.getKey()), part);
                    }
                }
            });
            return form.isEmpty() ? null : form;
        }
        if (value.isArray() && field.equals("conditions")) {
            return conditions(value);
        }
        if (value.isArray()) {
            List<JsonNode> parts = new ArrayList<>();
            value.forEach(v -> {
                JsonNode part = reduced(v, field.equals("ownerReferences") ? "owner" : "");
                if (part != null) {
                    parts.add(part);
                }
            });
            ArrayNode form = Json.array().addAll(parts);
            return form.isEmpty() ? null : form;
        }
        if (value.isString()) {
            String text = value.asString();
            if (PEM.matcher(text).find()) {
                return Json.object().put("s", "<pem>").get("s");
            }
            boolean time = A_TIME.matcher(text).matches() && !SCHEDULED.contains(field);
            return text.isEmpty() ? null : Json.object().put("s", time ? TIME : names.toAliases(text)).get("s");
        }
        return value.isNull() ? null : value;
    }

    /** Conditions by type, without their times. */
    private @Nullable JsonNode conditions(JsonNode conditions) {
        ObjectNode form = Json.object();
        for (JsonNode condition : conditions) {
            String type = Json.text(condition, "type");
            if (!OF_KUBELETS.contains(type)) {
                JsonNode reduced = reduced(((ObjectNode) condition.deepCopy()).without(List.of("type",
                        "lastTransitionTime", "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime")), "condition");
                form.set(type, reduced == null ? Json.object() : reduced);
            }
        }
        return form.isEmpty() ? null : form;
    }

    private static boolean dropped(String parent, String field) {
        return switch (field) {
            case "resourceVersion", "managedFields" -> true;
            case "creationTimestamp", "generateName" -> parent.equals("metadata");
            case "uid" -> parent.equals("owner") || parent.equals("spec");
            // The requestor of a certificate.
            case "username", "groups", "extra" -> parent.equals("spec");
            default -> parent.equals("status") && KUBELETS.contains(field);
        };
    }
}
