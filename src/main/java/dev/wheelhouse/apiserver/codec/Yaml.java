package dev.wheelhouse.apiserver.codec;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.SafeYaml;

/** YAML as Kubernetes reads and writes it: the data model of JSON, with times as plain text. */
public final class Yaml {
    private Yaml() {}

    private static final int MOST_CHARACTERS = 4 * 1024 * 1024;
    private static final int MOST_ALIASES = 20;
    private static final int MOST_VALUES = 1_000_000;
    private static final int MOST_DEPTH = 200;
    private static final int MOST_DIGITS = 1000;
    private static final Pattern INDENTATION = Pattern.compile("(?m)^[ \\t]+");

    private static final class JsonResolver extends Resolver {
        @Override
        public void addImplicitResolver(Tag tag, Pattern regexp, String first, int limit) {
            if (!tag.equals(Tag.TIMESTAMP)) {
                super.addImplicitResolver(tag, regexp, first, limit);
            }
        }
    }

    /**
     * A parsed text.
     *
     * @param value the tree; of a duplicate key it has the last value
     * @param duplicates a line in the words of Go's strict parser for each duplicate key
     */
    public record Document(JsonNode value, List<String> duplicates) {
        /** The lines as one error of Go's strict parser; empty if there are none. */
        public String complaint() {
            return duplicates.isEmpty() ? "" : "yaml: unmarshal errors:\n  " + String.join("\n  ", duplicates);
        }
    }

    /** Records duplicate keys by the line of the later value. */
    private static final class NotingConstructor extends SafeConstructor {
        private final SortedMap<Integer, String> duplicates = new TreeMap<>();

        NotingConstructor(LoaderOptions loading) {
            super(loading);
        }

        /**
         * Bounds the digits of integers, because parsing takes time quadratic in their number. Refuses an escape that
         * is half of a surrogate pair, as Go's parser does.
         */
        @Override
        protected Object constructObject(Node node) {
            if (node instanceof ScalarNode text && text.getValue().codePoints().anyMatch(Yaml::isSurrogate)) {
                throw new YAMLException("found invalid Unicode character escape code");
            }
            if (node instanceof ScalarNode number && number.getTag().equals(Tag.INT)
                    && number.getValue().length() > MOST_DIGITS) {
                throw new YAMLException("a number has more than " + MOST_DIGITS + " digits");
            }
            return super.constructObject(node);
        }

        @Override
        protected void flattenMapping(MappingNode node, boolean forceStringKeys) {
            Set<String> keys = new HashSet<>();
            for (NodeTuple pair : node.getValue()) {
                if (pair.getKeyNode() instanceof ScalarNode key && !key.getTag().equals(Tag.MERGE)
                        && !keys.add(key.getTag() + " " + key.getValue())) {
                    String shown = key.getTag().equals(Tag.STR) ? "\"" + key.getValue() + "\"" : key.getValue();
                    int line = pair.getValueNode().getStartMark().getLine() + 1;
                    duplicates.put(line, "line " + line + ": key " + shown + " already set in map");
                }
            }
            super.flattenMapping(node, forceStringKeys);
        }
    }

    private static boolean isSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
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
            return NO_TEXT.matcher(text).matches()
                    || !RESOLVER.resolve(NodeId.scalar, text, true).equals(Tag.STR);
        }
    }

    private static final Resolver RESOLVER = new JsonResolver();

    private static LoaderOptions limits() {
        return SafeYaml.limits(MOST_CHARACTERS, MOST_ALIASES);
    }

    /** @throws ApiException 400 if the text is not YAML, has several documents, or exceeds a bound */
    public static Document read(byte[] text) {
        try {
            LoaderOptions limits = limits();
            NotingConstructor constructor = new NotingConstructor(limits);
            Object value = SafeYaml.load(withoutTabs(new String(text, StandardCharsets.UTF_8)), limits,
                    new JsonResolver(), constructor);
            measure(value, MOST_VALUES, MOST_DEPTH);
            return new Document(Json.mapper().valueToTree(value), List.copyOf(constructor.duplicates.values()));
        } catch (RuntimeException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw Errors.badRequest("error converting YAML to JSON: yaml: " + why);
        }
    }

    /**
     * Replaces tabs in the indentation of a text that looks like JSON. YAML forbids them, but Go's parser accepts them
     * there.
     */
    private static String withoutTabs(String text) {
        return text.stripLeading().startsWith("{") && text.indexOf('\t') >= 0
                ? INDENTATION.matcher(text).replaceAll(m -> " ".repeat(m.end() - m.start()))
                : text;
    }

    /**
     * Bounds the values and the depth of a document, which aliases can multiply.
     *
     * @return how many more values are allowed
     */
    private static int measure(@Nullable Object value, int values, int depth) {
        if (values <= 0 || depth <= 0) {
            throw new IllegalArgumentException("document contains excessive aliasing");
        }
        if (value instanceof Double number && !Double.isFinite(number)) {
            throw new IllegalArgumentException("unsupported value: " + number);
        }
        Collection<?> children = value instanceof Map<?, ?> map
                ? map.values()
                : value instanceof Collection<?> list ? list : List.of();
        int left = values - 1;
        for (Object child : children) {
            left = measure(child, left, depth - 1);
        }
        return left;
    }

    /** Writes a tree as a YAML document in UTF-8. */
    public static byte[] write(JsonNode node) {
        Object value = Json.mapper().treeToValue(node, Object.class);
        LoaderOptions limits = limits();
        DumperOptions dumping = new DumperOptions();
        dumping.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        dumping.setWidth(4096);
        dumping.setSplitLines(false);
        return new org.yaml.snakeyaml.Yaml(new SafeConstructor(limits), new QuotingRepresenter(dumping), dumping,
                limits, new JsonResolver()).dump(value).getBytes(StandardCharsets.UTF_8);
    }
}
