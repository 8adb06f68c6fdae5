package dev.wheelhouse.apiserver.protocol;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.codec.GoText;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;

/** The decoded parameters of a query. Immutable. */
public record QueryParameters(Map<String, List<String>> parameters) {
    private static final QueryParameters EMPTY = new QueryParameters(Map.of());
    private static final int MOST_PARAMETERS = 1_000;
    /** A parameter, or one term of a selector: its key and value as texts, its requirement, its place in an index. */
    private static final int BYTES_PER_PIECE = 160;
    private static final int BYTES_PER_CHAR = 8;

    /**
     * Parses a query. Like Go's parser, it leaves out malformed pairs and pairs with semicolons.
     *
     * @param text the part of the URL after the question mark, still encoded, or null
     * @throws StatusException 400 if there are more than 1,000 pairs
     */
    public static QueryParameters parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return EMPTY;
        }
        String[] pairs = text.split("&", MOST_PARAMETERS + 1);
        if (pairs.length > MOST_PARAMETERS) {
            throw Errors.badRequest("the query has more than " + MOST_PARAMETERS + " parameters: send fewer");
        }
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String pair : pairs) {
            if (pair.isEmpty() || pair.indexOf(';') >= 0 || !isDecodable(pair)) {
                continue;
            }
            int eq = pair.indexOf('=');
            parameters.computeIfAbsent(decode(eq < 0 ? pair : pair.substring(0, eq)), k -> new ArrayList<>(1))
                    .add(eq < 0 ? "" : decode(pair.substring(eq + 1)));
        }
        return new QueryParameters(parameters);
    }

    /** Whether two hexadecimal digits follow each percent sign. */
    private static boolean isDecodable(String text) {
        for (int at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 3)) {
            if (at + 2 >= text.length() || !HexFormat.isHexDigit(text.charAt(at + 1))
                    || !HexFormat.isHexDigit(text.charAt(at + 2))) {
                return false;
            }
        }
        return true;
    }

    /** The query of these parameters, which are decoded. */
    public static QueryParameters of(Map<String, String> parameters) {
        if (parameters.isEmpty()) {
            return EMPTY;
        }
        Map<String, List<String>> all = new LinkedHashMap<>();
        parameters.forEach((name, value) -> all.put(name, List.of(value)));
        return new QueryParameters(all);
    }

    static String decode(String text) {
        if (!isDecodable(text)) {
            throw Errors.badRequest("invalid URL escape in \"" + text + "\"");
        }
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** The most heap, in bytes, that the parameters and the selectors compiled from them hold, roughly. */
    long heldBytes() {
        long chars = 0;
        long pieces = 0;
        for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
            chars += parameter.getKey().length();
            for (String value : parameter.getValue()) {
                chars += value.length();
                pieces += 1 + value.chars().filter(c -> c == ',').count();
            }
        }
        return BYTES_PER_CHAR * chars + BYTES_PER_PIECE * pieces;
    }

    /** The first value; empty if the parameter is missing. */
    public String get(String name) {
        List<String> values = parameters.get(name);
        return values == null ? "" : values.getFirst();
    }

    public List<String> all(String name) {
        return parameters.getOrDefault(name, List.of());
    }

    public boolean has(String name) {
        return parameters.containsKey(name);
    }

    /** Whether a flag is set to any value but {@code 0} and {@code false}, as upstream converts it. */
    public boolean flag(String name) {
        List<String> values = parameters.get(name);
        return values != null && !values.getFirst().equals("0") && !values.getFirst().equalsIgnoreCase("false");
    }

    /**
     * Returns the first value; null if the parameter is missing.
     *
     * @throws StatusException 400 if the value is not an integer
     */
    public @Nullable Long number(String name) {
        if (!has(name)) {
            return null;
        }
        String text = get(name);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Errors.badRequest("strconv.ParseInt: parsing \"" + text + "\": " + GoText.numberProblem(text));
        }
    }
}
