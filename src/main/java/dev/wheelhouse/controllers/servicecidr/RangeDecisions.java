package dev.wheelhouse.controllers.servicecidr;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceCIDR;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Decides about the finalizer and the condition of a ServiceCIDR (upstream: {@code sync}). */
final class RangeDecisions {
    static final String FINALIZER = "networking.k8s.io/service-cidr-finalizer";
    /** The API servers stop to allocate from a range within this time after its deletion. */
    static final Duration GRACE = Duration.ofSeconds(10);

    private RangeDecisions() {}

    /** A pure function. */
    static List<Action> decide(RangeView view) {
        V1ObjectMeta meta = view.range().getMetadata();
        boolean kept = Metadata.finalizers(view.range()).contains(FINALIZER);
        List<Action> actions = new ArrayList<>();
        if (meta.getDeletionTimestamp() == null) {
            if (!kept) {
                actions.add(patch(view, "finalizers", "it must not be deleted while its addresses are in use"));
            }
            addCondition(view, "True", "", "Kubernetes Service CIDR is ready", "it is ready", actions);
        } else if (view.isNeeded()) {
            addCondition(view, "False", "Terminating",
                    "There are still IPAddresses referencing the ServiceCIDR, please "
                            + "remove them or create a new ServiceCIDR",
                    "its addresses are in use", actions);
        } else {
            Duration left = GRACE.minus(Duration.between(meta.getDeletionTimestamp().toInstant(), view.now()));
            if (left.isPositive()) {
                actions.add(new Action.RequeueAfter(left));
            } else if (kept) {
                actions.add(patch(view, "$deleteFromPrimitiveList/finalizers", "none of its addresses is in use"));
            }
        }
        return actions;
    }

    private static Action patch(RangeView view, String field, String why) {
        return new Action.Patch(ServiceCidrController.RANGES, ObjectKey.of(view.range()), "",
                PatchType.STRATEGIC_MERGE,
                ModelJson.write(Map.of("metadata", Map.of(field, List.of(FINALIZER)))), why, Set.of(404));
    }

    private static void addCondition(RangeView view, String status, String reason, String message, String why,
            List<Action> actions) {
        V1ServiceCIDR range = view.range();
        if (range.getStatus() != null && orEmpty(range.getStatus().getConditions()).stream()
                .anyMatch(condition -> isSame(condition, status, reason, message))) {
            return;
        }
        Map<String, Object> condition = Map.of("type", "Ready", "status", status, "reason", reason, "message", message,
                "lastTransitionTime", view.now().truncatedTo(ChronoUnit.SECONDS).toString());
        actions.add(new Action.Apply(ServiceCidrController.RANGES, ObjectKey.of(range), "status", V1ServiceCIDR.class,
                ServiceCidrController.NAME, true,
                ModelJson.write(Map.of("apiVersion", ServiceCidrController.RANGES.apiVersion(), "kind",
                        ServiceCidrController.RANGES.kind(), "metadata", Map.of("name", range.getMetadata().getName()),
                        "status", Map.of("conditions", List.of(condition)))),
                why));
    }

    private static boolean isSame(V1Condition condition, String status, String reason, String message) {
        return "Ready".equals(condition.getType()) && status.equals(condition.getStatus())
                && reason.equals(orEmpty(condition.getReason()))
                && message.equals(condition.getMessage());
    }
}
