package dev.wheelhouse.api;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Matches a pod's tolerations with taints (upstream: {@code api/core/v1/toleration.go}). */
public final class Tolerations {
    private Tolerations() {}

    /** Whether one of these tolerations tolerates the taint. */
    public static boolean tolerate(List<V1Toleration> tolerations, V1Taint taint) {
        return first(tolerations, taint) != null;
    }

    /** The first of these tolerations that tolerates the taint; null if none does. */
    public static @Nullable V1Toleration first(List<V1Toleration> tolerations, V1Taint taint) {
        for (V1Toleration toleration : tolerations) {
            if (tolerates(toleration, taint)) {
                return toleration;
            }
        }
        return null;
    }

    private static boolean tolerates(V1Toleration toleration, V1Taint taint) {
        if (!orEmpty(toleration.getEffect()).isEmpty() && !toleration.getEffect().equals(taint.getEffect())) {
            return false;
        }
        if (!orEmpty(toleration.getKey()).isEmpty() && !toleration.getKey().equals(taint.getKey())) {
            return false;
        }
        return switch (orEmpty(toleration.getOperator())) {
            case "", "Equal" -> orEmpty(toleration.getValue()).equals(orEmpty(taint.getValue()));
            case "Exists" -> true;
            case "Lt" -> LabelSelector.compare(taint.getValue(), toleration.getValue()) < 0;
            case "Gt" -> LabelSelector.compare(taint.getValue(), toleration.getValue()) > 0;
            default -> false;
        };
    }
}
