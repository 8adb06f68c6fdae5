package dev.wheelhouse.apiserver.validation;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * One condition of a row in {@code rules.tsv} or {@code defaults.tsv}, such as {@code type=NodePort|LoadBalancer}.
 *
 * @param paths fields that lead to a value; one of the values must pass the test
 * @param from the object where the path begins: {@code /} is the object of the set, {@code ~} the innermost object as
 *     it was before an update, a space the innermost object
 * @param test {@code ?} for present, {@code =} for one of the words, {@code ^} for beginning with one of them,
 *     {@code >} for a greater number, more elements or more characters,
 *     {@code ~} for another value than before an update, a space for set
 * @param negated whether the test must fail
 */
public record Condition(String[][] paths, char from, char test, Set<String> words, boolean negated) {
    /** @param text {@code if: } and conditions with spaces between them */
    public static List<Condition> all(String text) {
        return Stream.of(text.substring("if: ".length()).split(" ")).map(Condition::parse).toList();
    }

    private static Condition parse(String text) {
        boolean negated = text.startsWith("!");
        String rest = negated ? text.substring(1) : text;
        char from = rest.startsWith("/") || rest.startsWith("~") ? rest.charAt(0) : ' ';
        rest = from == ' ' ? rest : rest.substring(1);
        int end = rest.lastIndexOf(']') + 1;
        while (end < rest.length() && "?=>!~^".indexOf(rest.charAt(end)) < 0) {
            end++;
        }
        char test = end == rest.length() ? ' ' : rest.charAt(end);
        String words = test == ' ' ? "" : rest.substring(end + 1);
        if (test == '!') {
            return new Condition(steps(rest, end), from, '=', Set.of(words.substring(1).split("\\|", -1)), true);
        }
        return new Condition(steps(rest, end), from, test, Set.of(words.split("\\|", -1)), negated);
    }

    private static String[][] steps(String text, int end) {
        return Stream.of(text.substring(0, end).split(","))
                .map(path -> path.equals(".") ? new String[0] : Rules.steps(path)).toArray(String[][]::new);
    }

    /** Whether the condition holds for a new object. */
    public boolean holds(ObjectNode object) {
        return holds(Subject.root(object, null, "", new Problems()));
    }

    boolean holds(Subject subject) {
        JsonNode start = switch (from) {
            case '/' -> subject.root();
            case '~' -> subject.oldObject();
            default -> subject.object();
        };
        for (String[] path : paths) {
            JsonNode value = at(start, path);
            boolean passes = test == '~'
                    ? !value.equals(at(from == '/' ? subject.oldRoot() : subject.oldObject(), path))
                    : passes(value);
            if (passes) {
                return !negated;
            }
        }
        return negated;
    }

    private static JsonNode at(JsonNode start, String[] path) {
        JsonNode at = start;
        for (String step : path) {
            at = step.endsWith("]") ? status(at, step) : Subject.field(at, step);
        }
        return at;
    }

    /** @param step such as {@code conditions[Complete|Failed]} or {@code conditions[Ready=False]} */
    private static JsonNode status(JsonNode object, String step) {
        int open = step.indexOf('[');
        String[] wanted = step.substring(open + 1, step.length() - 1).split("=");
        List<String> types = List.of(wanted[0].split("\\|"));
        String status = wanted.length == 1 ? "True" : wanted[1];
        return BooleanNode.valueOf(Subject.field(object, step.substring(0, open)).valueStream()
                .anyMatch(condition -> types.contains(Json.text(condition, "type"))
                        && Json.text(condition, "status").equals(status)));
    }

    private boolean passes(JsonNode value) {
        return switch (test) {
            case '?' -> !(value instanceof MissingNode);
            case '=' -> value.isArray()
                    ? value.valueStream().anyMatch(element -> words.contains(element.asString("")))
                    : words.contains(value.asString(""));
            case '^' -> words.stream().anyMatch(value.asString("")::startsWith);
            case '>' -> (value.isNumber()
                    ? value.asLong(0)
                    : value.isString() ? value.stringValue().length() : value.size()) > Long
                            .parseLong(words.iterator().next());
            default -> Subject.isSet(value);
        };
    }
}
