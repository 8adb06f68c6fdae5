package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

/** Taints and who tolerates them (upstream: {@code api/core/v1/toleration.go}, {@code plugins/tainttoleration}). */
final class Taints {
    private static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
    private static final String NOT_READY = "node.kubernetes.io/not-ready";
    private static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    private static final Map<String, String> PRESSURES = Map.of("MemoryPressure",
            "node.kubernetes.io/memory-pressure", "DiskPressure", "node.kubernetes.io/disk-pressure", "PIDPressure",
            "node.kubernetes.io/pid-pressure", "NetworkUnavailable", "node.kubernetes.io/network-unavailable");

    private Taints() {}

    /**
     * A node's taints, and those that its conditions call for: a node that does not say that it is ready is taken for
     * tainted, whether or not a node lifecycle controller is there to taint it.
     */
    static List<V1Taint> of(V1Node node) {
        List<V1Taint> taints = new ArrayList<>();
        if (node.getSpec() != null && node.getSpec().getTaints() != null) {
            taints.addAll(node.getSpec().getTaints());
        }
        String ready = "";
        if (node.getStatus() != null && node.getStatus().getConditions() != null) {
            for (V1NodeCondition condition : node.getStatus().getConditions()) {
                if ("Ready".equals(condition.getType())) {
                    ready = String.valueOf(condition.getStatus());
                }
                String pressure = PRESSURES.get(String.valueOf(condition.getType()));
                if (pressure != null && "True".equals(condition.getStatus())) {
                    imply(taints, pressure);
                }
            }
        }
        if (!ready.equals("True")) {
            imply(taints, ready.equals("Unknown") ? UNREACHABLE : NOT_READY);
        }
        return List.copyOf(taints);
    }

    private static void imply(List<V1Taint> taints, String key) {
        if (taints.stream().noneMatch(t -> key.equals(t.getKey()) && "NoSchedule".equals(t.getEffect()))) {
            taints.add(new V1Taint().key(key).effect("NoSchedule"));
        }
    }

    /** Whether a taint that forbids scheduling is there and not tolerated. */
    static boolean forbid(List<V1Taint> taints, List<V1Toleration> tolerations) {
        for (V1Taint taint : taints) {
            boolean forbids = "NoSchedule".equals(taint.getEffect()) || "NoExecute".equals(taint.getEffect());
            if (forbids && !tolerated(taint, tolerations)) {
                return true;
            }
        }
        return false;
    }

    /** How many taints ask that the pod rather go elsewhere. */
    static int discourage(List<V1Taint> taints, List<V1Toleration> tolerations) {
        int count = 0;
        for (V1Taint taint : taints) {
            if ("PreferNoSchedule".equals(taint.getEffect()) && !tolerated(taint, tolerations)) {
                count++;
            }
        }
        return count;
    }

    /** Whether a pod may go to nodes that are cordoned. */
    static boolean tolerateUnschedulable(List<V1Toleration> tolerations) {
        return tolerated(new V1Taint().key(UNSCHEDULABLE).effect("NoSchedule"), tolerations);
    }

    private static boolean tolerated(V1Taint taint, List<V1Toleration> tolerations) {
        for (V1Toleration toleration : tolerations) {
            if (tolerates(toleration, taint)) {
                return true;
            }
        }
        return false;
    }

    private static boolean tolerates(V1Toleration toleration, V1Taint taint) {
        if (!text(toleration.getEffect()).isEmpty() && !toleration.getEffect().equals(taint.getEffect())) {
            return false;
        }
        if (!text(toleration.getKey()).isEmpty() && !toleration.getKey().equals(taint.getKey())) {
            return false;
        }
        return switch (text(toleration.getOperator())) {
            case "", "Equal" -> text(toleration.getValue()).equals(text(taint.getValue()));
            case "Exists" -> true;
            case "Lt" -> compare(taint.getValue(), toleration.getValue()) < 0;
            case "Gt" -> compare(taint.getValue(), toleration.getValue()) > 0;
            default -> false;
        };
    }

    /** Compares two numbers; 0 where either is none, so that neither Lt nor Gt holds. */
    private static int compare(@Nullable String taint, @Nullable String toleration) {
        try {
            return Long.compare(Long.parseLong(text(taint)), Long.parseLong(text(toleration)));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
