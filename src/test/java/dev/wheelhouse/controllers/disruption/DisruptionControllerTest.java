package dev.wheelhouse.controllers.disruption;

import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
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
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.fake.FakeCluster;
import dev.wheelhouse.fake.FakeInformers;
import dev.wheelhouse.fake.Stepped;
import dev.wheelhouse.fake.Yaml;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class DisruptionControllerTest {
    private static final ObjectKey BUDGET = ObjectKey.of("default", "web");

    private final ManualClock clock = new ManualClock();
    private final FakeCluster cluster = new FakeCluster(clock, ResourceType.PODS, ResourceType.REPLICA_SETS,
            ResourceType.DEPLOYMENTS, DisruptionDecisions.BUDGETS);
    private final FakeInformers informers = new FakeInformers(cluster);
    private DisruptionController controller;

    @BeforeEach
    void start() {
        controller = new DisruptionController(new DefaultControllerContext(cluster, informers, clock,
                component -> EventRecorder.NONE, DefaultControllerContext.Settings.stepped()));
    }

    private void budget(String spec) {
        cluster.put(DisruptionDecisions.BUDGETS, Yaml.read("""
                {metadata: {namespace: default, name: web, generation: 1},
                 spec: {selector: {matchLabels: {app: web}}, %s}}""".formatted(spec), V1PodDisruptionBudget.class));
    }

    private void deployment(int replicas) {
        cluster.put(ResourceType.DEPLOYMENTS, Yaml.read("""
                {metadata: {namespace: default, name: web, uid: d}, spec: {replicas: %d}}""".formatted(replicas),
                V1Deployment.class));
    }

    private void replicaSet(String name) {
        cluster.put(ResourceType.REPLICA_SETS, Yaml.read("""
                {metadata: {namespace: default, name: %1$s, uid: %1$s, ownerReferences: [{apiVersion: apps/v1,
                 kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: 1}}""".formatted(name),
                V1ReplicaSet.class));
    }

    private void pods(String set, int ready, int notReady) {
        for (int i = 0; i < ready + notReady; i++) {
            cluster.put(ResourceType.PODS, Yaml.read("""
                    {metadata: {namespace: default, name: %1$s-%2$d, labels: {app: web}, ownerReferences: [{
                     apiVersion: apps/v1, kind: ReplicaSet, name: %1$s, uid: %1$s, controller: true}]},
                     status: {phase: Running, conditions: [{type: Ready, status: "%3$s"}]}}"""
                    .formatted(set, i, i < ready ? "True" : "False"), V1Pod.class));
        }
    }

    private JsonNode status(Duration time) throws InterruptedException {
        clock.advance(time);
        Stepped.settle(informers, controller.loops());
        return cluster.json(DisruptionDecisions.BUDGETS, BUDGET).path("status");
    }

    private String counts() throws InterruptedException {
        JsonNode status = status(Duration.ZERO);
        return status.path("expectedPods") + " expected, " + status.path("desiredHealthy") + " wanted, "
                + status.path("currentHealthy") + " healthy, " + status.path("disruptionsAllowed") + " allowed";
    }

    private String condition() throws InterruptedException {
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
    void whatMayBeDisruptedFollowsFromTheOwnersAndTheReadyPods(String spec, String counts)
            throws InterruptedException {
        deployment(7);
        replicaSet("old");
        replicaSet("new");
        pods("old", 2, 1);
        pods("new", 2, 0);
        budget(spec);
        assertThat(counts()).isEqualTo(counts);
        assertThat(status(Duration.ZERO).path("observedGeneration").asInt()).isEqualTo(1);
        assertThat(condition()).isEqualTo(counts.endsWith("0 allowed")
                ? "DisruptionAllowed=False InsufficientPods"
                : "DisruptionAllowed=True SufficientPods");
    }

    @Test
    void aPodThatBecomesReadyOrGoesIsCountedAnew() throws InterruptedException {
        budget("minAvailable: 1");
        pods("new", 1, 1);
        assertThat(counts()).endsWith("1 healthy, 0 allowed");
        pods("new", 2, 0);
        assertThat(counts()).endsWith("2 healthy, 1 allowed");
        cluster.resource(ResourceType.PODS, V1Pod.class).delete(ObjectKey.of("default", "new-0"),
                Deletion.unconditional());
        assertThat(counts()).endsWith("1 healthy, 0 allowed");
        cluster.takeRequests();
        status(Duration.ofMinutes(10));
        assertThat(cluster.takeRequests()).isEmpty();
    }

    @Test
    void nothingIsAllowedWhereNoPodIsExpected() throws InterruptedException {
        budget("minAvailable: 0");
        assertThat(counts()).isEqualTo("0 expected, 0 wanted, 0 healthy, 0 allowed");
    }

    @Test
    void nothingIsAllowedWhileTheOwnersCannotBeCounted() throws InterruptedException {
        pods("lost", 3, 0);
        budget("maxUnavailable: 2");
        assertThat(status(Duration.ZERO).path("disruptionsAllowed").asInt(-1)).isZero();
        assertThat(condition()).isEqualTo("DisruptionAllowed=False SyncFailed");
    }

    @Test
    void anEvictedPodIsNotCountedUntilItIsOverdue() throws InterruptedException {
        pods("new", 3, 0);
        cluster.put(DisruptionDecisions.BUDGETS, Yaml.read("""
                {metadata: {namespace: default, name: web, generation: 1},
                 spec: {selector: {matchLabels: {app: web}}, minAvailable: 1},
                 status: {currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, disruptionsAllowed: 1,
                  disruptedPods: {new-0: "%s"}}}""".formatted(clock.now()), V1PodDisruptionBudget.class));
        assertThat(counts()).endsWith("2 healthy, 1 allowed");
        assertThat(status(Duration.ZERO).path("disruptedPods").propertyNames()).containsExactly("new-0");
        status(DisruptionDecisions.DELETION_TIMEOUT.plusSeconds(1));
        assertThat(counts()).endsWith("3 healthy, 2 allowed");
        assertThat(status(Duration.ZERO).has("disruptedPods")).isFalse();
    }
}
