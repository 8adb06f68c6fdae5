package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Priority levels of requests (upstream: {@code pkg/registry/flowcontrol/prioritylevelconfiguration}). */
final class PriorityLevelConfigurationStrategy extends Strategy {
    PriorityLevelConfigurationStrategy() {
        super("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", Column.objectName(),
                Column.of("Type", "Whether the level is limited.", o -> o.text("spec", "type")),
                limited("NominalConcurrencyShares", "Its share of the server's seats.", "nominalConcurrencyShares"),
                limited("Queues", "How many queues it has.", "limitResponse", "queuing", "queues"),
                limited("HandSize", "How many queues one flow may use.", "limitResponse", "queuing", "handSize"),
                limited("QueueLengthLimit", "How many requests a queue holds.", "limitResponse", "queuing",
                        "queueLengthLimit"),
                Column.age());
    }

    /** A column with a number that only limited levels have. */
    private static Column limited(String name, String description, String... path) {
        String[] full = new String[path.length + 2];
        full[0] = "spec";
        full[1] = "limited";
        System.arraycopy(path, 0, full, 2, path.length);
        return Column.of(name, description, o -> {
            if (o.has(full)) {
                return o.number(full);
            }
            return Item.NONE;
        });
    }
}
