package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ScaleClientTest {
    private static final ResourceType GADGETS = new ResourceType("example.com", "v1", "gadgets", "Gadget", true);
    private static final ResourceType HORIZONTAL_POD_AUTOSCALERS = new ResourceType("autoscaling", "v2",
            "horizontalpodautoscalers", "HorizontalPodAutoscaler", true);
    private static final ResourceType BUDGETS = new ResourceType("policy", "v1", "poddisruptionbudgets",
            "PodDisruptionBudget", true);
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();
    private final ScaleClient scales = new ScaleClient(cluster.client(),
            new ResourceMapper(cluster.client(), cluster.clock));
    private final ActionExecutor executor = cluster.context().executor("test");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aDeploymentIsScaled() {
        deployment(3);
        ScaleClient.Scaled scaled = scales.get("apps/v1", "Deployment", WEB);
        assertThat(scaled.replicas()).isEqualTo(3);
        assertThat(scaled.scale().getStatus().getSelector()).isEqualTo("app=web");

        assertThat(executor.execute(WEB, List.of(scaled.withReplicas(5, "there is work"))).succeeded()).isTrue();
        assertThat(scales.get("apps/v1", "Deployment", WEB).replicas()).isEqualTo(5);
        assertThat(scaled.replicas()).as("the scale that was read").isEqualTo(3);
        assertThat(cluster.requests.takeWrites()).containsExactly("update deployments.apps/scale default/web");
    }

    @Test
    void theVersionInAReferenceNamesOnlyTheGroup() {
        deployment(3);
        assertThat(scales.get("apps/v1beta1", "Deployment", WEB).replicas()).isEqualTo(3);
    }

    @Test
    void aScaleOfAnObjectThatHasChangedIsNotWritten() {
        deployment(3);
        ScaleClient.Scaled scaled = scales.get("apps/v1", "Deployment", WEB);
        cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, WEB, web -> web.getSpec().setReplicas(4));

        KubeApiException error = executor.execute(WEB, List.of(scaled.withReplicas(5, "there is work"))).error();
        assertThat(error).isNotNull();
        assertThat(error.isConflict()).isTrue();
        assertThat(scales.get("apps/v1", "Deployment", WEB).replicas()).isEqualTo(4);
    }

    @Test
    void aCustomResourceIsScaledAsSoonAsItIsDefined() {
        assertThatThrownBy(() -> scales.get("example.com/v1", "Gadget", WEB)).isInstanceOfSatisfying(
                KubeApiException.class,
                error -> assertThat(error.statusMessage())
                        .isEqualTo("no matches for kind \"Gadget\" in group \"example.com\""));
        cluster.create(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class, """
                {metadata: {name: gadgets.example.com}, spec: {group: example.com, scope: Namespaced,
                 names: {plural: gadgets, kind: Gadget}, versions: [{name: v1, served: true, storage: true,
                  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}},
                  subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size,
                   labelSelectorPath: .status.selector}}}]}}""");
        cluster.create(GADGETS, Unstructured.class, """
                {apiVersion: example.com/v1, kind: Gadget, metadata: {namespace: default, name: web},
                 spec: {size: 2}}""");
        cluster.clock.advance(Duration.ofSeconds(2));

        ScaleClient.Scaled scaled = scales.get("example.com/v1", "Gadget", WEB);
        assertThat(scaled.replicas()).isEqualTo(2);
        executor.execute(WEB, List.of(scaled.withReplicas(0, "there is no work")));
        assertThat(scales.get("example.com/v1", "Gadget", WEB).replicas()).isZero();
    }

    /** A kind that an object of a namespace names is looked for in that namespace alone. */
    @Test
    void anObjectOfTheWholeClusterIsNotScaledByAnObjectOfANamespace() {
        cluster.create(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class, """
                {metadata: {name: fleets.example.com}, spec: {group: example.com, scope: Cluster,
                 names: {plural: fleets, kind: Fleet}, versions: [{name: v1, served: true, storage: true,
                  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}},
                  subresources: {status: {}, scale: {specReplicasPath: .spec.size,
                   statusReplicasPath: .status.size, labelSelectorPath: .status.selector}}}]}}""");
        Unstructured fleet = cluster.create(new ResourceType("example.com", "v1", "fleets", "Fleet", false),
                Unstructured.class, """
                        {apiVersion: example.com/v1, kind: Fleet, metadata: {name: web}, spec: {size: 2},
                         status: {size: 2, selector: app=web}}""");
        cluster.create(HORIZONTAL_POD_AUTOSCALERS, V2HorizontalPodAutoscaler.class, """
                {metadata: {namespace: default, name: web}, spec: {minReplicas: 5, maxReplicas: 9,
                 scaleTargetRef: {apiVersion: example.com/v1, kind: Fleet, name: web}}}""");
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: web, labels: {app: web}, ownerReferences: [{controller: true,
                 apiVersion: example.com/v1, kind: Fleet, name: web, uid: %s}]},
                 spec: {containers: [{name: a, image: a}]}}""", fleet.getMetadata().getUid());
        V1PodDisruptionBudget budget = cluster.create(BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: web}, spec: {maxUnavailable: 1,
                 selector: {matchLabels: {app: web}}}}""");

        List<Loop> loops = new ArrayList<>(new AutoscalerController(cluster.context()).loops());
        loops.addAll(new DisruptionController(cluster.context()).loops());
        cluster.settle(loops);
        cluster.clock.advance(Duration.ofSeconds(15));
        cluster.settle(loops);

        assertThat(cluster.requests.takeWrites()).noneMatch(write -> write.contains("/scale"));
        assertThat(cluster.read(HORIZONTAL_POD_AUTOSCALERS, WEB, V2HorizontalPodAutoscaler.class).getStatus()
                .getConditions()).singleElement().satisfies(condition -> assertThat(condition.getMessage())
                        .isEqualTo("the HPA controller was unable to get the target's current scale: the server could"
                                + " not find the requested resource"));
        assertThat(cluster.read(BUDGETS, ObjectKey.of(budget), V1PodDisruptionBudget.class).getStatus()
                .getExpectedPods()).isZero();
        assertThatThrownBy(() -> scales.get("example.com/v1", "Fleet", WEB)).isInstanceOf(KubeApiException.class);
    }

    @Test
    void anObjectThatIsMissingOrCannotBeScaledIsNotFound() {
        assertThatThrownBy(() -> scales.get("apps/v1", "Deployment", WEB)).isInstanceOfSatisfying(
                KubeApiException.class,
                error -> assertThat(error.statusMessage()).isEqualTo("deployments.apps \"web\" not found"));
        assertThatThrownBy(() -> scales.get("v1", "ConfigMap", WEB)).isInstanceOfSatisfying(KubeApiException.class,
                error -> assertThat(error.statusMessage())
                        .isEqualTo("the server could not find the requested resource"));
    }

    @Test
    void aKindStaysKnownWhileTheDiscoveryOfItsGroupFails() {
        deployment(3);
        scales.get("apps/v1", "Deployment", WEB);
        cluster.requests.failDiscovery("apps/v1: its server cannot be reached");
        cluster.clock.advance(Duration.ofMinutes(1));

        assertThat(scales.get("apps/v1", "Deployment", WEB).replicas()).isEqualTo(3);
        assertThatThrownBy(() -> scales.get("batch/v1", "Job", WEB)).isInstanceOf(KubeApiException.class);
    }

    private void deployment(int replicas) {
        cluster.create(ResourceType.DEPLOYMENTS, V1Deployment.class, """
                {metadata: {namespace: default, name: web}, spec: {replicas: %d, selector: {matchLabels: {app: web}},
                 template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}""",
                replicas);
    }
}
