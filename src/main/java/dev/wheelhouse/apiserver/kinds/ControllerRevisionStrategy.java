package dev.wheelhouse.apiserver.kinds;

import java.util.Locale;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

/** Controller revisions, whose data never changes (upstream: {@code pkg/registry/apps/controllerrevision}). */
final class ControllerRevisionStrategy extends Strategy {
    ControllerRevisionStrategy() {
        super("apps", "ControllerRevision", TableColumn.objectName(),
                TableColumn.of("Controller", "Object that this is a revision of.",
                        ControllerRevisionStrategy::controller),
                TableColumn.of("Revision", "Number of the revision; a later one is greater.",
                        o -> o.number("revision")),
                TableColumn.age());
    }

    @Override
    protected boolean countsGenerations() {
        return false;
    }

    private static String controller(Item revision) {
        for (Item owner : revision.items("metadata", "ownerReferences")) {
            if (owner.flag("controller")) {
                String apiVersion = owner.text("apiVersion");
                int slash = apiVersion.indexOf('/');
                String group = slash < 0 ? "" : "." + apiVersion.substring(0, slash);
                return (owner.text("kind") + group).toLowerCase(Locale.ROOT) + "/" + owner.text("name");
            }
        }
        return Item.NONE;
    }

    @Override
    protected void validate(ObjectNode revision, Problems problems) {
        long number = Json.number(revision, 0, "revision");
        if (number < 0) {
            problems.invalid("revision", number, "must be greater than or equal to 0");
        }
        JsonNode data = revision.get("data");
        if (data == null || !data.isObject()) {
            problems.required("data", data == null ? "data is mandatory" : "data must be a valid JSON object");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode revision, ObjectNode old, Problems problems) {
        validate(revision, problems);
        problems.immutable("data", revision.get("data"), old.get("data"));
    }
}
