package dev.wheelhouse.podconfig;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.runtime.SafeYaml;

/**
 * Reads untrusted YAML, and so JSON, as JSON trees that know their line numbers. No tag creates an object. Aliases,
 * depth and size are limited, and duplicate keys are rejected. Plain scalars have their YAML 1.1 meaning, as in
 * kubectl.
 */
final class YamlDocuments {
    static final int MAX_BYTES = 10 << 20;
    private static final int MAX_DEPTH = 100;
    private static final int MAX_ALIASES = 100;
    private static final int MAX_NODES = 200_000;
    private static final int MAX_NUMBER = 64;

    /** One document. */
    record Document(JsonNode json, Node root) {
        /** The line of a path, or of its deepest existing part. The steps are field names and indices. */
        int line(List<Object> path) {
            Node node = root;
            for (Object step : path) {
                Node next = child(node, step);
                if (next == null) {
                    break;
                }
                node = next;
            }
            return node.getStartMark() == null ? 0 : node.getStartMark().getLine() + 1;
        }

        private static @Nullable Node child(Node node, Object step) {
            if (node instanceof SequenceNode sequence && step instanceof Integer index) {
                return index < sequence.getValue().size() ? sequence.getValue().get(index) : null;
            }
            if (node instanceof MappingNode mapping) {
                for (NodeTuple tuple : mapping.getValue()) {
                    if (tuple.getKeyNode() instanceof ScalarNode key && key.getValue().equals(step)) {
                        return tuple.getValueNode();
                    }
                }
            }
            return null;
        }
    }

    private final String location;
    private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private int nodes;

    private YamlDocuments(String location) {
        this.location = location;
    }

    /**
     * The documents of a file, without empty ones.
     * @param location the file or URL, for messages
     */
    static List<Document> read(String location, byte[] bytes) throws ManifestException {
        return new YamlDocuments(location).read(bytes);
    }

    private List<Document> read(byte[] bytes) throws ManifestException {
        if (bytes.length > MAX_BYTES) {
            throw refused(0, "it is larger than 10 MiB: split it");
        }
        List<Document> documents = new ArrayList<>();
        try {
            Composer composer = SafeYaml.compose(text(bytes), SafeYaml.limits(MAX_BYTES, MAX_ALIASES),
                    new Resolver());
            while (composer.checkNode()) {
                nodes = 0;
                Node root = composer.getNode();
                JsonNode json = json(root, 0);
                if (!json.isNull()) {
                    documents.add(new Document(json, root));
                }
            }
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
            throw refused(line, "it is not YAML or JSON: " + e.getProblem());
        } catch (YAMLException | IllegalArgumentException e) {
            // The YAML library throws this for a malformed tag, such as !!%00.
            throw refused(0, "it is not YAML or JSON: " + e.getMessage());
        } catch (StackOverflowError e) {
            throw refused(0, "it is nested too deeply: at most " + MAX_DEPTH + " levels are read");
        }
        return documents;
    }

