package dev.wheelhouse.controllers.deployment;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStrategy;

/**
 * The bounds of a rolling update, in pods (upstream: {@code ResolveFenceposts}, {@code MaxSurge},
 * {@code MaxUnavailable}). Percentages of surge are rounded up, those of unavailability down. If both are 0, one pod
 * may be unavailable. With another strategy both are 0.
 *
 * @param maxSurge the number of pods allowed above the desired number
 * @param maxUnavailable the number of pods that may be unavailable, at most the desired number
 */
record Fenceposts(int maxSurge, int maxUnavailable) {
    private static final IntOrString QUARTER = new IntOrString("25%");

    static Fenceposts of(V1Deployment deployment) {
        if (!isRollingUpdate(deployment)) {
            return new Fenceposts(0, 0);
        }
        V1DeploymentStrategy strategy = deployment.getSpec().getStrategy();
        var rolling = strategy == null ? null : strategy.getRollingUpdate();
        int replicas = replicas(deployment);
        int surge = scaled(rolling == null ? null : rolling.getMaxSurge(), replicas, true);
        int unavailable = scaled(rolling == null ? null : rolling.getMaxUnavailable(), replicas, false);
        if (surge == 0 && unavailable == 0) {
            unavailable = 1;
        }
        return new Fenceposts(surge, Math.min(unavailable, replicas));
    }

    static int replicas(V1Deployment deployment) {
        Integer replicas = deployment.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }

    static boolean isRollingUpdate(V1Deployment deployment) {
        return strategyType(deployment).equals("RollingUpdate");
    }

    static String strategyType(V1Deployment deployment) {
        V1DeploymentStrategy strategy = deployment.getSpec().getStrategy();
        return strategy == null || strategy.getType() == null ? "RollingUpdate" : strategy.getType();
    }

    /** The number of pods. A value that the API server does not accept counts as 0. */
    private static int scaled(@Nullable IntOrString value, int total, boolean roundUp) {
        IntOrString bound = value == null ? QUARTER : value;
        if (bound.isInteger()) {
            return Math.max(0, bound.getIntValue());
        }
        String text = bound.getStrValue();
        if (!text.endsWith("%")) {
            return 0;
        }
        try {
            long hundredths = Long.parseLong(text.substring(0, text.length() - 1)) * total;
            return (int) Math.clamp(roundUp ? Math.ceilDiv(hundredths, 100) : Math.floorDiv(hundredths, 100), 0,
                    Integer.MAX_VALUE);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
