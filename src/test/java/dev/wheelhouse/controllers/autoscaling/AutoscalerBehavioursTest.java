package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerCondition;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("What an autoscaler does")
class AutoscalerBehavioursTest {
    private static final ResourceType AUTOSCALERS = new ResourceType("autoscaling", "v2", "horizontalpodautoscalers",
            "HorizontalPodAutoscaler", true);
    private static final ObjectKey WEB = ObjectKey.of("default", "web");
    private static final Duration PERIOD = Duration.ofSeconds(15);

    private final Cluster cluster = new Cluster();
    private AutoscalerController controller;

    @BeforeEach
    void start() {
        controller = new AutoscalerController(cluster.context());
        cluster.settle(controller.loops());
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void deployment(int replicas) {
        cluster.create(ResourceType.DEPLOYMENTS, V1Deployment.class, """
                {metadata: {namespace: default, name: web}, spec: {replicas: %d, selector: {matchLabels: {app: web}},
                 template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}},
                 status: {replicas: %d}}""", replicas, replicas);
    }

    /** A pod that has been ready for ten minutes. */
    private void pod(String name, String annotations) {
        String then = cluster.clock.now().minus(Duration.ofMinutes(10)).toString();
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s, labels: {app: web}, annotations: {%s}},
                 spec: {containers: [{name: web, image: web, resources: {requests: {cpu: 100m, memory: 64Mi}}}]},
                 status: {phase: Running, startTime: '%s', conditions: [{type: Ready, status: 'True',
                  lastTransitionTime: '%s'}]}}""", name, annotations, then, then);
    }

    private void pods(int count, String annotations) {
        for (int i = 0; i < count; i++) {
            pod("web-" + i, annotations);
        }
    }

    private void autoscaler(String spec) {
        autoscaler("web", spec);
    }

    private void autoscaler(String name, String spec) {
        cluster.create(AUTOSCALERS, V2HorizontalPodAutoscaler.class, """
                {metadata: {namespace: default, name: %s}, spec: {scaleTargetRef: {apiVersion: apps/v1,
                 kind: Deployment, name: web}, %s}}""", name, spec);
    }

    /** Lets a period pass. */
    private void look() {
        look(PERIOD);
    }

    private void look(Duration period) {
        cluster.settle(controller.loops());
        cluster.clock.advance(period);
        cluster.settle(controller.loops());
    }

    private int replicas() {
        return cluster.read(ResourceType.DEPLOYMENTS, WEB, V1Deployment.class).getSpec().getReplicas();
    }

    private String condition(String type) {
        return cluster.read(AUTOSCALERS, WEB, V2HorizontalPodAutoscaler.class).getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type)).findFirst()
                .map(AutoscalerBehavioursTest::text).orElse("");
    }

    private static String text(V2HorizontalPodAutoscalerCondition condition) {
        return condition.getStatus() + " " + condition.getReason() + ": " + condition.getMessage();
    }

    private static final String CPU_50 = "maxReplicas: 10, metrics: [{type: Resource, resource: {name: cpu, "
            + "target: {type: Utilization, averageUtilization: 50}}}]";

    @Test
    void theOptionsSayHowOftenItLooksAndWhichDifferenceItTolerates() {
        controller = new AutoscalerController(cluster.context(Options.DEFAULTS.with(
                new ControllerOptions.HorizontalPodAutoscaler(Duration.ofSeconds(2), Duration.ZERO, 0.7, Duration.ZERO,
                        Duration.ZERO))));
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 80m");
        autoscaler(CPU_50);
        look(Duration.ofSeconds(2));
        assertThat(condition("ScalingActive")).startsWith("True");
        assertThat(replicas()).as("60 %% above the target").isEqualTo(3);

        cluster.edit(AUTOSCALERS, V2HorizontalPodAutoscaler.class, WEB, a -> a.getSpec().getMetrics().getFirst()
                .getResource().getTarget().setAverageUtilization(200));
        look(Duration.ofSeconds(2));
        assertThat(replicas()).as("60 %% below the target").isEqualTo(3);

        cluster.edit(AUTOSCALERS, V2HorizontalPodAutoscaler.class, WEB, a -> a.getSpec().getMetrics().getFirst()
                .getResource().getTarget().setAverageUtilization(300));
        look(Duration.ofSeconds(2));
        assertThat(replicas()).as("without a window").isEqualTo(1);
    }

    @Test
    void looksAndMetricsAreCountedByActionAndError() {
        deployment(3);
        autoscaler(CPU_50);
        look();
        assertThat(counted()).containsExactly(Map.entry("metric_computation_total{none,internal,Resource}", 1),
                Map.entry("num_horizontal_pod_autoscalers{}", 1),
                Map.entry("reconciliations_total{none,internal}", 1));

        pods(3, "hollow.wheelhouse.dev/cpu: 80m");
        look();
        assertThat(counted()).contains(Map.entry("desired_replicas{default,web}", 5),
                Map.entry("metric_computation_total{scale_up,none,Resource}", 1),
                Map.entry("reconciliations_total{scale_up,none}", 1));

        cluster.edit(AUTOSCALERS, V2HorizontalPodAutoscaler.class, WEB,
                autoscaler -> autoscaler.getSpec().getScaleTargetRef().setName("gone"));
        look();
        assertThat(counted()).contains(Map.entry("reconciliations_total{none,internal}", 2));

        cluster.delete(AUTOSCALERS, WEB);
        look();
        assertThat(counted()).containsEntry("num_horizontal_pod_autoscalers{}", 0)
                .doesNotContainKey("desired_replicas{default,web}");
    }

    /** The metrics, without durations. */
    private Map<String, Integer> counted() {
        Map<String, Integer> counted = new LinkedHashMap<>();
        cluster.measures.forEach((name, value) -> {
            if (!name.contains("duration")) {
                counted.put(name.replace("horizontal_pod_autoscaler_controller_", ""), value.intValue());
            }
        });
        return counted;
    }

    @Test
    void itRemovesPodsWhenTheirUsageHasBeenBelowTheTargetForFiveMinutes() {
        deployment(4);
        pods(4, "hollow.wheelhouse.dev/cpu: 20m");
        autoscaler(CPU_50);

        for (int i = 0; i < 20; i++) {
            look();
            assertThat(replicas()).isEqualTo(4);
            assertThat(condition("AbleToScale"))
                    .isEqualTo("True ScaleDownStabilized: recent recommendations were higher "
                            + "than current one, applying the highest recent recommendation");
        }
        look();
        look();

        assertThat(replicas()).isEqualTo(2);
        assertThat(cluster.eventTexts())
                .containsExactly("Normal SuccessfulRescale New size: 2; reason: All metrics below target");
    }

    @Test
    void aToleranceOfTheAutoscalerReplacesTheTenPercent() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 54m");
        autoscaler(CPU_50 + ", behavior: {scaleUp: {tolerance: 50m}}");
        look();
        assertThat(replicas()).isEqualTo(3);
    }

    @Test
    void itIsLookedAtOnceInFifteenSecondsHoweverOftenItChanges() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 50m");
        autoscaler(CPU_50);
        cluster.settle(controller.loops());
        for (int i = 1; i <= 14; i++) {
            cluster.clock.advance(Duration.ofSeconds(1));
            int most = 10 + i;
            cluster.edit(AUTOSCALERS, V2HorizontalPodAutoscaler.class, WEB, web -> web.getSpec().setMaxReplicas(most));
            cluster.settle(controller.loops());
        }
        assertThat(cluster.requests.take()).doesNotContain("get deployments.apps default/web");
        cluster.clock.advance(Duration.ofSeconds(1));
        cluster.settle(controller.loops());
        assertThat(cluster.requests.take()).containsOnlyOnce("get deployments.apps default/web");
    }

    @Test
    void ofSeveralMetricsTheOneThatAsksForTheMostDecides() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 50m, metric.hollow.wheelhouse.dev/requests: '30'");
        autoscaler("maxReplicas: 10, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
                + "averageUtilization: 50}}}, {type: Pods, pods: {metric: {name: requests}, target: {type: "
                + "AverageValue, "
                + "averageValue: 10}}}]");
        look();
        assertThat(replicas()).as("at most the double or four").isEqualTo(4);
        assertThat(cluster.eventTexts())
                .containsExactly("Normal SuccessfulRescale New size: 4; reason: pods metric requests above target");
    }

    @Test
    void theUsageOfAPodThatHasJustBecomeReadyDoesNotCountYet() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 80m");
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "web-1"), pod -> {
            pod.getStatus().setStartTime(pod.getStatus().getStartTime().plusMinutes(9));
            pod.getStatus().getConditions().getFirst().setLastTransitionTime(
                    cluster.clock.now().plusSeconds(10).atOffset(ZoneOffset.UTC));
        });
        autoscaler(CPU_50);
        look();
        assertThat(replicas()).isEqualTo(2);
        look();
        assertThat(replicas()).isEqualTo(4);
    }

    @Test
    void twoAutoscalersOfTheSamePodsAreBothStopped() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 80m");
        autoscaler(CPU_50);
        autoscaler("other", CPU_50);
        look();
        look();
        assertThat(condition("ScalingActive")).isEqualTo("False AmbiguousSelector: pods by selector app=web are "
                + "controlled by multiple HPAs: [default/other default/web]");
        int replicas = replicas();

        cluster.delete(AUTOSCALERS, ObjectKey.of("default", "other"));
        look();
        assertThat(condition("ScalingActive")).startsWith("True ValidMetricFound");
        assertThat(replicas()).isGreaterThanOrEqualTo(replicas);
    }

    @Test
    void anAutoscalerThatObservesPlansTheScale() {
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 80m");
        autoscaler(CPU_50);
        cluster.settle(controller.loops());
        assertThat(controller.plan(WEB)).filteredOn(Action.Write.class::isInstance)
                .extracting(write -> ((Action.Write) write).verb()).containsExactly("update_scale", "update_status");
        assertThat(cluster.requests.takeWrites()).isEmpty();
        assertThat(replicas()).isEqualTo(3);
    }
}
