package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Storage classes. The rows of other kinds of storage call the methods too (upstream:
 * {@code pkg/apis/storage/validation}).
 */
final class StorageClassStrategy extends Strategy {
    private static final int MOST_PARAMETERS = 512;
    private static final int MOST_CHARACTERS = 256 * 1024;

    StorageClassStrategy() {
        super("storage.k8s.io", "StorageClass",
                Map.of("nameOrDefault", o -> o.name() + (isDefault(o) ? " (default)" : "")));
    }

    private static boolean isDefault(Item storageClass) {
        Item annotations = storageClass.part("metadata", "annotations");
        return annotations.text("storageclass.kubernetes.io/is-default-class").equals("true")
                || annotations.text("storageclass.beta.kubernetes.io/is-default-class").equals("true");
    }

    /** Terms are equal if they have the same keys with the same values. */
    static void uniqueTopology(Subject term) {
        ObjectNode key = Json.object();
        for (JsonNode label : term.value().path("matchLabelExpressions")) {
            ArrayNode values = key.putArray(Json.text(label, "key"));
            new TreeSet<>(Json.texts(label.path("values"))).forEach(values::add);
        }
        boolean isNew = term.isNew("terms", key);
        if (!isNew || key.isEmpty()) { // upstream takes the first empty term for a duplicate too
            term.problems().duplicate(term.path() + ".matchLabelExpressions", "\"\"");
        }
    }

    static void parameters(Subject parameters) {
        if (parameters.value().size() > MOST_PARAMETERS) {
            parameters.problems().tooLong(parameters.path(), MOST_PARAMETERS);
            return;
        }
        long size = 0;
        for (Map.Entry<String, JsonNode> parameter : parameters.value().properties()) {
            if (parameter.getKey().isEmpty()) {
                parameters.problems().invalid(parameters.path(), "", "field can not be empty.");
            }
            size += parameter.getKey().length() + parameter.getValue().asString("").length();
        }
        if (size > MOST_CHARACTERS) {
            parameters.problems().tooLong(parameters.path(), MOST_CHARACTERS);
        }
    }

    static void driversStay(Subject spec) {
        Map<String, JsonNode> before = new HashMap<>();
        for (JsonNode driver : spec.old().path("drivers")) {
            before.put(Json.text(driver, "name"), withoutCount(driver));
        }
        for (JsonNode driver : spec.value().path("drivers")) {
            JsonNode old = before.get(Json.text(driver, "name"));
            if (old != null && !old.equals(withoutCount(driver))) {
                spec.problems().invalid(spec.path() + ".drivers", withoutCount(driver), "field is immutable");
            }
        }
    }

    private static JsonNode withoutCount(JsonNode driver) {
        return ((ObjectNode) driver).deepCopy().remove(List.of("allocatable"));
    }
}
