package dev.wheelhouse.cel;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.google.common.primitives.UnsignedLong;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.TextFormats;

import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.CelEvaluationException;

/**
 * The functions that check the formats of texts, and the one that fills in a text (upstream: {@code library/format.go},
 * {@code cel-go/ext/formatting.go}).
 */
final class FormatFunctions {
    private static final KubernetesLibrary.Type<Format> FORMAT = KubernetesLibrary.Type
            .opaque("kubernetes.NamedFormat", Format.class);
    @SuppressWarnings("rawtypes")
    private static final KubernetesLibrary.Type<Optional> SOME_FORMAT = new KubernetesLibrary.Type<>(
            OptionalType.create(FORMAT.type()), Optional.class);
    @SuppressWarnings("rawtypes")
    private static final KubernetesLibrary.Type<Optional> PROBLEMS = new KubernetesLibrary.Type<>(
            OptionalType.create(ListType.create(SimpleType.STRING)), Optional.class);
    @SuppressWarnings("rawtypes")
    private static final KubernetesLibrary.Type<List> LIST = new KubernetesLibrary.Type<>(
            ListType.create(SimpleType.DYN), List.class);
    private static final int MOST_DIGITS = 100;
    private static final Map<String, Format> FORMATS = List.of(new Format("dns1123Label", Formats::dnsLabel),
            new Format("dns1123Subdomain", Formats::dnsSubdomain), new Format("dns1035Label", Formats::dns1035Label),
            new Format("qualifiedName", Formats::qualifiedName), new Format("labelValue", Formats::labelValue),
            new Format("dns1123LabelPrefix", prefix(Formats::dnsLabel)),
            new Format("dns1123SubdomainPrefix", prefix(Formats::dnsSubdomain)),
            new Format("dns1035LabelPrefix", prefix(Formats::dns1035Label)),
            new Format("uri", text -> TextFormats.isValid("uri", text)
                    ? List.of()
                    : List.of("parse \"" + text + "\": invalid URI for request")),
            new Format("uuid", text -> check("uuid", text, "does not match the UUID format")),
            new Format("byte", text -> check("byte", text, "invalid base64")),
            new Format("date", text -> check("date", text, "invalid date")),
            new Format("datetime", text -> check("datetime", text, "invalid datetime"))).stream()
            .collect(Collectors.toUnmodifiableMap(Format::name, format -> format));

    private FormatFunctions() {}

    private record Format(String name, Function<String, List<String>> rule) {}

    private static Function<String, List<String>> prefix(Function<String, List<String>> rule) {
        return text -> rule.apply(text.length() > 1 && text.endsWith("-")
                ? text.substring(0, text.length() - 2) + "a"
                : text);
    }

    private static List<String> check(String format, String text, String problem) {
        return TextFormats.isValid(format, text) ? List.of() : List.of(problem);
    }

    static void addTo(KubernetesLibrary library) {
        FORMATS.values().forEach(format -> library.constant("format." + format.name, FORMAT, format));
        library.global("format.named", "format-named", SOME_FORMAT, STRING,
                name -> Optional.ofNullable(FORMATS.get(name)));
        library.member("validate", "format-validate", PROBLEMS, FORMAT, STRING, (format, text) -> {
            List<String> problems = format.rule.apply(text);
            return problems.isEmpty() ? Optional.empty() : Optional.of(problems);
        });
        library.member("format", "string_format", STRING, STRING, LIST, FormatFunctions::format);
    }

