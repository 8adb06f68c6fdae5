package dev.wheelhouse.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;

/**
 * All objects of a server, without everything that depends on chance or on the time of a write: UIDs, versions, times,
 * field managers, generated names, and the addresses, ports and nodes that a cluster chooses. Events and Leases are
 * left out.
 */
final class FinalState {
    private static final Set<String> LEFT_OUT = Set.of("events", "events.events.k8s.io", "leases.coordination.k8s.io");
    private static final Set<String> OF_METADATA = Set.of("uid", "resourceVersion", "creationTimestamp", "generation",
            "managedFields", "selfLink");
    private static final Set<String> CHOSEN = Set.of("clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort",
            "podIP", "podIPs", "hostIP", "hostIPs", "ip", "nodeName", "containerID", "resourceVersion", "uid");
    /** The annotation of Endpoints with the time of the change that led to a write. */
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
    /** Lists whose order means nothing, with the field that names an item. */
    private static final Map<String, String> BY_NAME = Map.of("conditions", "type", "ownerReferences", "name");
    private static final Pattern TIME = Pattern
            .compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)");
    private static final Pattern UID = Pattern
            .compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    /** The volume of a pod's token has a random name. */
    private static final Pattern TOKEN_VOLUME = Pattern.compile("kube-api-access-[a-z0-9]{5}");
    private static final int MOST_DIFFERENCES = 12;

    /** The fields of each object by their paths. An object is named by kind, namespace and name. */
    private final Map<String, Map<String, String>> objects = new TreeMap<>();

    /** @param ignored paths of fields, such as {@code status.lastChecked} */
    static FinalState of(KubeClient client, Set<String> ignored) {
        FinalState state = new FinalState();
        Map<String, List<Map<String, String>>> alike = new TreeMap<>();
        Map<String, String> generated = new HashMap<>();
        for (ResourceType type : client.discover().types()) {
            if (!LEFT_OUT.contains(type.groupResource())) {
                client.resource(type, Unstructured.class).list("", LabelSelector.everything(),
                        FieldSelector.everything(), ListOptions.consistent(0)).items()
                        .forEach(object -> add(type, ModelJson.tree(object), ignored, alike, generated));
            }
        }
        // Other objects, such as Endpoints, name the ones whose names are generated.
        alike.values().forEach(objects -> objects
                .forEach(fields -> fields.replaceAll((path, value) -> generated.getOrDefault(value, value))));
        alike.forEach((title, objects) -> {
            objects.sort(Comparator.comparing(Map::toString));
            for (int i = 0; i < objects.size(); i++) {
                state.objects.put(i == 0 ? title : title + " (" + (i + 1) + ")", objects.get(i));
            }
        });
        return state;
    }

    /**
     * @param alike receives the object under its kind, namespace and name without the generated part
     * @param generated receives the name without the generated part, under the generated name
     */
    private static void add(ResourceType type, JsonNode object, Set<String> ignored,
            Map<String, List<Map<String, String>>> alike, Map<String, String> generated) {
        JsonNode meta = object.path("metadata");
        String prefix = meta.path("generateName").asString("");
        String name = prefix.isEmpty() ? meta.path("name").asString("") : prefix + "*";
        String namespace = meta.path("namespace").asString("");
        Map<String, String> fields = new LinkedHashMap<>();
        flatten("", without(object, ignored), meta.path("generation").asLong(0), fields);
        // A PersistentVolume is named by the UID of its claim.
        String title = type.kind() + " " + (namespace.isEmpty() ? "" : namespace + "/")
                + UID.matcher(name).replaceAll("*");
        if (!prefix.isEmpty()) {
            generated.put(meta.path("name").asString(""), name);
        }
        alike.computeIfAbsent(title, key -> new ArrayList<>()).add(fields);
    }

    /** A copy of an object or a patch without some of its fields. */
    static JsonNode without(JsonNode object, Set<String> paths) {
        JsonNode copy = object.deepCopy();
        if (!paths.isEmpty()) {
            remove("", copy, paths);
        }
        return copy;
    }

    private static void remove(String path, JsonNode node, Set<String> paths) {
        if (node instanceof ObjectNode object) {
            object.remove(object.propertyNames().stream().filter(name -> paths.contains(child(path, name))).toList());
            object.properties().forEach(field -> remove(child(path, field.getKey()), field.getValue(), paths));
        } else if (node.isArray()) {
            int i = 0;
            for (JsonNode item : node) {
                String at = path + item(path, item, i);
                i++;
                if (paths.contains(at) && item instanceof ObjectNode object) {
                    object.removeAll();
                }
                remove(at, item, paths);
            }
        }
    }

    private static String child(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** The step to an item of a list: its place in the list, or its name if the order means nothing. */
    private static String item(String path, JsonNode item, int i) {
        String by = BY_NAME.get(path.substring(path.lastIndexOf('.') + 1));
        String id = by == null ? "" : item.path(by).asString("");
        return "[" + (id.isEmpty() ? Integer.toString(i) : id) + "]";
    }

    private static void flatten(String path, JsonNode node, long generation, Map<String, String> fields) {
        String name = path.substring(path.lastIndexOf('.') + 1);
        if (node.isObject()) {
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                if (!(path.equals("metadata") && OF_METADATA.contains(field.getKey()))
                        && !field.getKey().equals(TRIGGER_TIME)) {
                    flatten(child(path, field.getKey()), field.getValue(), generation, fields);
                }
            }
        } else if (node.isArray()) {
            int i = 0;
            for (JsonNode item : node) {
                flatten(path + item(path, item, i++), item, generation, fields);
            }
        } else if (name.startsWith("addresses[")
                || Arrays.stream(path.split("[.\\[]")).anyMatch(CHOSEN::contains)) {
            fields.put(path, "(chosen)");
        } else if (name.equals("observedGeneration")) {
            fields.put(path, node.asLong(0) == generation ? "(current)" : "(outdated)");
        } else {
            String value = node.isString() ? node.asString() : node.toString();
            value = TIME.matcher(value).replaceAll("(time)");
            value = UID.matcher(value).replaceAll("(uid)");
            fields.put(path, TOKEN_VOLUME.matcher(value).replaceAll("kube-api-access-*"));
        }
    }

    /** Sentences about what differs from the state of the run without faults; empty if nothing does. */
    List<String> differencesFrom(FinalState wanted) {
        List<String> differences = new ArrayList<>();
        Set<String> all = new TreeSet<>(objects.keySet());
        all.addAll(wanted.objects.keySet());
        for (String object : all) {
            Map<String, String> is = objects.get(object);
            Map<String, String> was = wanted.objects.get(object);
            if (is == null) {
                differences.add(object + " does not exist; without faults it does");
            } else if (was == null) {
                differences.add(object + " exists; without faults it does not");
            } else {
                Set<String> paths = new TreeSet<>(is.keySet());
                paths.addAll(was.keySet());
                for (String path : paths) {
                    String now = is.get(path);
                    String before = was.get(path);
                    if (now == null || !now.equals(before)) {
                        differences.add(object + ": " + path + " is " + shown(now) + "; without faults it is "
                                + shown(before));
                    }
                }
            }
        }
        if (differences.size() > MOST_DIFFERENCES) {
            int more = differences.size() - MOST_DIFFERENCES;
            differences.subList(MOST_DIFFERENCES, differences.size()).clear();
            differences.add("and " + more + " more differences");
        }
        return differences;
    }

    private static String shown(@Nullable String value) {
        return value == null ? "not set" : value.isEmpty() ? "\"\"" : value;
    }
}
