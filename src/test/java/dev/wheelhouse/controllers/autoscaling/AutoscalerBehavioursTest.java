package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerOptions;
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

    @Test
    void theOptionsSayHowOftenItLooksAndWhichDifferenceItTolerates() {
        controller = new AutoscalerController(cluster.context(ControllerOptions.DEFAULTS.with(
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
    void aUsageNearTheTargetChangesNothingAndWritesNoStatusTwice() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 54m");
        autoscaler(CPU_50);
        look();
        assertThat(condition("AbleToScale"))
                .isEqualTo("True ReadyForNewScale: recommended size matches current size");
        assertThat(cluster.requests.takeWrites())
                .containsExactly("update horizontalpodautoscalers.autoscaling/status default/web");

        look();
        look();
        assertThat(cluster.requests.takeWrites()).isEmpty();
        assertThat(cluster.events).isEmpty();
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
    void replicasOutsideTheBoundsAreCorrectedWithoutMetrics() {
        deployment(12);
        autoscaler("minReplicas: 2, " + CPU_50);
        look();
        assertThat(replicas()).isEqualTo(10);
        assertThat(cluster.eventTexts()).containsExactly(
                "Normal SuccessfulRescale New size: 10; reason: Current number of replicas above Spec.MaxReplicas");
        assertThat(status().has("currentMetrics") && !status().path("currentMetrics").isNull()).isFalse();

        cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, WEB, web -> web.getSpec().setReplicas(1));
        look();
        assertThat(replicas()).isEqualTo(2);
        assertThat(cluster.eventTexts()).last().isEqualTo(
                "Normal SuccessfulRescale New size: 2; reason: Current number of replicas below Spec.MinReplicas");
    }

    @Test
    void replicasNeverExceedTheBounds() {
        deployment(4);
        pods(4, "hollow.wheelhouse.dev/cpu: 1000m");
        autoscaler(CPU_50.replace("10", "6"));
        look();
        assertThat(replicas()).isEqualTo(6);
        assertThat(condition("ScalingLimited")).isEqualTo(
                "True TooManyReplicas: the desired replica count is more than the maximum replica count");
    }

    @Test
    void withoutABehaviorReplicasAtMostDoubleInOneStepAboveFour() {
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 1000m");
        autoscaler(CPU_50.replace("10", "100"));
        look();
        assertThat(replicas()).isEqualTo(6);
        assertThat(condition("ScalingLimited")).isEqualTo("True ScaleUpLimit: the desired replica count is increasing "
                + "faster than the maximum scale rate");
    }

    @Test
    void aTargetWithoutReplicasIsLeftAlone() {
        deployment(0);
        autoscaler(CPU_50);
        look();
        assertThat(replicas()).isZero();
        assertThat(condition("ScalingActive")).isEqualTo(
                "False ScalingDisabled: scaling is disabled since the replica count of the target is zero");
        assertThat(cluster.events).isEmpty();
    }

    @Test
    void aTargetThatIsMissingIsReportedUntilItComes() {
        autoscaler(CPU_50);
        look();
        String problem = "deployments.apps \"web\" not found";
        assertThat(condition("AbleToScale")).isEqualTo(
                "False FailedGetScale: the HPA controller was unable to get the target's current scale: " + problem);
        assertThat(cluster.eventTexts()).containsExactly("Warning FailedGetScale " + problem);

        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 50m");
        look();
        assertThat(condition("AbleToScale")).startsWith("True ReadyForNewScale");
    }

    @Test
    void aKindThatIsNotServedIsReported() {
        cluster.create(AUTOSCALERS, V2HorizontalPodAutoscaler.class, """
                {metadata: {namespace: default, name: web}, spec: {maxReplicas: 3, scaleTargetRef:
                 {apiVersion: example.com/v1, kind: Gadget, name: web}}}""");
        look();
        assertThat(cluster.eventTexts())
                .containsExactly("Warning FailedGetScale no matches for kind \"Gadget\" in group \"example.com\"");
    }

    @Test
    void metricsThatAreMissingAreReportedAndTheReplicasStay() {
        deployment(2);
        autoscaler(CPU_50);
        look();
        assertThat(replicas()).isEqualTo(2);
        String problem = "failed to get cpu utilization: unable to get metrics for resource cpu: "
                + "no metrics returned from resource metrics API";
        assertThat(condition("ScalingActive")).isEqualTo(
                "False FailedGetResourceMetric: the HPA was unable to compute the replica count: " + problem);
        assertThat(cluster.eventTexts()).containsExactly("Warning FailedGetResourceMetric " + problem,
                "Warning FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: "
                        + "failed to get cpu resource metric value: " + problem);
        assertThat(status().path("currentMetrics")).hasToString("[{\"type\":\"\"}]");
        assertThat(status().path("currentReplicas").asInt()).isEqualTo(2);
    }

    @Test
    void aContainerThatThePodsDoNotHaveIsReported() {
        deployment(1);
        pods(1, "hollow.wheelhouse.dev/cpu: 50m");
        autoscaler(
                "maxReplicas: 3, metrics: [{type: ContainerResource, containerResource: {name: cpu, container: other, "
                        + "target: {type: Utilization, averageUtilization: 50}}}]");
        look();
        assertThat(condition("ScalingActive"))
                .isEqualTo("False FailedGetContainerResourceMetric: the HPA was unable to "
                        + "compute the replica count: failed to get cpu utilization: did not receive metrics for "
                        + "targeted pods "
                        + "(pods might be unready)");
    }

    @Test
    void aPodWithoutARequestIsReported() {
        deployment(1);
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: web-0, labels: {app: web}}, spec: {containers: [{name: web,
                 image: web}]}, status: {phase: Running, startTime: '2020-01-01T00:00:00Z', conditions: [{type: Ready,
                 status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z'}]}}""");
        autoscaler(CPU_50);
        look();
        assertThat(cluster.eventTexts().getFirst()).isEqualTo("Warning FailedGetResourceMetric failed to get cpu "
                + "utilization: missing request for cpu in container web of Pod web-0");
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
    void aMetricThatFailsKeepsPodsFromBeingRemovedButNotFromBeingAdded() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 90m");
        String other = "{type: Pods, pods: {metric: {name: requests}, target: {type: AverageValue, averageValue: 10}}}";
        autoscaler(CPU_50.replace("metrics: [", "metrics: [" + other + ", "));
        look();
        assertThat(replicas()).isEqualTo(4);
        assertThat(cluster.eventTexts()).containsExactly(
                "Warning FailedGetPodsMetric unable to get metric requests: no "
                        + "metrics returned from custom metrics API",
                "Normal SuccessfulRescale New size: 4; reason: "
                        + "cpu resource utilization (percentage of request) above target");

        pods().forEach(pod -> annotate(pod, "hollow.wheelhouse.dev/cpu", "1m"));
        look();
        assertThat(condition("ScalingActive")).startsWith("False FailedGetPodsMetric: the HPA was unable to compute");
        assertThat(replicas()).isEqualTo(4);
    }

    private List<ObjectKey> pods() {
        return cluster.all(ResourceType.PODS, V1Pod.class).stream().map(ObjectKey::of).toList();
    }

    private void annotate(ObjectKey pod, String annotation, String value) {
        cluster.edit(ResourceType.PODS, V1Pod.class, pod,
                each -> each.getMetadata().putAnnotationsItem(annotation, value));
    }

    @Test
    void anAverageValueOfMemoryIsCountedInBytes() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/memory: 96Mi");
        autoscaler("maxReplicas: 10, metrics: [{type: Resource, resource: {name: memory, target: {type: AverageValue, "
                + "averageValue: 64Mi}}}]");
        look();
        assertThat(replicas()).isEqualTo(3);
        assertThat(status().at("/currentMetrics/0/resource/current/averageValue").asString()).isEqualTo("96Mi");
        assertThat(cluster.eventTexts())
                .containsExactly("Normal SuccessfulRescale New size: 3; reason: memory resource above target");
    }

    @Test
    void aMetricOfAnObjectIsComparedWithItsTarget() {
        deployment(2);
        pods(2, "");
        annotateNamespace("metric.hollow.wheelhouse.dev/jobs", "30");
        autoscaler(
                "maxReplicas: 10, metrics: [{type: Object, object: {describedObject: {apiVersion: v1, kind: Namespace, "
                        + "name: default}, metric: {name: jobs}, target: {type: Value, value: 20}}}]");
        look();
        assertThat(replicas()).isEqualTo(3);
        assertThat(cluster.eventTexts())
                .containsExactly("Normal SuccessfulRescale New size: 3; reason: Namespace metric jobs above target");

        cluster.edit(ResourceType.NAMESPACES, V1Namespace.class, ObjectKey.cluster("default"),
                namespace -> namespace.getMetadata().setAnnotations(null));
        look();
        assertThat(condition("ScalingActive"))
                .isEqualTo("False FailedGetObjectMetric: the HPA was unable to compute the "
                        + "replica count: unable to get metric jobs: Namespace on default default/unable to fetch "
                        + "metrics from "
                        + "custom metrics API: the server could not find the metric jobs for namespaces default");
    }

    private void annotateNamespace(String annotation, String value) {
        cluster.edit(ResourceType.NAMESPACES, V1Namespace.class, ObjectKey.cluster("default"),
                namespace -> namespace.getMetadata().putAnnotationsItem(annotation, value));
    }

    @Test
    void anExternalMetricIsSharedByThePods() {
        deployment(2);
        pods(2, "");
        annotateNamespace("external-metric.hollow.wheelhouse.dev/queue", "queue=mail 24; queue=orders 100");
        autoscaler(
                "maxReplicas: 10, metrics: [{type: External, external: {metric: {name: queue, selector: {matchLabels: "
                        + "{queue: mail}}}, target: {type: AverageValue, averageValue: 8}}}]");
        look();
        assertThat(replicas()).isEqualTo(3);
        assertThat(cluster.eventTexts())
                .containsExactly("Normal SuccessfulRescale New size: 3; reason: external metric "
                        + "queue(&LabelSelector{MatchLabels:map[string]string{queue: mail,},"
                        + "MatchExpressions:[]LabelSelectorRequirement{},}) above target");
        assertThat(status().at("/currentMetrics/0/external/current/averageValue").asString()).isEqualTo("12");

        annotateNamespace("external-metric.hollow.wheelhouse.dev/queue", "");
        look();
        assertThat(condition("ScalingActive")).endsWith("unable to get external metric default/queue/&LabelSelector{"
                + "MatchLabels:map[string]string{queue: mail,},MatchExpressions:[]LabelSelectorRequirement{},}: "
                + "no metrics returned from external metrics API");
    }

    @Test
    void podsThatStartCountAsIdleBeforeMoreAreAdded() {
        deployment(4);
        pods(2, "hollow.wheelhouse.dev/cpu: 80m");
        for (String name : List.of("new-1", "new-2")) {
            pod(name, "hollow.wheelhouse.dev/cpu: 80m");
            cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", name),
                    pod -> pod.getStatus().setPhase("Pending"));
        }
        autoscaler(CPU_50);
        look();
        assertThat(replicas()).as("80 % of two pods are 40 % of four").isEqualTo(4);
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
    void policiesLimitTheSpeedOfChanges() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 1000m");
        autoscaler(CPU_50 + ", behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 30}]}}");
        look();
        assertThat(replicas()).isEqualTo(3);
        look();
        assertThat(replicas()).as("one in thirty seconds").isEqualTo(3);
        assertThat(condition("ScalingLimited")).isEqualTo("True ScaleUpLimit: the desired replica count is increasing "
                + "faster than the maximum scale rate");
        look();
        assertThat(replicas()).isEqualTo(4);
    }

    @Test
    void aDisabledPolicyStopsOneDirection() {
        deployment(4);
        pods(4, "hollow.wheelhouse.dev/cpu: 1m");
        autoscaler(CPU_50 + ", behavior: {scaleDown: {selectPolicy: Disabled, stabilizationWindowSeconds: 0}}");
        look();
        look();
        assertThat(replicas()).isEqualTo(4);
        assertThat(condition("ScalingLimited"))
                .isEqualTo("True ScaleDownLimit: the desired replica count is decreasing "
                        + "faster than the maximum scale rate");
    }

    @Test
    void aWindowForScalingUpTakesTheLowestRecommendation() {
        deployment(2);
        pods(2, "hollow.wheelhouse.dev/cpu: 100m");
        autoscaler(CPU_50 + ", behavior: {scaleUp: {stabilizationWindowSeconds: 40}}");
        look();
        assertThat(replicas()).isEqualTo(2);
        assertThat(condition("AbleToScale")).isEqualTo("True ScaleUpStabilized: recent recommendations were lower than "
                + "current one, applying the lowest recent recommendation");
        look();
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
    void aConflictIsTriedAgainWithTheNewVersion() {
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 80m");
        autoscaler(CPU_50);
        cluster.requests.failNext("update deployments.apps/scale", 409, "Conflict", "it has changed");
        look();
        assertThat(replicas()).isEqualTo(5);
        assertThat(condition("AbleToScale")).startsWith("True SucceededRescale");
    }

    @Test
    void aScaleThatIsRefusedIsReportedAndTriedInTheNextPeriod() {
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 80m");
        autoscaler(CPU_50);
        cluster.requests.failNext("update deployments.apps/scale", 422, "Invalid", "not today");
        look();
        assertThat(replicas()).isEqualTo(3);
        assertThat(condition("AbleToScale")).isEqualTo(
                "False FailedUpdateScale: the HPA controller was unable to update the target scale: not today");
        assertThat(cluster.eventTexts()).containsExactly("Warning FailedRescale New size: 5; reason: "
                + "cpu resource utilization (percentage of request) above target; error: not today");
        assertThat(status().path("desiredReplicas").asInt()).isZero();
        look();
        assertThat(replicas()).isEqualTo(5);
    }

    @Test
    void aStatusThatIsRefusedIsReportedAndTriedInTheNextPeriod() {
        deployment(3);
        pods(3, "hollow.wheelhouse.dev/cpu: 50m");
        autoscaler(CPU_50);
        cluster.requests.failNext("update horizontalpodautoscalers.autoscaling/status", 500, "InternalError", "etcd");
        look();
        assertThat(cluster.eventTexts()).containsExactly("Warning FailedUpdateStatus etcd");
        look();
        assertThat(condition("ScalingActive")).startsWith("True ValidMetricFound");
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
