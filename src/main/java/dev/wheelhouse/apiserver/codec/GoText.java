package dev.wheelhouse.apiserver.codec;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.facts.Schemas;

/** Values and types as Go prints them, for the messages of upstream that show them. */
public final class GoText {
    private static final Pattern DIGITS = Pattern.compile("[+-]?[0-9]+");

    private static final List<String> METADATA = List.of("name", "generateName", "namespace", "uid",
            "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
            "labels", "annotations", "ownerReferences", "finalizers", "managedFields");

    private GoText() {}

    /**
     * The Go type in which upstream holds objects, such as {@code *core.ConfigMapList}.
     *
     * @param suffix {@code List}, or empty
     */
    public static String type(ResourceType type, String suffix) {
        if (!Schemas.isBuiltIn(type)) {
            return "*unstructured.Unstructured" + suffix;
        }
        String group = type.group();
        String name = switch (group) {
            case "", "events.k8s.io" -> "core";
            case "internal.apiserver.k8s.io" -> "apiserverinternal";
            default -> group.indexOf('.') < 0 ? group : group.substring(0, group.indexOf('.'));
        };
        return "*" + name + "." + type.kind() + suffix;
    }

    /** Upstream's message about a kind that is not in its scheme. */
    public static String notRegistered(String kind, String apiVersion) {
        return "no kind \"" + kind + "\" is registered for version \"" + apiVersion
                + "\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"";
    }

    /** Why a text is not an integer that fits into its type. */
    public static String numberProblem(String text) {
        return DIGITS.matcher(text).matches() ? "value out of range" : "invalid syntax";
    }

    /**
     * Prints a patched object like upstream's patch library: the keys of maps are sorted, and the fields of the
     * metadata have the order of the Go type.
     */
    public static String patched(ObjectNode object) {
        return sorted(object, 0).toString();
    }

    private static JsonNode sorted(JsonNode node, int depth) {
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        Map<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(e -> fields.put(e.getKey(),
                depth == 0 && e.getKey().equals("metadata") ? e.getValue() : sorted(e.getValue(), depth + 1)));
        ObjectNode out = Json.object();
        fields.forEach(out::set);
        if (depth == 0 && fields.get("metadata") instanceof ObjectNode metadata) {
            ObjectNode ordered = out.putObject("metadata");
            METADATA.forEach(name -> Meta.set(ordered, name, metadata.get(name)));
        }
        return out;
    }
}
