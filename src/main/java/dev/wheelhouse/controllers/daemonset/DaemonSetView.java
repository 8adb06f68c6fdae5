package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1DaemonSetSpec;
import io.kubernetes.client.openapi.models.V1RollingUpdateDaemonSet;

/**
 * The input of a decision about the pods of one DaemonSet.
 *
 * @param set the DaemonSet; it belongs to the cache, so nobody may change it
 * @param hash the name of the template's revision, which its pods have as a label
 * @param nodes all nodes, and those that do not exist but have pods
 * @param delays the delay before a failed pod may be deleted, by node; nodes without a delay are missing
 * @param now the current time
 */
record DaemonSetView(V1DaemonSet set, String hash, List<NodePods> nodes, Map<String, Duration> delays, Instant now) {
    int minReadySeconds() {
        Integer seconds = set.getSpec().getMinReadySeconds();
        return seconds == null ? 0 : seconds;
    }

    boolean isRollingUpdate() {
        return set.getSpec().getUpdateStrategy() != null
                && "RollingUpdate".equals(set.getSpec().getUpdateStrategy().getType());
    }

    /** The number of nodes that a rolling update may give a second pod, of the nodes that run one. */
    int maxSurge(int ofNodes) {
        V1RollingUpdateDaemonSet rolling = rolling(set.getSpec());
        return rolling == null ? 0 : scaled(rolling.getMaxSurge(), ofNodes);
    }

    /** The number of nodes that a rolling update may leave without an available pod. */
    int maxUnavailable(int ofNodes) {
        V1RollingUpdateDaemonSet rolling = rolling(set.getSpec());
        return rolling == null ? 0 : scaled(rolling.getMaxUnavailable(), ofNodes);
    }

    private @Nullable V1RollingUpdateDaemonSet rolling(V1DaemonSetSpec spec) {
        return isRollingUpdate() ? spec.getUpdateStrategy().getRollingUpdate() : null;
    }

    /** Percentages are rounded up. */
    private static int scaled(@Nullable IntOrString value, int of) {
        if (value == null) {
            return 0;
        }
        return value.isInteger()
                ? value.getIntValue()
                : Math.ceilDiv(Integer.parseInt(value.getStrValue().replace("%", "")) * of, 100);
    }
}
