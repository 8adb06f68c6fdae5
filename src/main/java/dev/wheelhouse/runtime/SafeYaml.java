package dev.wheelhouse.runtime;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.comments.CommentLine;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads untrusted YAML within limits, as kubectl, kube-apiserver and kubelet read it: the YAML 1.1 of Go's
 * {@code sigs.k8s.io/yaml}, converted to the values of JSON. The program reads all YAML by this class. Times and
 * base-60 numbers are text. {@code y} and {@code on} are booleans. {@code 0o17}, {@code 017} and {@code 0b1111} are 15.
 * A whole number with a fraction of zero is an integer. A key is the text of its value. If a key occurs twice, also by
 * a merge, the later value counts. No tag creates an object. A few tabs that Go refuses count as spaces. Thread safe.
 */
public final class SafeYaml {
    private static final int MOST_BYTES = 10 << 20;
    private static final int MOST_VALUES = 1_000_000;
    private static final int MOST_DEPTH = 200;
    /** The most values that aliases may add. A text may have a value for each of its bytes beside these. */
    private static final int MOST_ALIASED = 10_000;

    private static final Tag UNTAGGED = new Tag("?");
    private static final Pattern INTEGER = Pattern.compile("([-+]?)(0[xX]|0[bB]|0[oO]?(?=[0-7])|)([0-9a-fA-F]+)");
    private static final Pattern FLOAT = Pattern.compile(
            "[-+]?(?:\\.[0-9]+|[0-9]+(?:\\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?");
    private static final Pattern BETWEEN_DIGITS = Pattern.compile("(?<=[0-9])_(?=[0-9])");
    private static final BigDecimal WITHOUT_EXPONENT = new BigDecimal("1e21");

    private SafeYaml() {}

    /**
     * Thrown for a text that is not YAML, has a value that JSON does not have, or breaks a limit. The message names the
     * line, if known.
     */
    public static final class MalformedException extends IllegalArgumentException {
        private final int line;

        MalformedException(Node where, String problem) {
            this(lineOf(where), problem);
        }

        MalformedException(int line, String problem) {
            super(line > 0 ? "line " + line + ": " + problem : problem);
            this.line = line;
        }

        /** The line, from one; zero if it is not known. */
        public int line() {
            return line;
        }

        /** The message without the line. */
        public String problem() {
            String message = String.valueOf(getMessage());
            return line > 0 ? message.substring(message.indexOf(": ") + 2) : message;
        }
    }

    /**
     * A key that a mapping has already.
     *
     * @param line the line of its later value
     * @param key the key in Go's syntax: text in quotes
     * @param merged whether one of the two comes from another mapping, by a merge
     */
    public record Duplicate(int line, String key, boolean merged) {}

    /**
     * A document.
     *
     * @param value a map, list, text, {@code Long}, {@code BigInteger}, finite {@code Double}, boolean or null. No part
     *     of it occurs twice
     */
    public record Document(@Nullable Object value, List<Duplicate> duplicates, Node root) {
        /** The line of a path, or of its deepest existing part. The steps are field names and indices. */
        public int line(List<?> path) {
            Node node = root;
            for (Object step : path) {
                Node next = child(node, step);
                if (next == null) {
                    break;
                }
                node = next;
            }
            return lineOf(node);
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

    private static int lineOf(Node node) {
        return node.getStartMark() == null ? 0 : node.getStartMark().getLine() + 1;
    }

    /**
     * The documents of a text in UTF-8. Each is parsed when it is asked for, so a caller that takes the first alone, as
     * Go's library does, never sees an error of a later one. Both methods of the iterator throw a
     * {@link MalformedException}.
     */
    public static Iterator<Document> documents(byte[] yaml) {
        if (yaml.length > MOST_BYTES) {
            throw new MalformedException(0, "it is larger than 10 MiB");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(yaml)).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException(0, "it is not UTF-8 text");
        }
        return new Documents(parsed(() -> new Nodes(text)), Math.min(MOST_VALUES, MOST_ALIASED + yaml.length));
    }

    /** The value of the first document; null if there is none. @throws MalformedException as for all documents */
    public static @Nullable Object load(byte[] yaml) {
        Iterator<Document> documents = documents(yaml);
        return documents.hasNext() ? documents.next().value() : null;
    }

    /** Whether a text without quotes is read as that text, not as a number, a boolean or null. */
    public static boolean isText(String plain) {
        return resolve(plain) instanceof String;
    }

