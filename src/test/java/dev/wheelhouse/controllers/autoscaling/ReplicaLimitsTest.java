package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerBehavior;

import dev.wheelhouse.controller.ControllerOptions.HorizontalPodAutoscaler;
import dev.wheelhouse.controllers.autoscaling.Memory.Entry;
import dev.wheelhouse.controllers.autoscaling.ReplicaLimits.Limited;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The limits of an autoscaler")
class ReplicaLimitsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration WINDOW = HorizontalPodAutoscaler.DEFAULTS.downscaleStabilization();

    /** Entries such as {@code 5@30}: 5 replicas, 30 s ago. */
    private static List<Entry> entries(@Nullable String text) {
        List<Entry> entries = new ArrayList<>();
        if (text != null && !text.isEmpty()) {
            for (String entry : text.split(" ")) {
                String[] parts = entry.split("@");
                entries.add(new Entry(Integer.parseInt(parts[0]), NOW.minusSeconds(Long.parseLong(parts[1]))));
            }
        }
        return entries;
    }

    private static V2HorizontalPodAutoscalerBehavior behavior(String up, String down) {
        return Yaml.read("{scaleUp: {%s}, scaleDown: {%s}}".formatted(up, down),
                V2HorizontalPodAutoscalerBehavior.class);
    }

    private static String policies(String text) {
        List<String> policies = new ArrayList<>();
        for (String policy : text.split(" ")) {
            String[] parts = policy.split("/");
            boolean percent = parts[0].endsWith("%");
            policies.add("{type: %s, value: %s, periodSeconds: %s}".formatted(percent ? "Percent" : "Pods",
                    parts[0].replace("%", ""), parts[1]));
        }
        return "policies: [" + String.join(", ", policies) + "]";
    }

    @ParameterizedTest(name = "{0} wanted, remembered {1}: {2}")
    @CsvSource({
            "5, , 5",
            "5, 3@60, 5",
            "5, 8@60, 8",
            "5, 8@299 9@301, 8",
            "5, 8@300, 8",
            "8, 5@10, 8",
    })
    void withoutABehaviorTheHighestRecommendationOfFiveMinutesCounts(int wanted, @Nullable String remembered,
            int expected) {
        ReplicaLimits limits = new ReplicaLimits(null, 1, 100, 8, new Memory(entries(remembered), List.of(), List.of()),
                WINDOW, NOW);
        assertThat(limits.stabilized(wanted).replicas()).isEqualTo(expected);
    }

    @Test
    void theWindowWithoutABehaviorIsAnOption() {
        Memory memory = new Memory(entries("8@30"), List.of(), List.of());
        assertThat(new ReplicaLimits(null, 1, 100, 8, memory, Duration.ofSeconds(29), NOW).stabilized(5).replicas())
                .isEqualTo(5);
        assertThat(new ReplicaLimits(null, 1, 100, 8, memory, Duration.ofSeconds(30), NOW).stabilized(5).replicas())
                .isEqualTo(8);
    }

    @ParameterizedTest(name = "{0} now, {1} wanted, windows {2} s up and {3} s down, remembered {4}: {5}")
    @CsvSource({
            "5, 8, 0, 300, '', 8",
            "5, 8, 60, 300, 6@30, 6",
            "5, 8, 60, 300, 6@60, 8",
            "5, 8, 60, 300, 3@30, 5",
            "5, 2, 0, 60, 4@30, 4",
            "5, 2, 0, 60, 4@60, 2",
            "5, 2, 0, 60, 9@30, 5",
            "5, 2, 0, 0, 9@30, 2",
            // A recommendation that is in both windows stops both directions.
            "5, 2, 60, 60, 9@30, 5",
            "5, 9, 60, 60, 2@30, 5",
    })
    void withABehaviorEachDirectionHasItsWindow(int current, int wanted, int up, int down, @Nullable String remembered,
            int expected) {
        ReplicaLimits limits = new ReplicaLimits(
                behavior("stabilizationWindowSeconds: " + up, "stabilizationWindowSeconds: " + down),
                1, 100, current, new Memory(entries(remembered), List.of(), List.of()), WINDOW, NOW);
        Limited stabilized = limits.stabilized(wanted);
        assertThat(stabilized.replicas()).isEqualTo(expected);
        assertThat(stabilized.reason()).isEqualTo(expected == wanted
                ? "ReadyForNewScale"
                : wanted >= current ? "ScaleUpStabilized" : "ScaleDownStabilized");
    }

    @ParameterizedTest(name = "{0} now, {1} wanted, from {2} to {3}: {4} {5}")
    @CsvSource({
            "3, 5, 1, 10, 5, DesiredWithinRange",
            "1, 9, 1, 10, 4, ScaleUpLimit",
            "3, 9, 1, 10, 6, ScaleUpLimit",
            "3, 9, 1, 5, 5, TooManyReplicas",
            "3, 9, 1, 6, 6, TooManyReplicas",
            "3, 1, 2, 10, 2, TooFewReplicas",
            "3, 0, 1, 10, 1, TooFewReplicas",
    })
    void withoutABehaviorReplicasDoubleAtMostAboveFour(int current, int wanted, int least, int most, int expected,
            String reason) {
        Limited bounded = new ReplicaLimits(null, least, most, current, Memory.EMPTY, WINDOW, NOW).bounded(wanted);
        assertThat(bounded.replicas()).isEqualTo(expected);
        assertThat(bounded.reason()).isEqualTo(reason);
        assertThat(bounded.changed()).isEqualTo(expected != wanted);
    }

    @ParameterizedTest(name = "{0} now, {1} wanted, {2} {3}, added {4}, removed {5}: {6} {7}")
    @CsvSource({
            "10, 30, Max, 4/15 100%/15, '', '', 20, ScaleUpLimit",
            "10, 30, Min, 4/15 100%/15, '', '', 14, ScaleUpLimit",
            "10, 30, Disabled, 4/15, '', '', 10, ScaleUpLimit",
            "10, 13, Max, 4/15, '', '', 13, DesiredWithinRange",
            "10, 60, Max, 100/15, '', '', 50, TooManyReplicas",
            "10, 30, Max, 4/60, 3@30, '', 11, ScaleUpLimit",
            "10, 30, Max, 4/60, 3@60, '', 14, ScaleUpLimit",
            "10, 30, Max, 4/60, 9@30, '', 10, ScaleUpLimit",
            "10, 30, Max, 4/60, '', 2@30, 16, ScaleUpLimit",
            // Ten percent of one pod is one pod.
            "1, 30, Max, 10%/15, '', '', 2, ScaleUpLimit",
            "10, 1, Max, 4/15 50%/15, '', '', 5, ScaleDownLimit",
            "10, 1, Min, 4/15 50%/15, '', '', 6, ScaleDownLimit",
            "10, 1, Disabled, 4/15, '', '', 10, ScaleDownLimit",
            "10, 8, Max, 4/15, '', '', 8, DesiredWithinRange",
            "10, 1, Max, 100%/15, '', '', 2, TooFewReplicas",
            "10, 1, Max, 4/60, '', 3@30, 9, ScaleDownLimit",
            "10, 1, Max, 4/60, '', 9@30, 10, ScaleDownLimit",
            "10, 1, Max, 4/60, 2@30, '', 4, ScaleDownLimit",
            "10, 10, Max, 4/15, '', '', 10, DesiredWithinRange",
    })
    void policiesLimitTheChangeInTheirPeriods(int current, int wanted, String select, String policies,
            @Nullable String added, @Nullable String removed, int expected, String reason) {
        String rules = "selectPolicy: " + select + ", " + policies(policies);
        ReplicaLimits limits = new ReplicaLimits(behavior(rules, rules), 2, 50, current,
                new Memory(List.of(), entries(added), entries(removed)), WINDOW, NOW);
        Limited bounded = limits.bounded(wanted);
        assertThat(bounded.replicas()).isEqualTo(expected);
        assertThat(bounded.reason()).isEqualTo(reason);
        assertThat(bounded.changed()).isEqualTo(expected != wanted);
    }

    @Test
    void recommendationsThatNoWindowNeedsAreReplaced() {
        Memory memory = new Memory(entries("5@301 6@30"), List.of(), List.of());
        Memory after = new ReplicaLimits(null, 1, 10, 5, memory, WINDOW, NOW).remembering(7);
        assertThat(after.recommendations()).containsExactly(new Entry(7, NOW), new Entry(6, NOW.minusSeconds(30)));
        assertThat(new ReplicaLimits(null, 1, 10, 5, after, WINDOW, NOW).remembering(8).recommendations()).hasSize(3);
    }

    @Test
    void scalingsThatNoPolicyNeedsAreReplaced() {
        V2HorizontalPodAutoscalerBehavior behavior = behavior(policies("1/60 2/30"), policies("1/15"));
        Memory memory = new Memory(List.of(), entries("3@61 1@59"), entries("1@20"));
        Memory up = ReplicaLimits.afterScaling(memory, behavior, 3, 5, NOW);
        assertThat(up.ups()).containsExactly(new Entry(2, NOW), new Entry(1, NOW.minusSeconds(59)));
        Memory down = ReplicaLimits.afterScaling(memory, behavior, 5, 2, NOW);
        assertThat(down.downs()).containsExactly(new Entry(3, NOW));
        assertThat(ReplicaLimits.afterScaling(memory, null, 5, 2, NOW)).isEqualTo(memory);
    }
}
