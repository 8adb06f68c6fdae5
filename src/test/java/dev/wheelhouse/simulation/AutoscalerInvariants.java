package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;

import static dev.wheelhouse.simulation.Truth.name;

/** An autoscaler scales to a size within its limits, and down only when its window since the last rise is over. */
final class AutoscalerInvariants implements Invariant {
    private static final ResourceType AUTOSCALERS = Api.type("horizontalpodautoscaler");
    private static final int DEFAULT_WINDOW_SECONDS = 300;

    private final Truth truth;
    private final RunHistory history;
    /** When the target was last scaled up, by the target's name. */
    private final Map<String, Instant> rises = new HashMap<>();
    /** The size from which the write that is being made may raise the target because of its metrics, by its name. */
    private final Map<String, Integer> sizes = new HashMap<>();

    AutoscalerInvariants(Truth truth, RunHistory history) {
        this.truth = truth;
        this.history = history;
    }

    @Override
    public List<String> before(Write write) {
        V1Scale scale = scale(write);
        V2HorizontalPodAutoscaler read = scale == null ? null : reader(write, name(scale));
        if (read == null) {
            return List.of();
        }
        int now = live(name(scale));
        int to = size(scale);
        int least = read.getSpec().getMinReplicas() == null ? 1 : read.getSpec().getMinReplicas();
        // A rise to the lower limit is no recommendation, so that nothing holds it.
        sizes.put(name(scale), now < least ? to : now);
        List<String> wrong = new ArrayList<>();
        if (to < least || to > read.getSpec().getMaxReplicas()) {
            wrong.add(
                    "the autoscaler " + name(read) + " scales to " + to + ", and it read the limits " + least + " and "
                            + read.getSpec().getMaxReplicas());
        }
        Instant rise = rises.get(name(scale));
        Duration window = Duration.ofSeconds(window(read));
        if (to < now && now <= read.getSpec().getMaxReplicas() && rise != null
                && history.now().isBefore(rise.plus(window))) {
            wrong.add("the autoscaler " + name(read) + " scales down from " + now + " to " + to + " within "
                    + window.toSeconds() + " s of a rise");
        }
        return wrong;
    }

    @Override
    public void after(Write write) {
        V1Scale scale = scale(write);
        if (scale != null && size(scale) > sizes.getOrDefault(name(scale), 0)) {
            rises.put(name(scale), history.now());
        }
    }

    private static @Nullable V1Scale scale(Write write) {
        return write.controller().equals(AutoscalerController.NAME) ? write.object(V1Scale.class) : null;
    }

    private static int size(V1Scale scale) {
        return scale.getSpec() == null || scale.getSpec().getReplicas() == null ? 0 : scale.getSpec().getReplicas();
    }

    private static @Nullable V2HorizontalPodAutoscaler reader(Write write, String target) {
        return write.read(AUTOSCALERS, V2HorizontalPodAutoscaler.class).stream()
                .filter(a -> a.getSpec().getScaleTargetRef().getName().equals(target)).findFirst().orElse(null);
    }

    private static int window(V2HorizontalPodAutoscaler autoscaler) {
        var behavior = autoscaler.getSpec().getBehavior();
        Integer seconds = behavior == null || behavior.getScaleDown() == null
                ? null
                : behavior.getScaleDown().getStabilizationWindowSeconds();
        return seconds == null ? DEFAULT_WINDOW_SECONDS : seconds;
    }

    private int live(String deployment) {
        return truth.deployments().stream().filter(d -> name(d).equals(deployment))
                .map(d -> d.getSpec().getReplicas()).findFirst().orElse(0);
    }
}