    private static <T> T parsed(Supplier<T> parse) {
        try {
            return parse.get();
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
            throw new MalformedException(line, String.valueOf(e.getProblem()));
        } catch (YAMLException | IllegalArgumentException e) {
            // The library throws the latter for a malformed tag, such as !!%00.
            throw new MalformedException(0, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    /** The nodes of a text. A plain scalar without a tag is {@link #UNTAGGED}. */
    private static final class Nodes extends Composer {
        Nodes(String yaml) {
            super(new ParserImpl(new YamlCodePoints(yaml), limits()), new Resolver() {
                @Override
                public Tag resolve(NodeId kind, String value, boolean implicit) {
                    return kind == NodeId.scalar && implicit ? UNTAGGED : super.resolve(kind, value, false);
                }
            }, limits());
        }

        private static LoaderOptions limits() {
            LoaderOptions limits = new LoaderOptions();
            limits.setCodePointLimit(Integer.MAX_VALUE);
            limits.setMaxAliasesForCollections(Integer.MAX_VALUE);
            limits.setNestingDepthLimit(MOST_DEPTH);
            limits.setAllowRecursiveKeys(false);
            limits.setTagInspector(tag -> true);
            return limits;
        }

        /** The tag {@code !} makes text of anything. */
        @Override
        protected Node composeScalarNode(String anchor, List<CommentLine> comments) {
            boolean text = parser.peekEvent() instanceof ScalarEvent event && "!".equals(event.getTag());
            Node node = super.composeScalarNode(anchor, comments);
            if (text) {
                node.setTag(Tag.STR);
            }
            return node;
        }
    }

    private record Documents(Composer composer, int mostValues) implements Iterator<Document> {
        @Override
        public boolean hasNext() {
            return parsed(composer::checkNode);
        }

        @Override
        public Document next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Node root = parsed(composer::getNode);
            Values values = new Values(mostValues);
            return new Document(values.of(root), values.duplicates, root);
        }
    }

    /** Converts the nodes of one document. An alias is converted again wherever it is used. */
    private static final class Values {
        private final List<Duplicate> duplicates = new ArrayList<>();
        private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
        private final int mostValues;
        private int values;

        Values(int mostValues) {
            this.mostValues = mostValues;
        }

        @Nullable
        Object of(Node node) {
            Object value = raw(node);
            if (!(value instanceof Double number)) {
                return value;
            }
            if (!Double.isFinite(number)) {
                throw new MalformedException(node, "JSON has no number " + number + ": put it in quotes");
            }
            // Go writes a whole number below 1e21 with all its digits.
            BigDecimal digits = new BigDecimal(Double.toString(number));
            return digits.stripTrailingZeros().scale() > 0 || digits.abs().compareTo(WITHOUT_EXPONENT) >= 0
                    ? number
                    : integer(digits.toBigInteger());
        }

        private @Nullable Object raw(Node node) {
            enter(node);
            try {
                return switch (node) {
                    case ScalarNode scalar -> scalar(scalar);
                    case SequenceNode sequence -> {
                        List<@Nullable Object> list = new ArrayList<>(sequence.getValue().size());
                        for (Node element : sequence.getValue()) {
                            list.add(of(element));
                        }
                        yield list;
                    }
                    default -> {
                        Map<String, @Nullable Object> map = new LinkedHashMap<>();
                        fill(map, new HashMap<>(), (MappingNode) node);
                        yield map;
                    }
                };
            } finally {
                open.remove(node);
            }
        }

        private void enter(Node node) {
            if (++values > mostValues) {
                throw new MalformedException(node, "document contains excessive aliasing or more than " + MOST_VALUES
                        + " values");
            }
            if (!open.add(node)) {
                throw new MalformedException(node, "anchor '" + node.getAnchor() + "' value contains itself");
            }
            if (open.size() > MOST_DEPTH + 1) {
                throw new MalformedException(node, "it is nested deeper than " + MOST_DEPTH + " levels");
            }
        }

        /** @param keys the keys that the map has, as values of YAML, each with the mapping that it comes from */
        private void fill(Map<String, @Nullable Object> map, Map<@Nullable Object, Node> keys, MappingNode from) {
            for (NodeTuple tuple : from.getValue()) {
                Node keyNode = tuple.getKeyNode();
                Node valueNode = tuple.getValueNode();
                if (isMerge(keyNode)) {
                    merge(map, keys, valueNode);
                    continue;
                }
                if (!(keyNode instanceof ScalarNode)) {
                    throw new MalformedException(keyNode, "invalid map key: keys are text");
                }
                Object key = raw(keyNode);
                String text = key(keyNode, key);
                Object value = of(valueNode);
                Node before = keys.put(key, from);
                if (before != null) {
                    duplicates.add(new Duplicate(lineOf(valueNode), key instanceof String ? '"' + text + '"' : text,
                            before != from));
                }
                map.put(text, value);
            }
        }

        private static boolean isMerge(Node key) {
            return key instanceof ScalarNode scalar && scalar.getValue().equals("<<")
                    && (key.getTag().equals(UNTAGGED) || key.getTag().equals(Tag.MERGE));
        }

        private void merge(Map<String, @Nullable Object> map, Map<@Nullable Object, Node> keys, Node from) {
            enter(from);
            if (from instanceof MappingNode mapping) {
                fill(map, keys, mapping);
            } else if (from instanceof SequenceNode sequence && from.getAnchor() == null
                    && sequence.getValue().stream().allMatch(MappingNode.class::isInstance)) {
                // The first mapping of the list takes precedence, so it is merged last.
                sequence.getValue().reversed().forEach(each -> merge(map, keys, each));
            } else {
                throw new MalformedException(from, "map merge requires map or sequence of maps as the value");
            }
            open.remove(from);
        }

        private static @Nullable Object scalar(ScalarNode scalar) {
            String text = scalar.getValue();
            if (text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
                throw new MalformedException(scalar, "found invalid Unicode character escape code");
            }
            Tag tag = scalar.getTag();
            if (tag.equals(UNTAGGED)) {
                return resolve(text);
            }
            if (tag.equals(Tag.BINARY)) {
                try {
                    String base64 = text.replaceAll("[\\r\\n]", "");
                    if (base64.length() % 4 == 0) {
                        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
                    }
                } catch (IllegalArgumentException e) {
                    // The same as missing characters.
                }
                throw new MalformedException(scalar, "!!binary value contains invalid base64 data");
            }
            boolean isNumber = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT);
            if (!isNumber && !tag.equals(Tag.BOOL) && !tag.equals(Tag.NULL)) {
                return text;
            }
            Object value = resolve(text);
            boolean fits = isNumber
                    ? value instanceof Number && (tag.equals(Tag.FLOAT) || !(value instanceof Double))
                    : tag.equals(Tag.BOOL) ? value instanceof Boolean : value == null;
            if (!fits) {
                throw new MalformedException(scalar, "cannot decode `" + text + "` as a "
                        + tag.getValue().replace(Tag.PREFIX, "!!"));
            }
            return value;
        }
    }

    /** The value of a scalar without quotes and tag; a number with a point or an exponent as {@code Double}. */
    private static @Nullable Object resolve(String text) {
        return switch (text) {
            case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON" -> true;
            case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF" -> false;
            case "", "~", "null", "Null", "NULL" -> null;
            case ".nan", ".NaN", ".NAN" -> Double.NaN;
            case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF" -> Double.POSITIVE_INFINITY;
            case "-.inf", "-.Inf", "-.INF" -> Double.NEGATIVE_INFINITY;
            default -> "+-.0123456789".indexOf(text.charAt(0)) < 0 ? text : number(text);
        };
    }

    private static Object number(String text) {
        String plain = text.charAt(0) == '.' ? BETWEEN_DIGITS.matcher(text).replaceAll("") : text.replace("_", "");
        Matcher integer = INTEGER.matcher(plain);
        if (integer.matches()) {
            String sign = integer.group(1);
            int radix = switch (integer.group(2)) {
                case "" -> 10;
                case "0x", "0X" -> 16;
                case "0b", "0B" -> 2;
                default -> 8;
            };
            try {
                long bits = Long.parseUnsignedLong(integer.group(3), radix);
                if (bits >= 0 || sign.equals("-") && bits == Long.MIN_VALUE) {
                    return sign.equals("-") ? -bits : bits;
                }
                if (sign.isEmpty()) {
                    return new BigInteger(Long.toUnsignedString(bits));
                }
            } catch (NumberFormatException e) {
                // It has more than 64 bits or another digit, so it is a float or text.
            }
        }
        double number = FLOAT.matcher(plain).matches() ? Double.parseDouble(plain) : Double.NaN;
        return Double.isFinite(number) ? number : text;
    }

    private static Number integer(BigInteger value) {
        return value.bitLength() < Long.SIZE ? (Number) value.longValue() : value;
    }

    private static String key(Node where, @Nullable Object key) {
        return switch (key) {
            case Double number -> key(number.floatValue());
            case null -> throw new MalformedException(where, "unsupported map key: null");
            case BigInteger number -> throw new MalformedException(where, "unsupported map key: " + number);
            default -> key.toString();
        };
    }

    /** A float as Go's format {@code g} has it. */
    private static String key(float number) {
        if (!Float.isFinite(number)) {
            return Float.isNaN(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
        }
        BigDecimal digits = new BigDecimal(Float.toString(number)).stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        String sign = number < 0 || 1 / number < 0 ? "-" : "";
        if (digits.signum() == 0 || exponent >= -4 && exponent < 6) {
            return sign + digits.abs().toPlainString();
        }
        String mantissa = digits.abs().scaleByPowerOfTen(-exponent).toPlainString();
        return sign + mantissa + (exponent < 0 ? "e-" : "e+") + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }
}
