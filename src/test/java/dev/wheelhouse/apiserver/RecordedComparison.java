package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Compares answers with recorded ones. UIDs, versions, continue tokens and generated suffixes may differ, but each
 * recorded value must always correspond to the same actual value. The pairs are learnt from answers and replaced in
 * later requests.
 */
final class RecordedComparison {
    private static final Set<String> MAPPED = Set.of("uid", "resourceVersion", "continue");
    private static final Set<String> TIMES = Set.of("creationTimestamp", "deletionTimestamp", "time",
            "lastTransitionTime", "lastUpdateTime", "startTime");
    private static final Pattern VERSION_PARAMETER = Pattern.compile("(resourceVersion|continue|hash)=([^&\"]+)");
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    private static final Pattern WORD = Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{27}|\\b[0-9]{3,}\\b");

    private final Map<String, String> actualOf = new HashMap<>();
    private List<String> differences = new ArrayList<>();

    void learn(String recorded, String actual) {
        actualOf.put(recorded, actual);
    }

    /** A recorded request's path with actual versions and tokens. */
    String path(String recorded) {
        Matcher matcher = VERSION_PARAMETER.matcher(recorded);
        StringBuilder path = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(path, Matcher.quoteReplacement(
                    matcher.group(1) + "=" + actualOf.getOrDefault(matcher.group(2), matcher.group(2))));
        }
        return matcher.appendTail(path).toString();
    }

    /** A recorded request's body with actual UIDs and versions. */
    JsonNode body(JsonNode recorded) {
        JsonNode copy = recorded.deepCopy();
        replace(copy);
        return copy;
    }

    private void replace(JsonNode node) {
        if (node instanceof ObjectNode object) {
            for (String name : List.copyOf(object.propertyNames())) {
                JsonNode value = object.get(name);
                if (name.equals("creationTimestamp")) {
                    object.remove(name);
                } else if (MAPPED.contains(name) && value.isString()) {
                    object.put(name, actualOf.getOrDefault(value.stringValue(), value.stringValue()));
                } else {
                    replace(value);
                }
            }
        } else if (node instanceof ArrayNode array) {
            array.forEach(this::replace);
        }
    }

    /** The differences between a recorded body and an actual one. */
    List<String> compare(JsonNode recorded, JsonNode actual) {
        differences = new ArrayList<>();
        JsonNode expected = recorded.deepCopy();
        JsonNode found = actual.deepCopy();
        strip(expected);
        strip(found);
        compare("", expected, found);
        return differences;
    }

    /** Removes what has changed since the recorded version, what controllers write, and service account tokens. */
    private static void strip(JsonNode node) {
        if (node instanceof ObjectNode object) {
            stripObject(object);
            for (String name : List.copyOf(object.propertyNames())) {
                JsonNode value = object.get(name);
                if (value.isNull() || name.equals("columnDefinitions")) {
                    object.remove(name);
                } else if (name.equals("volumes") || name.equals("volumeMounts")) {
                    dropTokens(object, name);
                } else if (name.equals("annotations") && value instanceof ObjectNode annotations) {
                    annotations.remove("deployment.kubernetes.io/revision");
                    if (annotations.isEmpty()) {
                        object.remove(name);
                    }
                } else if (name.equals("managedFields") && value instanceof ArrayNode entries) {
                    dropController(entries);
                }
            }
            object.forEach(RecordedComparison::strip);
        } else if (node instanceof ArrayNode array) {
            array.forEach(RecordedComparison::strip);
        }
    }

    private static void stripObject(ObjectNode object) {
        String name = Json.text(object, "metadata", "name");
        switch (Json.text(object, "kind")) {
            case "Deployment", "ReplicaSet" -> object.remove("status");
            case "Scale" -> Json.child(object, "status").remove("replicas");
            case "Pod" -> Json.child(object, "metadata").remove("generation");
            default -> {
                if (name.equals("kube-root-ca.crt")) {
                    object.remove("data");
                    Json.child(object, "metadata").remove(List.of("annotations", "managedFields"));
                }
            }
        }
        if (object.get("items") instanceof ArrayNode items) {
            List<JsonNode> sorted = new ArrayList<>();
            items.forEach(sorted::add);
            sorted.sort(Comparator.comparing(item -> Json.text(item, "metadata", "name")));
            object.putArray("items").addAll(sorted);
        }
        for (String rules : List.of("resourceRules", "nonResourceRules")) {
            if (object.get(rules) instanceof ArrayNode unordered) {
                List<JsonNode> sorted = new ArrayList<>();
                unordered.forEach(sorted::add);
                sorted.sort(Comparator.comparing(JsonNode::toString));
                object.putArray(rules).addAll(sorted);
            }
        }
        if (object.get("rows") instanceof ArrayNode rows) {
            rows.forEach(row -> {
                if (Json.text(row, "object", "metadata", "name").equals("kube-root-ca.crt")
                        && row.get("object").get("metadata") instanceof ObjectNode meta) {
                    meta.remove(List.of("annotations", "managedFields"));
                }
                if (row.get("cells") instanceof ArrayNode cells && !cells.isEmpty()) {
                    cells.remove(cells.size() - 1); // the age
                }
            });
        }
    }

    private static void dropTokens(ObjectNode object, String name) {
        if (object.get(name) instanceof ArrayNode array) {
            for (int i = array.size() - 1; i >= 0; i--) {
                if (Json.text(array.get(i), "name").startsWith("kube-api-access-")) {
                    array.remove(i);
                }
            }
            if (array.isEmpty()) {
                object.remove(name);
            }
        }
    }

    private static void dropController(ArrayNode entries) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (Json.text(entries.get(i), "manager").startsWith("kube-controller")) {
                entries.remove(i);
            }
        }
        List<JsonNode> sorted = new ArrayList<>();
        entries.forEach(entry -> {
            if (entry instanceof ObjectNode object) {
                object.remove("time");
            }
            sorted.add(entry);
        });
        sorted.sort(Comparator.comparing(entry -> Json.text(entry, "manager") + " " + Json.text(entry, "operation")
                + " " + Json.text(entry, "subresource")));
        entries.removeAll();
        entries.addAll(sorted);
    }

    private void compare(String path, JsonNode expected, JsonNode actual) {
        if (expected instanceof ObjectNode object && actual instanceof ObjectNode found) {
            Map<String, JsonNode> wanted = new TreeMap<>();
            object.properties().forEach(e -> wanted.put(translate(e.getKey()), e.getValue()));
            Set<String> names = new TreeSet<>(wanted.keySet());
            names.addAll(found.propertyNames());
            for (String name : names) {
                field(path + "." + name, name, wanted.get(name), found.get(name));
            }
        } else if (expected instanceof ArrayNode array && actual instanceof ArrayNode found) {
            if (array.size() != found.size()) {
                differences.add(path + ": " + array.size() + " elements recorded, " + found.size() + " found");
            }
            for (int i = 0; i < Math.min(array.size(), found.size()); i++) {
                compare(path + "[" + i + "]", array.get(i), found.get(i));
            }
        } else if (expected.isNumber() && actual.isNumber()) {
            if (expected.decimalValue().compareTo(actual.decimalValue()) != 0) {
                differ(path, expected, actual);
            }
        } else if (expected.isString() && actual.isString()) {
            if (!withoutTimes(translate(expected.stringValue())).equals(withoutTimes(actual.stringValue()))) {
                differ(path, expected, actual);
            }
        } else if (!expected.equals(actual)) {
            differ(path, expected, actual);
        }
    }

    private void field(String path, String name, @Nullable JsonNode expected, @Nullable JsonNode actual) {
        if (expected == null && name.equals("managedFields")) {
            return; // The recorder removed some managed fields.
        }
        if (expected == null || actual == null) {
            differ(path, expected, actual);
        } else if (MAPPED.contains(name) && expected.isString()) {
            String known = actualOf.putIfAbsent(expected.stringValue(), actual.asString());
            if (known != null && !known.equals(actual.asString())) {
                differences.add(path + ": " + expected + " stood for " + known + " before, now for " + actual);
            }
        } else if (!TIMES.contains(name)) {
            compare(path, expected, actual);
        }
    }

    private static String withoutTimes(String text) {
        return TIME.matcher(text).replaceAll("TIME");
    }

    private String translate(String recorded) {
        Matcher matcher = WORD.matcher(recorded);
        StringBuilder text = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(text,
                    Matcher.quoteReplacement(actualOf.getOrDefault(matcher.group(), matcher.group())));
        }
        return matcher.appendTail(text).toString();
    }

    private void differ(String path, @Nullable JsonNode expected, @Nullable JsonNode actual) {
        differences.add(path + ": recorded " + shorten(expected) + ", found " + shorten(actual));
    }

    private static String shorten(@Nullable JsonNode node) {
        String text = String.valueOf(node);
        return text.length() > 300 ? text.substring(0, 300) + "…" : text;
    }
}
