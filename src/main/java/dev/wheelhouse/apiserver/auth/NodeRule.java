package dev.wheelhouse.apiserver.auth;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.wheelhouse.runtime.Resources;

/** A row of a table of what nodes may do. The tables, {@code node-*.tsv}, explain their columns. */
public record NodeRule(List<String> resources, List<String> verbs, String subresource, String condition,
        String decision) {
    private static final Pattern VALUE = Pattern.compile("\\{([a-z-]+)}");
    private static final String NOT = "!";

    /** The rows of a table beside a class. */
    public static List<NodeRule> read(Class<?> beside, String table) {
        return Resources.text(beside, table).lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t", -1))
                .map(cells -> new NodeRule(List.of(cells[0].split(",")), List.of(cells[1].replace(NOT, NOT + ",")
                        .split(",")), cells[2], cells[3], cells[4]))
                .toList();
    }

    /**
     * Whether the row is about a request, whatever its condition.
     *
     * @param resource as {@code leases.coordination.k8s.io}
     */
    public boolean isAbout(String resource, String verb, String ofSubresource) {
        return resources.contains(resource)
                && (verbs.contains("*") || verbs.contains(verb) != verbs.contains(NOT))
                && switch (subresource) {
                    case "*" -> true;
                    case "-" -> ofSubresource.isEmpty();
                    case "+" -> !ofSubresource.isEmpty();
                    default -> ofSubresource.equals(subresource);
                };
    }

    /** The decision with values in place of their names in braces. */
    public String decision(UnaryOperator<String> values) {
        return VALUE.matcher(decision).replaceAll(name -> Matcher.quoteReplacement(values.apply(name.group(1))));
    }
}
