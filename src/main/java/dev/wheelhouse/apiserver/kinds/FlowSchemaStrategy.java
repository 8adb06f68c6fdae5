package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Flow schemas, which give requests to priority levels (upstream: {@code pkg/registry/flowcontrol/flowschema}). */
final class FlowSchemaStrategy extends Strategy {
    FlowSchemaStrategy() {
        super("flowcontrol.apiserver.k8s.io", "FlowSchema", Column.objectName(),
                Column.of("PriorityLevel", "Priority level of the matching requests.",
                        o -> o.text("spec", "priorityLevelConfiguration", "name")),
                Column.of("MatchingPrecedence", "Which schema is asked first: the lowest.",
                        o -> o.number("spec", "matchingPrecedence")),
                Column.of("DistinguisherMethod", "How the requests are told apart.",
                        o -> o.textOr(Item.NONE, "spec", "distinguisherMethod", "type")),
                Column.age(),
                Column.of("MissingPL", "Whether its priority level is missing.",
                        o -> o.ofType("Dangling", "status", "conditions").textOr("?", "status")));
    }
}
