package dev.wheelhouse.apiserver.codec;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.SafeYaml;
import dev.wheelhouse.runtime.YamlWriter;

/** Objects in YAML. */
public final class Yaml {
    /** The first line of a list of problems. */
    public static final String HEADING = "yaml: unmarshal errors:";

    private Yaml() {}

    /**
     * A parsed text.
     *
     * @param value the tree; of a duplicate key it has the last value
     * @param duplicates a line in the words of Go's strict parser for each duplicate key
     */
    public record Document(JsonNode value, List<String> duplicates) {
        /** The lines as one error of Go's strict parser; empty if there are none. */
        public String complaint() {
            return duplicates.isEmpty() ? "" : HEADING + "\n  " + String.join("\n  ", duplicates);
        }
    }

    /**
     * Reads the first document of a text, as kube-apiserver does.
     *
     * @param refused makes the error from the reason if the text is not YAML, has a value that JSON has not, or
     *     exceeds a bound
     */
    public static Document read(byte[] text, Function<String, StatusException> refused) {
        try {
            Iterator<SafeYaml.Document> documents = SafeYaml.documents(text);
            if (!documents.hasNext()) {
                return new Document(Json.mapper().nullNode(), List.of());
            }
            SafeYaml.Document first = documents.next();
            return new Document(Json.mapper().valueToTree(first.value()), first.duplicates().stream().map(
                    key -> "line " + key.line() + ": key " + key.key() + " already set in map").toList());
        } catch (SafeYaml.MalformedException e) {
            throw refused.apply("yaml: " + e.getMessage());
        }
    }

    /** Writes a tree as a YAML document in UTF-8. */
    public static byte[] write(JsonNode node) {
        return YamlWriter.write(Json.mapper().treeToValue(node, Object.class)).getBytes(StandardCharsets.UTF_8);
    }
}
