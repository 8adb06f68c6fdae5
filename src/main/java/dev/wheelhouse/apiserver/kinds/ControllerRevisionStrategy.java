package dev.wheelhouse.apiserver.kinds;

import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Subject;

/** Controller revisions, whose data never changes (upstream: {@code pkg/registry/apps/controllerrevision}). */
final class ControllerRevisionStrategy extends Strategy {
    ControllerRevisionStrategy() {
        super("apps", "ControllerRevision", Map.of("controller", ControllerRevisionStrategy::controller));
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

    static void revisionData(Subject data) {
        if (!data.value().isObject()) {
            data.problems().required(data.path(),
                    data.value().isMissingNode() ? "data is mandatory" : "data must be a valid JSON object");
        }
    }
}
