package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.Tolerations;

/** Evaluates taints and tolerations (upstream: {@code api/core/v1/toleration.go}, {@code plugins/tainttoleration}). */
final class Taints {
    private static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
    private static final String NOT_READY = "node.kubernetes.io/not-ready";
    private static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    private static final Map<String, String> PRESSURES = Map.of("MemoryPressure",
            "node.kubernetes.io/memory-pressure", "DiskPressure", "node.kubernetes.io/disk-pressure", "PIDPressure",
            "node.kubernetes.io/pid-pressure", "NetworkUnavailable", "node.kubernetes.io/network-unavailable");

    private Taints() {}

    /**
     * The node's taints, and those that follow from its conditions. A node that is not Ready counts as tainted, even if
     * no node lifecycle controller adds the taint.
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

    /** Whether there is a NoSchedule or NoExecute taint that is not tolerated. */
    static boolean forbid(List<V1Taint> taints, List<V1Toleration> tolerations) {
        for (V1Taint taint : taints) {
            boolean forbids = "NoSchedule".equals(taint.getEffect()) || "NoExecute".equals(taint.getEffect());
            if (forbids && !Tolerations.tolerate(tolerations, taint)) {
                return true;
            }
        }
        return false;
    }

    /** The number of PreferNoSchedule taints that are not tolerated. */
    static int discourage(List<V1Taint> taints, List<V1Toleration> tolerations) {
        int count = 0;
        for (V1Taint taint : taints) {
            if ("PreferNoSchedule".equals(taint.getEffect()) && !Tolerations.tolerate(tolerations, taint)) {
                count++;
            }
        }
        return count;
    }

    /** Whether a pod tolerates cordoned nodes. */
    static boolean tolerateUnschedulable(List<V1Toleration> tolerations) {
        return Tolerations.tolerate(tolerations, new V1Taint().key(UNSCHEDULABLE).effect("NoSchedule"));
    }
}