    private static String format(String text, List<?> arguments) throws CelEvaluationException {
        StringBuilder filled = new StringBuilder();
        int next = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != '%') {
                filled.append(text.charAt(i));
            } else if (text.startsWith("%", i + 1)) {
                filled.append('%');
                i++;
            } else {
                if (next >= arguments.size()) {
                    throw new CelEvaluationException("index " + next + " out of range");
                }
                int precision = -1;
                i++;
                if (text.startsWith(".", i)) {
                    int end = i + 1;
                    while (end < text.length() && Character.isDigit(text.charAt(end))) {
                        end++;
                    }
                    precision = end - i > 3 ? MOST_DIGITS : Integer.parseInt("0" + text.substring(i + 1, end));
                    i = end;
                }
                if (i >= text.length()) {
                    throw new CelEvaluationException("unexpected end of string");
                }
                filled.append(clause(text.charAt(i), Math.min(precision, MOST_DIGITS), arguments.get(next++)));
            }
        }
        return filled.toString();
    }

    private static String clause(char clause, int precision, Object value) throws CelEvaluationException {
        boolean integer = value instanceof Long || value instanceof UnsignedLong;
        int digits = precision < 0 ? 6 : precision;
        return switch (clause) {
            case 's' -> text(value, false);
            case 'd' -> integer ? value.toString() : wrong("decimal clause can only be used on integers", value);
            case 'f', 'e' -> value instanceof Double number
                    ? decimal(number, clause == 'f' ? digits : -1 - digits)
                    : value instanceof String text && List.of("NaN", "Infinity", "-Infinity").contains(text)
                            ? decimal(Double.parseDouble(text), digits)
                            : wrong((clause == 'f' ? "fixed-point" : "scientific")
                                    + " clause can only be used on doubles", value);
            case 'b' -> value instanceof Boolean flag
                    ? flag ? "1" : "0"
                    : integer
                            ? inBase(value, 2)
                            : wrong(
                                    "only integers and bools can be formatted as binary", value);
            case 'o' -> integer ? inBase(value, 8) : wrong("octal clause can only be used on integers", value);
            case 'x', 'X' -> {
                String hex = integer
                        ? inBase(value, 16)
                        : value instanceof String text
                                ? HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8))
                                : value instanceof CelByteString bytes
                                        ? HexFormat.of().formatHex(bytes.toByteArray())
                                        : wrong("only integers, byte buffers, and strings can be formatted as hex",
                                                value);
                yield clause == 'X' ? hex.toUpperCase(Locale.ROOT) : hex;
            }
            default -> throw new CelEvaluationException("could not parse formatting clause: unrecognized formatting "
                    + "clause \"" + clause + "\"");
        };
    }

    private static String inBase(Object value, int base) {
        return value instanceof UnsignedLong number ? number.toString(base) : Long.toString((Long) value, base);
    }

    /** @param digits after the point; negative for those after the point of a power of ten, less one */
    private static String decimal(double number, int digits) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            return Double.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
        }
        if (digits < 0) {
            String text = String.format(Locale.ROOT, "%." + (-1 - digits) + "e", number);
            int exponent = text.indexOf('e');
            return text.substring(0, exponent) + "\u2009×\u200910" + raised(text.substring(exponent + 1));
        }
        return new BigDecimal(number).setScale(digits, RoundingMode.HALF_EVEN).toPlainString();
    }

    private static String raised(String exponent) {
        StringBuilder raised = new StringBuilder();
        exponent.chars().filter(c -> c != '+')
                .forEach(c -> raised.append(c == '-' ? '⁻' : "⁰¹²³⁴⁵⁶⁷⁸⁹".charAt(c - '0')));
        return raised.toString();
    }

    /** @param inside whether the value is a part of a list or map, where it looks like a literal */
    private static String text(Object value, boolean inside) throws CelEvaluationException {
        return switch (value) {
            case String text -> inside ? quoted(text) : text;
            case Long number -> number.toString();
            case UnsignedLong number -> number.toString();
            case Boolean flag -> flag.toString();
            case Double number -> inside
                    ? decimal(number, 6)
                    : number == Math.rint(number) && Math.abs(number) < 1e21
                            ? new BigDecimal(number).toPlainString()
                            : number.toString();
            case NullValue none -> "null";
            case Instant time -> inside ? "timestamp(\"" + time + "\")" : time.toString();
            case Duration time -> inside ? "duration(\"" + seconds(time) + "\")" : seconds(time);
            case CelByteString bytes -> inside
                    ? "b" + quoted(bytes.toStringUtf8())
                    : bytes.toStringUtf8();
            case List<?> list -> {
                StringBuilder all = new StringBuilder();
                for (Object element : list) {
                    all.append(all.isEmpty() ? "" : ", ").append(text(element, true));
                }
                yield "[" + all + "]";
            }
            case Map<?, ?> map -> {
                Map<String, String> entries = new TreeMap<>();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    entries.put(text(entry.getKey(), true), text(entry.getValue(), true));
                }
                yield "{" + entries.entrySet().stream().map(entry -> entry.getKey() + ":" + entry.getValue())
                        .collect(Collectors.joining(", ")) + "}";
            }
            default -> wrong("string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
                    + "types, durations, and timestamps", value);
        };
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.getSeconds()).add(BigDecimal.valueOf(time.getNano(), 9)).stripTrailingZeros()
                .toPlainString() + "s";
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    private static String wrong(String rule, Object value) throws CelEvaluationException {
        String type = switch (value) {
            case String text -> "string";
            case Long number -> "int";
            case UnsignedLong number -> "uint";
            case Double number -> "double";
            case Boolean flag -> "bool";
            case List<?> list -> "list";
            case Map<?, ?> map -> "map";
            case NullValue none -> "null_type";
            case Instant time -> "google.protobuf.Timestamp";
            case Duration time -> "google.protobuf.Duration";
            default -> "bytes";
        };
        throw new CelEvaluationException("error during formatting: " + rule + ", was given " + type);
    }
}
