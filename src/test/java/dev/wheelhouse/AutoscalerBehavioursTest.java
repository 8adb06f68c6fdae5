package dev.wheelhouse;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerCondition;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
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
        cluster.settle(controller.loops());
        cluster.clock.advance(PERIOD);
        cluster.settle(controller.loops());
    }

    private int replicas() {
        return cluster.read(ResourceType.DEPLOYMENTS, WEB, V1Deployment.class).getSpec().getReplicas();
    }

    private JsonNode status() {
        return cluster.json(AUTOSCALERS, WEB).path("status");
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
    void itAddsPodsWhileTheirUsageIsAboveTheTarget() {
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 80m");
        autoscaler(CPU_50);

        look();

        assertThat(replicas()).isEqualTo(5);
        assertThat(cluster.eventTexts()).containsExactly("Normal SuccessfulRescale New size: 5; reason: "
                + "cpu resource utilization (percentage of request) above target");
        assertThat(condition("AbleToScale"))
                .isEqualTo("True SucceededRescale: the HPA controller was able to update the target scale to 5");
        assertThat(condition("ScalingActive")).isEqualTo("True ValidMetricFound: the HPA was able to successfully "
                + "calculate a replica count from cpu resource utilization (percentage of request)");
        assertThat(condition("ScalingLimited"))
                .isEqualTo("False DesiredWithinRange: the desired count is within the acceptable range");
        assertThat(status().path("currentReplicas").asInt()).isEqualTo(3);
        assertThat(status().path("desiredReplicas").asInt()).isEqualTo(5);
        assertThat(status().path("currentMetrics"))
                .hasToString("[{\"resource\":{\"current\":{\"averageUtilization\":80,"
                        + "\"averageValue\":\"80m\"},\"name\":\"cpu\"},\"type\":\"Resource\"}]");
    }
}
