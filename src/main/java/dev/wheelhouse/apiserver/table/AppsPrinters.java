package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;

/** Group {@code apps}, and the ReplicationController, which is printed like a ReplicaSet. */
final class AppsPrinters {
    private AppsPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("apps/Deployment", List.of(Column.objectName(),
                Column.of("Ready", "Ready pods of those wanted.", AppsPrinters::readyOfWanted),
                Column.of("Up-to-date", "How many pods have the newest template.",
                        o -> o.number("status", "updatedReplicas")),
                Column.of("Available", "How many pods have been ready for long enough.",
                        o -> o.number("status", "availableReplicas")),
                Column.age(), Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide(),
                Column.of("Selector", "Which pods belong to the Deployment.", AppsPrinters::deploymentSelector)
                        .wide()));
        all.put("apps/ReplicaSet", replicas(
                Column.of("Selector", "Which pods count as replicas.", o -> Selectors.format(o, "spec", "selector"))));
        all.put("/ReplicationController", replicas(
                Column.of("Selector", "Which pods count as replicas.", o -> o.labels("spec", "selector"))));
        all.put("apps/StatefulSet", List.of(Column.objectName(),
                Column.of("Ready", "Ready pods of those wanted.", AppsPrinters::readyOfWanted),
                Column.age(), Containers.names("spec", "template").wide(),
                Containers.images("spec", "template").wide()));
        all.put("apps/DaemonSet", List.of(Column.objectName(),
                status("Desired", "How many nodes should run the pod.", "desiredNumberScheduled"),
                status("Current", "How many of those nodes run the pod.", "currentNumberScheduled"),
                status("Ready", "How many of those nodes run a ready pod.", "numberReady"),
                status("Up-to-date", "How many nodes run a pod of the newest template.", "updatedNumberScheduled"),
                status("Available", "How many nodes run a pod that has been ready for long enough.", "numberAvailable"),
                Column.of("Node Selector", "Labels that a node needs to get the pod.",
                        o -> o.labels("spec", "template", "spec", "nodeSelector")),
                Column.age(), Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide(),
                Column.of("Selector", "Which pods belong to the DaemonSet.",
                        o -> Selectors.format(o, "spec", "selector")).wide()));
    }

    private static List<Column> replicas(Column selector) {
        return List.of(Column.objectName(),
                Column.integer("Desired", "How many pods are wanted.", o -> o.number("spec", "replicas")),
                status("Current", "How many pods there are.", "replicas"),
                status("Ready", "How many pods are ready.", "readyReplicas"),
                Column.age(), Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide(),
                selector.wide());
    }

    private static Column status(String name, String description, String field) {
        return Column.integer(name, description, o -> o.number("status", field));
    }

    private static String readyOfWanted(Item o) {
        return o.number("status", "readyReplicas") + "/" + o.number("spec", "replicas");
    }

    private static String deploymentSelector(Item deployment) {
        String text = Selectors.text(deployment, "spec", "selector");
        return text == null ? "<invalid>" : text;
    }
}
