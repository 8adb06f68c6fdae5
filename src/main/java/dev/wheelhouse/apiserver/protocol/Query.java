package dev.wheelhouse.apiserver.protocol;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.codec.GoText;
import dev.wheelhouse.apiserver.error.ApiException;
import dev.wheelhouse.apiserver.error.Errors;

/** The decoded parameters of a query. Immutable. */
public record Query(Map<String, List<String>> parameters) {
    private static final Query EMPTY = new Query(Map.of());

    /**
     * Parses a query. Like Go's parser, it leaves out malformed pairs and pairs with semicolons.
     *
     * @param text the part of the URL after the question mark, still encoded, or null
     */
    public static Query parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return EMPTY;
        }
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String pair : text.split("&")) {
            if (pair.isEmpty() || pair.indexOf(';') >= 0) {
                continue;
            }
            int eq = pair.indexOf('=');
            String name = eq < 0 ? pair : pair.substring(0, eq);
            try {
                String value = eq < 0 ? "" : decode(pair.substring(eq + 1));
                parameters.computeIfAbsent(decode(name), k -> new ArrayList<>()).add(value);
            } catch (ApiException e) {
                continue; // A malformed pair is left out.
            }
        }
        return new Query(parameters);
    }

    /** The query of these parameters, which are decoded. */
    public static Query of(Map<String, String> parameters) {
        if (parameters.isEmpty()) {
            return EMPTY;
        }
        Map<String, List<String>> all = new LinkedHashMap<>();
        parameters.forEach((name, value) -> all.put(name, List.of(value)));
        return new Query(all);
    }

    static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Errors.badRequest("invalid URL escape in \"" + text + "\"");
        }
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

    /** Whether the parameter is missing or an integer. */
    boolean isNumber(String name) {
        List<String> values = parameters.get(name);
        if (values == null) {
            return true;
        }
        try {
            Long.parseLong(values.getFirst());
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /**
     * Returns the first value; null if the parameter is missing.
     *
     * @throws ApiException 400 if the value is not an integer
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
