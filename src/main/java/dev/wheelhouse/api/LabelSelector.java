package dev.wheelhouse.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A compiled label selector: a list of requirements that must all hold. It is made from a {@code V1LabelSelector} or
 * from the text form of a query parameter (upstream: {@code apimachinery/pkg/labels/selector.go}). Immutable.
 */
@PublicApi
public final class LabelSelector {
    private static final LabelSelector EVERYTHING = new LabelSelector(List.of(), false);
    private static final LabelSelector NOTHING = new LabelSelector(List.of(), true);

    /** The most requirements that are checked one by one. */
    private static final int FEW = 8;

    private final List<Requirement> requirements;
    private final boolean nothing;
    /** The requirements by their keys, if they are many; else empty. */
    private final Map<String, OfKey> byKey = new HashMap<>();
    /** The number of keys in {@link #byKey} that a matching object has. */
    private int neededKeys;

    private LabelSelector(List<Requirement> requirements, boolean nothing) {
        this.requirements = requirements;
        this.nothing = nothing;
        if (requirements.size() > FEW) {
            requirements.forEach(r -> byKey.computeIfAbsent(r.key, key -> new OfKey()).add(r));
            neededKeys = (int) byKey.values().stream().filter(of -> of.needed).count();
        }
    }

    /** All requirements on one key, as one. */
    private static final class OfKey {
        private boolean needed;
        private boolean forbidden;
        private @Nullable Set<String> allowed;
        private Set<String> excluded = Set.of();
        private @Nullable String above;
        private @Nullable String below;

        void add(Requirement r) {
            needed |= r.operator != Operator.NOT_IN && r.operator != Operator.NOT_EXISTS;
            switch (r.operator) {
                case IN -> {
                    if (allowed == null) {
                        allowed = new HashSet<>(r.values);
                    } else {
                        allowed.removeIf(value -> !r.values.contains(value));
                    }
                }
                case NOT_IN -> {
                    excluded = excluded.isEmpty() ? new HashSet<>() : excluded;
                    excluded.addAll(r.values);
                }
                case NOT_EXISTS -> forbidden = true;
                case EXISTS -> {
                    // Needed, as noted above.
                }
                case GREATER -> above = above == null || compare(r.value(), above) > 0 ? r.value() : above;
                case LESS -> below = below == null || compare(r.value(), below) < 0 ? r.value() : below;
            }
        }

        boolean allows(String value) {
            return !forbidden && (allowed == null || allowed.contains(value)) && !excluded.contains(value)
                    && (above == null || compare(value, above) > 0) && (below == null || compare(value, below) < 0);
        }
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
                case GREATER -> compare(value, value()) > 0;
                case LESS -> compare(value, value()) < 0;
            };
        }

        /** The value of an operator that takes one. */
        String value() {
            return values.iterator().next();
        }

        @Override
        public String toString() {
            return switch (operator) {
                case IN -> values.size() == 1
                        ? key + "=" + value()
                        : key + " in (" + String.join(",", values) + ")";
                case NOT_IN -> values.size() == 1
                        ? key + "!=" + value()
                        : key + " notin (" + String.join(",", values) + ")";
                case EXISTS -> key;
                case NOT_EXISTS -> "!" + key;
                case GREATER -> key + ">" + value();
                case LESS -> key + "<" + value();
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
        orEmpty(selector.getMatchLabels())
                .forEach((k, v) -> requirements.add(new Requirement(k, Operator.IN, Set.of(v))));
        for (V1LabelSelectorRequirement r : orEmpty(selector.getMatchExpressions())) {
            requirements.add(requirement(r.getKey(), r.getOperator(), orEmpty(r.getValues())));
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

    /** Whether labels match. The work of a long selector grows with the number of labels, not with its own length. */
    public boolean matches(@Nullable Map<String, String> labels) {
        if (nothing) {
            return false;
        }
        Map<String, String> present = labels == null ? Map.of() : labels;
        if (!byKey.isEmpty()) {
            return matchesByKey(present);
        }
        for (Requirement requirement : requirements) {
            if (!requirement.matches(present)) {
                return false;
            }
        }
        return true;
    }

    private boolean matchesByKey(Map<String, String> present) {
        if (neededKeys > present.size()) {
            return false;
        }
        int found = 0;
        for (Map.Entry<String, String> label : present.entrySet()) {
            OfKey of = byKey.get(label.getKey());
            if (of != null && label.getValue() != null) {
                if (!of.allows(label.getValue())) {
                    return false;
                }
                found += of.needed ? 1 : 0;
            }
        }
        return found == neededKeys;
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
