package dev.wheelhouse.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;

/**
 * A compiled label selector: a list of requirements that must all hold. It is made from a {@code V1LabelSelector} or
 * from the text form of a query parameter (upstream: {@code apimachinery/pkg/labels/selector.go}). Immutable.
 */
public final class LabelSelector {
    private static final LabelSelector EVERYTHING = new LabelSelector(List.of(), false);
    private static final LabelSelector NOTHING = new LabelSelector(List.of(), true);

    private final List<Requirement> requirements;
    private final boolean nothing;

    private LabelSelector(List<Requirement> requirements, boolean nothing) {
        this.requirements = requirements;
        this.nothing = nothing;
    }

    private enum Operator {
        IN, NOT_IN, EXISTS, NOT_EXISTS, GREATER, LESS
    }

    private record Requirement(String key, Operator operator, Set<String> values) {
        boolean matches(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case NOT_EXISTS -> value == null;
                case GREATER -> compare(value) > 0;
                case LESS -> compare(value) < 0;
            };
        }

        private int compare(@Nullable String value) {
            if (value == null) {
                return 0;
            }
            try {
                return Long.compare(Long.parseLong(value), Long.parseLong(values.iterator().next()));
            } catch (NumberFormatException e) {
                return 0;
            }
        }

        @Override
        public String toString() {
            return switch (operator) {
                case IN -> values.size() == 1
                        ? key + "=" + values.iterator().next()
                        : key + " in (" + String.join(",", values) + ")";
                case NOT_IN -> values.size() == 1
                        ? key + "!=" + values.iterator().next()
                        : key + " notin (" + String.join(",", values) + ")";
                case EXISTS -> key;
                case NOT_EXISTS -> "!" + key;
                case GREATER -> key + ">" + values.iterator().next();
                case LESS -> key + "<" + values.iterator().next();
            };
        }
    }

    /** A selector that matches every object. */
    public static LabelSelector everything() {
        return EVERYTHING;
    }

    /** A selector that matches no object. */
    public static LabelSelector nothing() {
        return NOTHING;
    }

    /**
     * Compiles a selector of an object's spec. A null selector matches nothing, an empty one matches everything.
     *
     * @throws IllegalArgumentException if an operator is unknown, or its values do not fit the operator
     */
    public static LabelSelector of(@Nullable V1LabelSelector selector) {
        if (selector == null) {
            return NOTHING;
        }
        List<Requirement> requirements = new ArrayList<>();
        if (selector.getMatchLabels() != null) {
            selector.getMatchLabels().forEach((k, v) -> requirements.add(new Requirement(k, Operator.IN, Set.of(v))));
        }
        if (selector.getMatchExpressions() != null) {
            for (V1LabelSelectorRequirement r : selector.getMatchExpressions()) {
                requirements.add(
                        requirement(r.getKey(), r.getOperator(), r.getValues() == null ? List.of() : r.getValues()));
            }
        }
        return compile(requirements);
    }

    /** A selector for the objects that have all these labels. */
    public static LabelSelector of(Map<String, String> labels) {
        List<Requirement> requirements = new ArrayList<>();
        labels.forEach((k, v) -> requirements.add(new Requirement(k, Operator.IN, Set.of(v))));
        return compile(requirements);
    }

    private static LabelSelector compile(List<Requirement> requirements) {
        if (requirements.isEmpty()) {
            return EVERYTHING;
        }
        requirements.sort((a, b) -> a.key.compareTo(b.key));
        return new LabelSelector(List.copyOf(requirements), false);
    }

    private static Requirement requirement(String key, String operator, List<String> values) {
        Operator op = switch (operator) {
            case "In" -> Operator.IN;
            case "NotIn" -> Operator.NOT_IN;
            case "Exists" -> Operator.EXISTS;
            case "DoesNotExist" -> Operator.NOT_EXISTS;
            default -> throw new IllegalArgumentException(
                    "\"" + operator + "\" is not a valid label selector operator (key " + key
                            + "): use In, NotIn, Exists or DoesNotExist");
        };
        boolean needsValues = op == Operator.IN || op == Operator.NOT_IN;
        if (needsValues == values.isEmpty()) {
            throw new IllegalArgumentException("label selector key " + key + ": operator " + operator
                    + (needsValues ? " needs values" : " takes no values"));
        }
        return new Requirement(key, op, Collections.unmodifiableSet(new TreeSet<>(values)));
    }

    /**
     * Parses the text form, such as {@code app=web,tier in (a,b),!canary}.
     *
     * @throws IllegalArgumentException if the text is not a label selector
     */
    public static LabelSelector parse(String text) {
        return compile(new Parser(text).requirements());
    }

    public boolean matches(@Nullable Map<String, String> labels) {
        if (nothing) {
            return false;
        }
        Map<String, String> present = labels == null ? Map.of() : labels;
        for (Requirement requirement : requirements) {
            if (!requirement.matches(present)) {
                return false;
            }
        }
        return true;
    }

    public boolean isEverything() {
        return !nothing && requirements.isEmpty();
    }

    /** The text form, as used in a query parameter. */
    @Override
    public String toString() {
        return String.join(",", requirements.stream().map(Requirement::toString).toList());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LabelSelector s && s.nothing == nothing && s.requirements.equals(requirements);
    }

    @Override
    public int hashCode() {
        return requirements.hashCode() + (nothing ? 1 : 0);
    }

    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        List<Requirement> requirements() {
            List<Requirement> requirements = new ArrayList<>();
            skipSpace();
            while (at < text.length()) {
                requirements.add(requirement());
                skipSpace();
                if (at == text.length()) {
                    break;
                }
                expect(',');
                skipSpace();
                if (at == text.length()) {
                    throw error("a requirement");
                }
            }
            return requirements;
        }

        private Requirement requirement() {
            if (eat("!")) {
                skipSpace();
                return new Requirement(word("a label key"), Operator.NOT_EXISTS, Set.of());
            }
            String key = word("a label key");
            skipSpace();
            if (at == text.length() || text.charAt(at) == ',') {
                return new Requirement(key, Operator.EXISTS, Set.of());
            }
            if (eat("!=")) {
                return new Requirement(key, Operator.NOT_IN, Set.of(value()));
            }
            if (eat("==") || eat("=")) {
                return new Requirement(key, Operator.IN, Set.of(value()));
            }
            if (eat(">")) {
                return new Requirement(key, Operator.GREATER, Set.of(number(key)));
            }
            if (eat("<")) {
                return new Requirement(key, Operator.LESS, Set.of(number(key)));
            }
            String operator = word("an operator");
            return switch (operator) {
                case "in" -> new Requirement(key, Operator.IN, values());
                case "notin" -> new Requirement(key, Operator.NOT_IN, values());
                default -> throw new IllegalArgumentException("unable to parse requirement: found '" + operator
                        + "', expected: in, notin, =, ==, !=, gt, lt");
            };
        }

        private String number(String key) {
            String value = value();
            try {
                Long.parseLong(value);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "label selector \"" + text + "\": the bound of " + key + " must be an integer");
            }
            return value;
        }

        private Set<String> values() {
            skipSpace();
            expect('(');
            Set<String> values = new TreeSet<>();
            do {
                values.add(value());
                skipSpace();
            } while (eat(","));
            expect(')');
            return Collections.unmodifiableSet(values);
        }

        private String value() {
            skipSpace();
            int from = at;
            while (at < text.length() && isWord(text.charAt(at))) {
                at++;
            }
            return text.substring(from, at);
        }

        private String word(String wanted) {
            String word = value();
            if (word.isEmpty()) {
                throw error(wanted);
            }
            return word;
        }

        private static boolean isWord(char c) {
            return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
                    || c == '.' || c == '/';
        }

        private void skipSpace() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
        }

        private boolean eat(String token) {
            if (text.startsWith(token, at)) {
                at += token.length();
                return true;
            }
            return false;
        }

        private void expect(char c) {
            if (!eat(String.valueOf(c))) {
                throw error("'" + c + "'");
            }
        }

        private IllegalArgumentException error(String wanted) {
            String found = at < text.length() ? "'" + text.charAt(at) + "'" : "end of string";
            return new IllegalArgumentException(
                    "unable to parse requirement: found " + found + ", expected " + wanted + " in the label selector \""
                            + text + "\"");
        }
    }
}
