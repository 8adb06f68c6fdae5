package dev.wheelhouse.apiserver.discovery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

/** The parameters of requests, with their descriptions. */
final class Parameters {
    static final List<String> WRITE = List.of("dryRun", "fieldManager", "fieldValidation");
    static final List<String> PATCH = List.of("dryRun", "fieldManager", "fieldValidation", "force");
    static final List<String> DELETE = List.of("dryRun", "gracePeriodSeconds", "orphanDependents",
            "propagationPolicy");
    static final List<String> LIST = List.of("allowWatchBookmarks", "continue", "fieldSelector", "labelSelector",
            "limit", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "shardSelector", "timeoutSeconds",
            "watch");
    static final List<String> DELETE_COLLECTION = List.of("continue", "dryRun", "fieldSelector", "gracePeriodSeconds",
            "labelSelector", "limit", "orphanDependents", "propagationPolicy", "resourceVersion",
            "resourceVersionMatch", "sendInitialEvents", "shardSelector", "timeoutSeconds");

    private record Query(String type, String description) {}

    private static final Map<String, Query> QUERIES = new LinkedHashMap<>();

    static {
        add("allowWatchBookmarks", "boolean", "Whether a watch may send events that carry only the current version.");
        add("continue", "string", "Token of the previous page, to get the next one.");
        add("dryRun", "string", "All: process the request without storing the result.");
        add("fieldManager", "string", "Name under which the changed fields are recorded.");
        add("fieldSelector", "string", "Only objects whose fields have these values.");
        add("fieldValidation", "string", "Ignore, Warn or Strict: the treatment of unknown and duplicate fields.");
        add("force", "boolean", "Whether an apply takes over fields that others manage.");
        add("gracePeriodSeconds", "integer", "Seconds until the object is removed; 0 for at once.");
        add("labelSelector", "string", "Restricts the list of returned objects to those whose labels match.");
        add("limit", "integer", "The most objects of one page.");
        add("orphanDependents", "boolean", "Old form of propagationPolicy=Orphan.");
        add("pretty", "string", "Whether the answer is indented.");
        add("propagationPolicy", "string", "Orphan, Background or Foreground: the treatment of dependents.");
        add("resourceVersion", "string", "The version of the answer, or the oldest one allowed.");
        add("resourceVersionMatch", "string", "Exact or NotOlderThan: the meaning of resourceVersion.");
        add("sendInitialEvents", "boolean", "Whether a watch begins with events for the existing objects.");
        add("shardSelector", "string", "Only objects in ranges of the hash of their UID or namespace.");
        add("timeoutSeconds", "integer", "Seconds after which the server ends the answer.");
        add("watch", "boolean",
                "Watch for changes to the described resources: events as they happen instead of a list.");
    }

    private Parameters() {}

    private static void add(String name, String type, String description) {
        QUERIES.put(name, new Query(type, description));
    }

    static ObjectNode query(Dialect dialect, String name) {
        Query query = QUERIES.get(name);
        if (query == null) {
            throw new IllegalArgumentException("the query parameter " + name + " is not described");
        }
        return dialect.parameter("query", name, query.type, query.description, false);
    }

    static ObjectNode path(Dialect dialect, String name, String description) {
        return dialect.parameter("path", name, "string", description, true);
    }
}
