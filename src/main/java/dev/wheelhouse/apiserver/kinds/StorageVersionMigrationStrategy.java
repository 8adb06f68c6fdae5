package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Migrations of stored objects (upstream: {@code pkg/registry/storagemigration/storagemigration}). */
final class StorageVersionMigrationStrategy extends Strategy {
    StorageVersionMigrationStrategy() {
        super("storagemigration.k8s.io", "StorageVersionMigration", Set.of(Trait.UPDATED_BY_VERSION),
                Column.objectName().format(""),
                Column.of("Resource", "Resource whose objects are migrated.",
                        StorageVersionMigrationStrategy::resource),
                Column.of("Status", "State of the migration.", StorageVersionMigrationStrategy::state));
    }

    private static String resource(Item migration) {
        String group = migration.text("spec", "resource", "group");
        return migration.text("spec", "resource", "resource") + (group.isEmpty() ? "" : "." + group);
    }

    private static String state(Item migration) {
        String state = "Unknown";
        for (Item condition : migration.items("status", "conditions")) {
            String type = condition.text("type");
            if (condition.text("status").equals("True") && List.of("Running", "Failed", "Succeeded").contains(type)) {
                state = type;
            }
        }
        return state;
    }
}
