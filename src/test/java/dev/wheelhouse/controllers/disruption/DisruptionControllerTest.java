package dev.wheelhouse.controllers.disruption;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

class DisruptionControllerTest {
    private static final ObjectKey BUDGET = ObjectKey.of("default", "web");

    private static final String TEMPLATE = """
            selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [
             {name: app, image: app}]}}""";

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.REPLICA_SETS, ResourceType.DEPLOYMENTS,
            DisruptionDecisions.BUDGETS);
    private final DisruptionController controller = new DisruptionController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void budget(String spec) {
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: web},
                 spec: {selector: {matchLabels: {app: web}}, %s}}""", spec);
    }

    private V1Deployment deployment(int replicas) {
        return cluster.create(ResourceType.DEPLOYMENTS, V1Deployment.class, """
                {metadata: {namespace: default, name: web}, spec: {replicas: %d, %s}}""", replicas, TEMPLATE);
    }

    private V1ReplicaSet replicaSet(String name, V1Deployment owner) {
        return cluster.create(ResourceType.REPLICA_SETS, V1ReplicaSet.class, """
                {metadata: {namespace: default, name: %s, ownerReferences: [{apiVersion: apps/v1,
                 kind: Deployment, name: web, uid: %s, controller: true}]}, spec: {replicas: 1, %s}}""", name,
                owner.getMetadata().getUid(), TEMPLATE);
    }

    /** Creates running pods of a ReplicaSet. */
    private void pods(String set, String uid, int ready, int notReady) {
        for (int i = 0; i < ready + notReady; i++) {
            cluster.create(ResourceType.PODS, V1Pod.class, """
                    {metadata: {namespace: default, name: %1$s-%2$d, labels: {app: web}, ownerReferences: [{
                     apiVersion: apps/v1, kind: ReplicaSet, name: %1$s, uid: %3$s, controller: true}]},
                     spec: {containers: [{name: app, image: app}]},
                     status: {phase: Running, conditions: [{type: Ready, status: "%4$s"}]}}""", set, i, uid,
                    i < ready ? "True" : "False");
        }
    }

    private JsonNode status(Duration time) {
        cluster.clock.advance(time);
        cluster.settle(controller.loops());
        return cluster.json(DisruptionDecisions.BUDGETS, BUDGET).path("status");
    }

    private String counts() {
        JsonNode status = status(Duration.ZERO);
        return status.path("expectedPods") + " expected, " + status.path("desiredHealthy") + " wanted, "
                + status.path("currentHealthy") + " healthy, " + status.path("disruptionsAllowed") + " allowed";
    }

    private String condition() {
        JsonNode condition = status(Duration.ZERO).path("conditions").path(0);
        return condition.path("type").asString() + "=" + condition.path("status").asString() + " "
                + condition.path("reason").asString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            minAvailable: 3       | 5 expected, 3 wanted, 4 healthy, 1 allowed
            minAvailable: 5       | 5 expected, 5 wanted, 4 healthy, 0 allowed
            minAvailable: 50%     | 7 expected, 4 wanted, 4 healthy, 0 allowed
            maxUnavailable: 3     | 7 expected, 4 wanted, 4 healthy, 0 allowed
            maxUnavailable: 50%   | 7 expected, 3 wanted, 4 healthy, 1 allowed
            maxUnavailable: 9     | 7 expected, 0 wanted, 4 healthy, 4 allowed
            """)
    void whatMayBeDisruptedFollowsFromTheOwnersAndTheReadyPods(String spec, String counts) {
        V1Deployment deployment = deployment(7);
        pods("old", replicaSet("old", deployment).getMetadata().getUid(), 2, 1);
        pods("new", replicaSet("new", deployment).getMetadata().getUid(), 2, 0);
        budget(spec);
        assertThat(counts()).isEqualTo(counts);
        assertThat(status(Duration.ZERO).path("observedGeneration").asInt()).isEqualTo(1);
        assertThat(condition()).isEqualTo(counts.endsWith("0 allowed")
                ? "DisruptionAllowed=False InsufficientPods"
                : "DisruptionAllowed=True SufficientPods");
    }

    @Test
    void aPodThatBecomesReadyOrGoesIsCountedAnew() {
        budget("minAvailable: 1");
        pods("new", "new", 1, 1);
        assertThat(counts()).endsWith("1 healthy, 0 allowed");
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "new-1"),
                pod -> pod.getStatus().getConditions().getFirst().setStatus("True"));
        assertThat(counts()).endsWith("2 healthy, 1 allowed");
        cluster.delete(ResourceType.PODS, ObjectKey.of("default", "new-0"));
        assertThat(counts()).endsWith("1 healthy, 0 allowed");
        cluster.requests.take();
        status(Duration.ofMinutes(10));
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void nothingIsAllowedWhereNoPodIsExpected() {
        budget("minAvailable: 0");
        assertThat(counts()).isEqualTo("0 expected, 0 wanted, 0 healthy, 0 allowed");
    }

    @Test
    void nothingIsAllowedWhileTheOwnersCannotBeCounted() {
        pods("lost", "lost", 3, 0);
        budget("maxUnavailable: 2");
        assertThat(status(Duration.ZERO).path("disruptionsAllowed").asInt(-1)).isZero();
        assertThat(condition()).isEqualTo("DisruptionAllowed=False SyncFailed");
    }

    @Test
    void anEvictedPodIsNotCountedUntilItIsOverdue() {
        pods("new", "new", 3, 0);
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: web},
                 spec: {selector: {matchLabels: {app: web}}, minAvailable: 1},
                 status: {currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, disruptionsAllowed: 1,
                  disruptedPods: {new-0: "%s"}}}""", cluster.clock.now());
        assertThat(counts()).endsWith("2 healthy, 1 allowed");
        assertThat(status(Duration.ZERO).path("disruptedPods").propertyNames()).containsExactly("new-0");
        status(DisruptionDecisions.DELETION_TIMEOUT.plusSeconds(1));
        assertThat(counts()).endsWith("3 healthy, 2 allowed");
        assertThat(status(Duration.ZERO).has("disruptedPods")).isFalse();
    }
}