    private String text(byte[] bytes) throws ManifestException {
        int bom = bytes.length > 2 && (bytes[0] & 0xff) == 0xef && (bytes[1] & 0xff) == 0xbb
                && (bytes[2] & 0xff) == 0xbf ? 3 : 0;
        try {
            return StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, bom, bytes.length - bom)).toString();
        } catch (CharacterCodingException e) {
            throw refused(0, "it is not UTF-8 text");
        }
    }

    private ManifestException refused(int line, String problem) {
        return new ManifestException(new Refusal(location, line, "", problem));
    }

    private ManifestException refused(Node node, String problem) {
        return refused(node.getStartMark() == null ? 0 : node.getStartMark().getLine() + 1, problem);
    }

    private JsonNode json(Node node, int depth) throws ManifestException {
        if (++nodes > MAX_NODES) {
            throw refused(node, "it has more than " + MAX_NODES + " values; an alias counts each time that it is used");
        }
        if (depth > MAX_DEPTH) {
            throw refused(node, "it is nested too deeply: at most " + MAX_DEPTH + " levels are read");
        }
        if (node instanceof ScalarNode scalar) {
            return scalar(scalar);
        }
        if (!open.add(node)) {
            throw refused(node, "an alias contains itself");
        }
        try {
            return node instanceof SequenceNode sequence ? array(sequence, depth) : object((MappingNode) node, depth);
        } finally {
            open.remove(node);
        }
    }

    private JsonNode array(SequenceNode sequence, int depth) throws ManifestException {
        var array = JsonNodeFactory.instance.arrayNode();
        for (Node element : sequence.getValue()) {
            array.add(json(element, depth + 1));
        }
        return array;
    }

    private ObjectNode object(MappingNode mapping, int depth) throws ManifestException {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        Set<String> keys = new HashSet<>();
        List<Node> merges = new ArrayList<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw refused(tuple.getKeyNode(), "a key that is a list or a map: keys are text");
            }
            if (key.getTag().equals(Tag.MERGE)) {
                merges.add(tuple.getValueNode());
            } else if (!keys.add(key.getValue())) {
                throw refused(key, "the key \"" + key.getValue() + "\" is used twice: remove one");
            } else {
                object.set(key.getValue(), json(tuple.getValueNode(), depth + 1));
            }
        }
        for (Node merge : merges) {
            merge(object, json(merge, depth + 1), merge);
        }
        return object;
    }

    private void merge(ObjectNode into, JsonNode from, Node where) throws ManifestException {
        if (from.isArray()) {
            for (JsonNode element : from) {
                merge(into, element, where);
            }
        } else if (from.isObject()) {
            from.forEachEntry((key, value) -> into.putIfAbsent(key, value));
        } else {
            throw refused(where, "\"<<\" needs a map, or a list of maps");
        }
    }

    private JsonNode scalar(ScalarNode scalar) throws ManifestException {
        String text = scalar.getValue();
        Tag tag = scalar.getTag();
        if (tag.equals(Tag.NULL)) {
            return JsonNodeFactory.instance.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            return JsonNodeFactory.instance.booleanNode(switch (text.toLowerCase(java.util.Locale.ROOT)) {
                case "true", "yes", "on", "y" -> true;
                default -> false;
            });
        }
        if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
            return number(scalar, text.replace("_", ""));
        }
        if (tag.equals(Tag.STR) || tag.equals(Tag.TIMESTAMP)) {
            return JsonNodeFactory.instance.stringNode(text);
        }
        throw refused(scalar, "the tag " + tag + " is not supported: write plain text, numbers, true, false or null");
    }

    private JsonNode number(ScalarNode scalar, String text) throws ManifestException {
        if (text.length() > MAX_NUMBER) {
            throw refused(scalar, "a number of " + text.length() + " digits: at most " + MAX_NUMBER + " are read");
        }
        if (text.contains(":")) {
            // A sexagesimal number in YAML 1.1. No manifest means that, so it is text.
            return JsonNodeFactory.instance.stringNode(scalar.getValue());
        }
        try {
            String digits = text.startsWith("+") ? text.substring(1) : text;
            boolean negative = digits.startsWith("-");
            String body = negative ? digits.substring(1) : digits;
            BigInteger integer = body.startsWith("0x")
                    ? new BigInteger(body.substring(2), 16)
                    : body.startsWith("0b")
                            ? new BigInteger(body.substring(2), 2)
                            : body.matches("0[0-7]+")
                                    ? new BigInteger(body, 8)
                                    : body.matches("\\d+") ? new BigInteger(body) : null;
            if (integer == null) {
                BigDecimal decimal = new BigDecimal(digits);
                if (Math.abs((long) decimal.scale()) > 400) {
                    throw refused(scalar, "the number " + text + " is too large or too small");
                }
                return JsonNodeFactory.instance.numberNode(decimal);
            }
            BigInteger value = negative ? integer.negate() : integer;
            return value.bitLength() < 64
                    ? JsonNodeFactory.instance.numberNode(value.longValue())
                    : JsonNodeFactory.instance.numberNode(value);
        } catch (NumberFormatException e) {
            throw refused(scalar, "\"" + text + "\" is not a number in JSON");
        }
    }
}
