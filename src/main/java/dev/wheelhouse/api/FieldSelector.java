package dev.wheelhouse.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A compiled field selector, such as {@code spec.nodeName=node-1,status.phase!=Failed} (upstream:
 * {@code apimachinery/pkg/fields/selector.go}). It accepts any field name; the API server decides which fields a type
 * supports. Immutable.
 */
@PublicApi
public record FieldSelector(List<Requirement> requirements) {
    private static final String ESCAPED = "\\,=";
    private static final FieldSelector EVERYTHING = new FieldSelector(List.of());

    /** {@code field = value}, or {@code field != value} when negated. */
    public record Requirement(String field, String value, boolean negated) {
        @Override
        public String toString() {
            return field + (negated ? "!=" : "=") + escape(value);
        }
    }

    public FieldSelector {
        requirements = List.copyOf(requirements);
    }

    public static FieldSelector everything() {
        return EVERYTHING;
    }

    public static FieldSelector of(String field, String value) {
        return new FieldSelector(List.of(new Requirement(field, value, false)));
    }

    /** @throws IllegalArgumentException if the text is not a field selector */
    public static FieldSelector parse(String text) {
        List<Requirement> requirements = new ArrayList<>();
        for (String term : split(text)) {
            if (term.isEmpty()) {
                continue;
            }
            int at = 0;
            while (at < term.length() && term.charAt(at) != '=' && !term.startsWith("!=", at)) {
                at++;
            }
            boolean negated = term.startsWith("!=", at);
            int length = negated || term.startsWith("==", at) ? 2 : term.startsWith("=", at) ? 1 : 0;
            if (length == 0) {
                throw new IllegalArgumentException("invalid selector: '" + text + "'; can't understand '" + term + "'");
            }
            Requirement requirement = new Requirement(term.substring(0, at), unescape(term.substring(at + length)),
                    negated);
            if (!requirement.field.isEmpty() || !requirement.value.isEmpty()) {
                requirements.add(requirement);
            }
        }
        return requirements.isEmpty() ? EVERYTHING : new FieldSelector(requirements);
    }

    /** The terms, sorted. Texts that differ only in the order of their terms thus yield equal selectors. */
    private static List<String> split(String text) {
        List<String> terms = new ArrayList<>();
        StringBuilder term = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                term.append(c).append(text.charAt(++i));
            } else if (c == ',') {
                terms.add(term.toString());
                term.setLength(0);
            } else {
                term.append(c);
            }
        }
        terms.add(term.toString());
        Collections.sort(terms);
        return terms;
    }

    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
    }

    private static String unescape(String value) {
        StringBuilder out = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '=') {
                throw new IllegalArgumentException(
                        "invalid field selector: unescaped character in value: " + (int) c);
            }
            if (c == '\\' && (++i == value.length() || ESCAPED.indexOf(value.charAt(i)) < 0)) {
                throw new IllegalArgumentException("invalid field selector: invalid escape sequence: "
                        + value.substring(i - 1, Math.min(i + 1, value.length())));
            }
            out.append(value.charAt(i));
        }
        return out.toString();
    }

    /**
     * Whether an object matches.
     * @param fields returns the value of a field; null, for a field that the object does not have, counts as empty
     */
    public boolean matches(Function<String, @Nullable String> fields) {
        for (Requirement requirement : requirements) {
            String value = fields.apply(requirement.field);
            if ((value == null ? "" : value).equals(requirement.value) == requirement.negated) {
                return false;
            }
        }
        return true;
    }

    /** The value that the first equality requirement on a field demands; null if there is none. */
    public @Nullable String requires(String field) {
        for (Requirement requirement : requirements) {
            if (!requirement.negated && requirement.field.equals(field)) {
                return requirement.value;
            }
        }
        return null;
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /** The text form, as used in a query parameter. */
    @Override
    public String toString() {
        return String.join(",", requirements.stream().map(Requirement::toString).toList());
    }
}
