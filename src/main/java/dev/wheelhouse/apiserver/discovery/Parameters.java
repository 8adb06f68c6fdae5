package dev.wheelhouse.apiserver.discovery;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.runtime.Resources;

/** The parameters of requests, with their descriptions. Those of queries are in {@code query-parameters.tsv}. */
final class Parameters {
    /** @param verbs of the operations that take it */
    private record Query(String name, String type, List<String> verbs, String description) {
        ObjectNode in(Dialect dialect) {
            return dialect.parameter("query", name, type, description, false);
        }
    }

    private static final List<Query> QUERIES = Resources.text(Parameters.class, "query-parameters.tsv").lines()
            .filter(line -> !line.startsWith("#")).map(line -> line.split("\t", -1))
            .map(row -> new Query(row[0], row[1], List.of(row[2].split(",", -1)), row[3])).toList();

    private Parameters() {}

    /** The parameters that the queries of operations with this verb may have. */
    static List<ObjectNode> ofVerb(Dialect dialect, String verb) {
        return QUERIES.stream().filter(query -> query.verbs.contains(verb)).map(query -> query.in(dialect)).toList();
    }

    /** The parameter of every path that asks for indented answers. */
    static ObjectNode pretty(Dialect dialect) {
        return QUERIES.stream().filter(query -> query.name.equals("pretty")).findFirst().orElseThrow().in(dialect);
    }

    static ObjectNode path(Dialect dialect, String name, String description) {
        return dialect.parameter("path", name, "string", description, true);
    }
}
