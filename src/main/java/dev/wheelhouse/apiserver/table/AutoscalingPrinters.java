package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static dev.wheelhouse.apiserver.table.Item.UNKNOWN;

/** Groups {@code autoscaling} and {@code policy}. */
final class AutoscalingPrinters {
    private static final int SHOWN_METRICS = 2;

    private AutoscalingPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("autoscaling/HorizontalPodAutoscaler", List.of(Column.objectName(),
                Column.of("Reference", "What is scaled.",
                        o -> o.text("spec", "scaleTargetRef", "kind") + "/"
                                + o.text("spec", "scaleTargetRef", "name")),
                Column.of("Targets", "Current value and target of each metric.", AutoscalingPrinters::metrics),
                Column.of("MinPods", "Lower bound of the replicas.", o -> o.scalarOr(Item.UNSET, "spec",
                        "minReplicas")),
                Column.of("MaxPods", "Upper bound of the replicas.", o -> o.number("spec", "maxReplicas")),
                Column.of("Replicas", "How many replicas there were at the last look.",
                        o -> o.number("status", "currentReplicas")),
                Column.age()));
        all.put("policy/PodDisruptionBudget", List.of(Column.objectName(),
                Column.of("Min Available", "How many pods an eviction must leave available.",
                        o -> o.scalarOr("N/A", "spec", "minAvailable")),
                Column.of("Max Unavailable", "How many pods may be missing after an eviction.",
                        o -> o.scalarOr("N/A", "spec", "maxUnavailable")),
                Column.integer("Allowed Disruptions", "How many pods may be evicted at this moment.",
                        o -> o.number("status", "disruptionsAllowed")),
                Column.age()));
    }

    private static String metrics(Item autoscaler) {
        if (autoscaler.has("spec", "targetCPUUtilizationPercentage")) {
            return "cpu: " + percent(autoscaler, "status", "currentCPUUtilizationPercentage") + "/"
                    + percent(autoscaler, "spec", "targetCPUUtilizationPercentage");
        }
        List<Item> specs = autoscaler.items("spec", "metrics");
        List<Item> statuses = autoscaler.items("status", "currentMetrics");
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            texts.add(metric(specs.get(i), i < statuses.size() ? statuses.get(i) : autoscaler.part("none")));
        }
        if (texts.isEmpty()) {
            return Item.NONE;
        }
        return texts.size() <= SHOWN_METRICS
                ? String.join(", ", texts)
                : String.join(", ", texts.subList(0, SHOWN_METRICS)) + " + " + (texts.size() - SHOWN_METRICS)
                        + " more...";
    }

    private static String metric(Item spec, Item status) {
        return switch (spec.text("type")) {
            case "External" -> valueOrAverage(spec.part("external", "target"), status.part("external", "current"));
            case "Object" -> valueOrAverage(spec.part("object", "target"), status.part("object", "current"));
            case "Pods" -> status.scalarOr(UNKNOWN, "pods", "current", "averageValue") + "/"
                    + spec.scalarOr("0", "pods", "target", "averageValue");
            case "Resource" -> resource(spec.part("resource"), status.part("resource"));
            case "ContainerResource" -> resource(spec.part("containerResource"), status.part("containerResource"));
            default -> "<unknown type>";
        };
    }

    private static String valueOrAverage(Item target, Item current) {
        return target.has("averageValue")
                ? current.scalarOr(UNKNOWN, "averageValue") + "/" + target.scalarOr("0", "averageValue") + " (avg)"
                : current.scalarOr(UNKNOWN, "value") + "/" + target.scalarOr("0", "value");
    }

    private static String resource(Item spec, Item status) {
        String name = spec.text("name") + ": ";
        if (spec.has("target", "averageValue")) {
            return name + status.scalarOr(UNKNOWN, "current", "averageValue") + "/"
                    + spec.scalarOr("0", "target", "averageValue");
        }
        String target = spec.has("target", "averageUtilization")
                ? percent(spec, "target", "averageUtilization")
                : "<auto>";
        return name + percent(status, "current", "averageUtilization") + "/" + target;
    }

    private static String percent(Item item, String... path) {
        return item.has(path) ? item.number(path) + "%" : UNKNOWN;
    }
}
