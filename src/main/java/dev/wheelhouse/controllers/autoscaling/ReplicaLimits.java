package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.IntBinaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V2HPAScalingPolicy;
import io.kubernetes.client.openapi.models.V2HPAScalingRules;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerBehavior;

import dev.wheelhouse.controllers.autoscaling.Memory.Entry;
import dev.wheelhouse.runtime.Durations;

/**
 * Limits the replicas that the metrics ask for: by stabilization windows, by the speed of changes, and by the bounds of
 * the autoscaler (upstream: {@code normalizeDesiredReplicas} in {@code horizontal.go}). Pure functions.
 *
 * @param current the replicas that the target asks for now
 * @param downscaleStabilization the window in which the highest recommendation counts, unless the behavior has one
 */
record ReplicaLimits(@Nullable V2HorizontalPodAutoscalerBehavior behavior, int least, int most, int current,
        Memory memory,
        Duration downscaleStabilization, Instant now) {
    private static final int FREELY_REACHED = 4;

    /**
     * Replicas with the reason for them, as a condition has it.
     *
     * @param changed whether they differ from what was asked for
     */
    record Limited(int replicas, boolean changed, String reason, String message) {}

    /** The replicas after the stabilization windows. */
    Limited stabilized(int wanted) {
        int stabilized = behavior == null
                ? memory.recommendations().stream().filter(entry -> !isBefore(entry, downscaleStabilization))
                        .mapToInt(Entry::replicas).reduce(wanted, Math::max)
                : stabilized(wanted, behavior);
        if (stabilized == wanted) {
            return new Limited(wanted, false, "ReadyForNewScale", "recommended size matches current size");
        }
        return behavior != null && wanted >= current
                ? new Limited(stabilized, true, "ScaleUpStabilized",
                        "recent recommendations were lower than current one, applying the lowest recent recommendation")
                : new Limited(stabilized, true, "ScaleDownStabilized",
                        "recent recommendations were higher than current "
                                + "one, applying the highest recent recommendation");
    }

    private int stabilized(int wanted, V2HorizontalPodAutoscalerBehavior rules) {
        Instant up = now.minus(window(rules.getScaleUp()));
        Instant down = now.minus(window(rules.getScaleDown()));
        int lowest = wanted;
        int highest = wanted;
        for (Entry entry : memory.recommendations()) {
            lowest = entry.at().isAfter(up) ? Math.min(lowest, entry.replicas()) : lowest;
            highest = entry.at().isAfter(down) ? Math.max(highest, entry.replicas()) : highest;
        }
        return Math.min(Math.max(current, lowest), highest);
    }

    /** The memory with a recommendation, as it was before the windows. */
    Memory remembering(int wanted) {
        return memory.withRecommendation(wanted, now, entry -> behavior == null
                ? isBefore(entry, downscaleStabilization)
                : isBefore(entry, window(behavior.getScaleUp())) && isBefore(entry, window(behavior.getScaleDown())));
    }

    private boolean isBefore(Entry entry, Duration window) {
        return entry.at().isBefore(now.minus(window));
    }

    /** The server sets the window for scaling up in each autoscaler that has a behavior. */
    private Duration window(V2HPAScalingRules rules) {
        Integer seconds = rules.getStabilizationWindowSeconds();
        return seconds == null ? downscaleStabilization : Duration.ofSeconds(seconds);
    }

    /** The replicas after the limits of speed and the bounds. */
    Limited bounded(int wanted) {
        return behavior == null ? boundedByDefault(wanted) : bounded(wanted, behavior);
    }

    private Limited boundedByDefault(int wanted) {
        int fastest = (int) Math.max(2.0 * current, FREELY_REACHED);
        return wanted < least ? tooFew(least) : wanted > Math.min(most, fastest) ? tooMany(fastest) : within(wanted);
    }

    private Limited bounded(int wanted, V2HorizontalPodAutoscalerBehavior rules) {
        if (wanted > current) {
            int fastest = Math.max(current, fastest(rules.getScaleUp(), 1));
            return wanted > Math.min(most, fastest) ? tooMany(fastest) : within(wanted);
        }
        if (wanted < current) {
            int fastest = Math.min(current, fastest(rules.getScaleDown(), -1));
            if (wanted >= Math.max(least, fastest)) {
                return within(wanted);
            }
            return least < fastest
                    ? new Limited(fastest, true, "ScaleDownLimit",
                            "the desired replica count is decreasing faster than the maximum scale rate")
                    : tooFew(least);
        }
        return within(wanted);
    }

    private static Limited within(int wanted) {
        return new Limited(wanted, false, "DesiredWithinRange", "the desired count is within the acceptable range");
    }

    private static Limited tooFew(int least) {
        return new Limited(least, true, "TooFewReplicas",
                "the desired replica count is less than the minimum replica count");
    }

    private Limited tooMany(int fastest) {
        return most > fastest
                ? new Limited(fastest, true, "ScaleUpLimit",
                        "the desired replica count is increasing faster than the maximum scale rate")
                : new Limited(most, true, "TooManyReplicas",
                        "the desired replica count is more than the maximum replica count");
    }

    /**
     * The farthest that the policies let the replicas go now.
     *
     * @param direction 1 for up, -1 for down
     */
    private int fastest(V2HPAScalingRules rules, int direction) {
        String select = Objects.requireNonNullElse(rules.getSelectPolicy(), "Max");
        if (select.equals("Disabled")) {
            return current;
        }
        boolean highest = select.equals("Min") == direction < 0;
        IntBinaryOperator choice = highest ? Math::max : Math::min;
        int result = highest ? Integer.MIN_VALUE : Integer.MAX_VALUE;
        for (V2HPAScalingPolicy policy : rules.getPolicies()) {
            int start = current - memory.changeSince(Durations.after(now, -(long) policy.getPeriodSeconds()));
            double share = start * (1 + direction * (double) policy.getValue() / 100);
            int reached = policy.getType().equals("Pods")
                    ? (int) Math.clamp(start + (long) direction * policy.getValue(), Integer.MIN_VALUE,
                            Integer.MAX_VALUE)
                    : (int) (direction > 0 ? Math.ceil(share) : share);
            result = choice.applyAsInt(result, reached);
        }
        return result;
    }

    /** The memory after a scaling; without a behavior no policy asks for it. */
    static Memory afterScaling(Memory memory, @Nullable V2HorizontalPodAutoscalerBehavior behavior, int from, int to,
            Instant now) {
        if (behavior == null) {
            return memory;
        }
        V2HPAScalingRules rules = to > from ? behavior.getScaleUp() : behavior.getScaleDown();
        int longest = rules.getPolicies().stream().mapToInt(V2HPAScalingPolicy::getPeriodSeconds).max().orElse(0);
        return memory.withScaling(from, to, now, Duration.ofSeconds(longest));
    }
}
