package dev.wheelhouse.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

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
                case GREATER -> compare(value, values.iterator().next()) > 0;
                case LESS -> compare(value, values.iterator().next()) < 0;
            };
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
     * Compiles a selector of an object's spec. A null selector matches nothing, an empty one matches everything. A
     * large selector is compiled once, and must not be changed afterwards.
     *
     * @throws IllegalArgumentException if an operator is unknown, or its values do not fit the operator
     */
    public static LabelSelector of(@Nullable V1LabelSelector selector) {
        if (selector == null) {
            return NOTHING;
        }
        return LargeSelectors.isLarge(selector)
                ? LargeSelectors.compiled(selector, LabelSelector::compiled)
                : compiled(selector);
    }

    private static LabelSelector compiled(V1LabelSelector selector) {
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

    /**
     * The selector as it stands in the spec of an object.
     *
     * @throws IllegalArgumentException if it compares numbers, which specs cannot say
     */
    public V1LabelSelector toModel() {
        V1LabelSelector model = new V1LabelSelector();
        for (Requirement r : requirements) {
            String operator = switch (r.operator) {
                case IN -> "In";
                case NOT_IN -> "NotIn";
                case EXISTS -> "Exists";
                case NOT_EXISTS -> "DoesNotExist";
                case GREATER, LESS -> throw new IllegalArgumentException("the selector " + this
                        + " compares numbers: use =, !=, in, notin, or the name of a label");
            };
            model.addMatchExpressionsItem(new V1LabelSelectorRequirement().key(r.key).operator(operator)
                    .values(r.values.isEmpty() ? null : List.copyOf(r.values)));
        }
        return model;
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

    /** Compares two whole numbers. Returns 0 if one text is missing or no number, so that neither Gt nor Lt holds. */
    static int compare(@Nullable String one, @Nullable String other) {
        try {
            return one == null || other == null ? 0 : Long.compare(Long.parseLong(one), Long.parseLong(other));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Visits the key and the values of each requirement. {@link #parse} does not check the syntax of either. */
    public void forEachRequirement(BiConsumer<String, Set<String>> visitor) {
        requirements.forEach(requirement -> visitor.accept(requirement.key, requirement.values));
    }

    public boolean isEverything() {
        return !nothing && requirements.isEmpty();
    }

    /** The text form, as used in a query parameter. Empty for {@link #nothing}, too, as upstream. */
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

    /** Reads the text form, token by token, with upstream's messages. */
    private static final class Parser {
        private static final String SYMBOLS = "=!(),><";
        private static final List<String> OPERATORS = List.of("!=", "==", "!", "=", "(", ")", ",", ">", "<");
        private static final String BINARY = "in, notin, =, ==, !=, gt, lt";

        private final String text;
        private int at;
        /** The token in hand; empty at the end of the text. */
        private String token = "";

        Parser(String text) {
            this.text = text;
        }

        List<Requirement> requirements() {
            List<Requirement> requirements = new ArrayList<>();
            advance();
            if (!token.isEmpty() && !isWord() && !token.equals("!")) {
                throw new IllegalArgumentException(
                        "found '" + token + "', expected: !, identifier, or 'end of string'");
            }
            while (!token.isEmpty()) {
                requirements.add(requirement());
                if (token.isEmpty()) {
                    break;
                }
                if (!token.equals(",")) {
                    throw new IllegalArgumentException("found '" + token + "', expected: ',' or 'end of string'");
                }
                advance();
                if (!isWord() && !token.equals("!")) {
                    throw new IllegalArgumentException("found '" + token + "', expected: identifier after ','");
                }
            }
            return requirements;
        }

        private Requirement requirement() {
            if (token.equals("!")) {
                advance();
                return new Requirement(key(), Operator.NOT_EXISTS, Set.of());
            }
            String key = key();
            if (token.isEmpty() || token.equals(",")) {
                return new Requirement(key, Operator.EXISTS, Set.of());
            }
            String operator = token;
            advance();
            return switch (operator) {
                case "!=" -> new Requirement(key, Operator.NOT_IN, Set.of(value()));
                case "=", "==" -> new Requirement(key, Operator.IN, Set.of(value()));
                case ">" -> new Requirement(key, Operator.GREATER, Set.of(number()));
                case "<" -> new Requirement(key, Operator.LESS, Set.of(number()));
                case "in" -> new Requirement(key, Operator.IN, values());
                case "notin" -> new Requirement(key, Operator.NOT_IN, values());
                default -> throw unexpected("found '" + operator + "', expected: " + BINARY);
            };
        }

        private String key() {
            if (!isWord()) {
                throw unexpected("found '" + token + "', expected: identifier");
            }
            String key = token;
            advance();
            return key;
        }

        /** The value of an operator that takes one. A missing value counts as the empty text. */
        private String value() {
            if (token.isEmpty() || token.equals(",")) {
                return "";
            }
            if (!isWord()) {
                throw unexpected("found '" + token + "', expected: identifier");
            }
            String value = token;
            advance();
            return value;
        }

        private String number() {
            String value = value();
            try {
                Long.parseLong(value);
            } catch (NumberFormatException e) {
                throw unexpected("values[0]: Invalid value: \"" + value
                        + "\": for 'Gt', 'Lt' operators, the value must be an integer");
            }
            return value;
        }

        /** A list in parentheses. A missing value before or after a comma counts as the empty text. */
        private Set<String> values() {
            if (!token.equals("(")) {
                throw unexpected("found '" + token + "' expected: '('");
            }
            advance();
            if (!isWord() && !token.equals(",") && !token.equals(")")) {
                throw unexpected("found '" + token + "', expected: ',', ')' or identifier");
            }
            Set<String> values = new TreeSet<>();
            while (true) {
                values.add(isWord() ? token : "");
                if (isWord()) {
                    advance();
                }
                if (token.equals(")")) {
                    advance();
                    return Collections.unmodifiableSet(values);
                }
                if (!token.equals(",")) {
                    throw unexpected("found '" + token + "', expected: ',' or ')'");
                }
                advance();
                if (!isWord() && !token.equals(",") && !token.equals(")")) {
                    throw unexpected("found '" + token + "', expected: ',', or identifier");
                }
            }
        }

        private boolean isWord() {
            return !token.isEmpty() && SYMBOLS.indexOf(token.charAt(0)) < 0;
        }

        private void advance() {
            while (at < text.length() && isSpace(text.charAt(at))) {
                at++;
            }
            for (String operator : OPERATORS) {
                if (text.startsWith(operator, at)) {
                    at += operator.length();
                    token = operator;
                    return;
                }
            }
            int from = at;
            while (at < text.length() && !isSpace(text.charAt(at)) && SYMBOLS.indexOf(text.charAt(at)) < 0) {
                at++;
            }
            token = text.substring(from, at);
        }

        private static boolean isSpace(char c) {
            return c == ' ' || c == '\t' || c == '\r' || c == '\n';
        }

        private static IllegalArgumentException unexpected(String problem) {
            return new IllegalArgumentException("unable to parse requirement: " + problem);
        }
    }
}
