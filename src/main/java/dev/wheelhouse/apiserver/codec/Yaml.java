package dev.wheelhouse.apiserver.codec;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.error.ApiException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.SafeYaml;

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
     * Quotes texts that some YAML reader takes for another type: times, and the booleans and base-60 numbers of YAML
     * 1.1, as upstream does. A text of several lines becomes a block.
     */
    private static final class QuotingRepresenter extends Representer {
        private static final Pattern NO_TEXT = Pattern.compile("\\d{4}-\\d{1,2}-\\d{1,2}"
                + "([Tt]\\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)"
                + "| \\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d+)?)?|[-+]?\\d[\\d_]*(:[0-5]?\\d)+(\\.[\\d_]*)?|[yYnN]");

        QuotingRepresenter(DumperOptions dumping) {
            super(dumping);
            representers.put(String.class, value -> {
                String text = (String) value;
                return representScalar(Tag.STR, text, text.indexOf('\n') >= 0
                        ? DumperOptions.ScalarStyle.LITERAL
                        : isNoText(text) ? DumperOptions.ScalarStyle.DOUBLE_QUOTED : DumperOptions.ScalarStyle.PLAIN);
            });
        }

        private static boolean isNoText(String text) {
            return NO_TEXT.matcher(text).matches() || !SafeYaml.isText(text);
        }
    }

    /**
     * Reads the first document of a text, as kube-apiserver does.
     *
     * @param refused makes the error from the reason if the text is not YAML, has a value that JSON has not, or
     *     exceeds a bound
     */
    public static Document read(byte[] text, Function<String, ApiException> refused) {
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
        Object value = Json.mapper().treeToValue(node, Object.class);
        DumperOptions dumping = new DumperOptions();
        dumping.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        dumping.setWidth(4096);
        dumping.setSplitLines(false);
        return new org.yaml.snakeyaml.Yaml(new QuotingRepresenter(dumping), dumping).dump(value)
                .getBytes(StandardCharsets.UTF_8);
    }
}
