package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.validation.Subject;

import static dev.wheelhouse.apiserver.kinds.WorkloadRules.amount;

/** Daemon sets (upstream: {@code pkg/registry/apps/daemonset}). */
final class DaemonSetStrategy extends Strategy {
    /** The annotation with the number of the template. Only the server counts it. */
    private static final String TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

    DaemonSetStrategy() {
        super("apps", "DaemonSet");
    }

    private static ObjectNode annotations(ObjectNode daemonSet) {
        return Json.child(Json.child(daemonSet, "metadata"), "annotations");
    }

    @Override
    protected void create(ObjectNode daemonSet, User writer, ClusterState state) {
        annotations(daemonSet).put(TEMPLATE_GENERATION, Long.toString(Math.max(1, templateGeneration(daemonSet))));
    }

    @Override
    protected void update(ObjectNode daemonSet, ObjectNode old, ClusterState state) {
        boolean sameTemplate = daemonSet.at("/spec/template").equals(old.at("/spec/template"));
        annotations(daemonSet).put(TEMPLATE_GENERATION,
                Long.toString(templateGeneration(old) + (sameTemplate ? 0 : 1)));
    }

    @Override
    protected void updateStatus(ObjectNode daemonSet, ObjectNode old, ClusterState state) {
        annotations(daemonSet).put(TEMPLATE_GENERATION, Long.toString(templateGeneration(old)));
    }

    /** The number of the template; 0 if it is missing or no number. */
    private static long templateGeneration(ObjectNode daemonSet) {
        try {
            return Long.parseLong(Json.text(daemonSet, "metadata", "annotations", TEMPLATE_GENERATION));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    static void daemonSelector(Subject spec) {
        JsonNode selector = Json.at(spec.value(), "selector");
        if (selector == null || Selectors.isValid(selector)
                && !Selectors.matches(selector, Json.at(spec.value(), "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec.value(), spec.problems());
        }
        if (selector != null && Selectors.isEmpty(selector)) {
            spec.problems().invalid("spec.selector", Selectors.printed(selector),
                    "empty selector is invalid for daemonset");
        }
    }

    static void eitherUnavailableOrSurge(Subject rolling) {
        boolean unavailable = amount(rolling.value().get("maxUnavailable")) != 0;
        boolean surge = amount(rolling.value().get("maxSurge")) != 0;
        if (unavailable && surge) {
            rolling.problems().invalid(rolling.path() + ".maxSurge", rolling.value().get("maxSurge"),
                    "may not be set when maxUnavailable is non-zero");
        } else if (!unavailable && !surge) {
            rolling.problems().required(rolling.path() + ".maxUnavailable", "cannot be 0 when maxSurge is 0");
        }
    }
}
