package dev.wheelhouse.controllers.disruption;

import java.time.Duration;
import java.util.List;
import java.util.Map;

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
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

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
    void aBudgetWhoseStatusIsRefusedAgainIsSyncedAgainAlthoughItsSafeStatusIsThereAlready() throws Exception {
        pods("new", "new", 3, 0);
        budget("minAvailable: 2");
        cluster.deliver();
        for (int refusals = 0; refusals < 2; refusals++) {
            cluster.server.faults().on("update", "poddisruptionbudgets/status").times(1).fail(500, "no");
            Cluster.step(controller.loops().getFirst());
            cluster.deliver();
        }
        status(Duration.ofMinutes(1));
        assertThat(counts()).endsWith("3 healthy, 1 allowed");
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

    // ---- owners by their scale

    private static final ResourceType SITES = new ResourceType("example.com", "v1", "sites", "Site", true);

    private void pod(String name, String owner) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s, labels: {app: web}, ownerReferences: [%s]},
                 spec: {containers: [{name: app, image: app}]},
                 status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}""", name, owner);
    }

    private String site(String name, String subresources) {
        cluster.create(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class, """
                {metadata: {name: sites.example.com}, spec: {group: example.com, scope: Namespaced,
                 names: {plural: sites, kind: Site}, versions: [{name: v1, served: true, storage: true,
                 subresources: {%s}, schema: {openAPIV3Schema: {type: object,
                 x-kubernetes-preserve-unknown-fields: true}}}]}}""", subresources);
        cluster.requests.discover(SITES);
        String uid = cluster.create(SITES, Unstructured.class, "{apiVersion: example.com/v1, kind: Site, metadata: {"
                + "namespace: default, name: " + name + "}, spec: {replicas: 7}}").getMetadata().getUid();
        return "{apiVersion: example.com/v1, kind: Site, name: " + name + ", uid: " + uid + ", controller: true}";
    }

    private static final String SCALE = "scale: {specReplicasPath: .spec.replicas, statusReplicasPath: "
            + ".status.replicas}";

    @Test
    void podsOfACustomResourceAreCountedByItsScale() {
        String owner = site("web", SCALE);
        pod("a", owner);
        pod("b", owner);
        budget("maxUnavailable: 6");
        cluster.deliver();
        Cluster.step(controller.loops().getFirst());
        assertThat(cluster.requests.take()).filteredOn(line -> line.contains("sites")).as("one read for all pods")
                .hasSize(1);
        assertThat(counts()).isEqualTo("7 expected, 1 wanted, 2 healthy, 1 allowed");
    }

    @Test
    void podsOfADeploymentThatIsGoneAreCountedByTheReplicaSet() {
        V1ReplicaSet set = replicaSet("new", deployment(7));
        cluster.remove(ResourceType.DEPLOYMENTS, ObjectKey.of("default", "web"));
        pods("new", set.getMetadata().getUid(), 1, 0);
        budget("maxUnavailable: 1");
        assertThat(counts()).startsWith("1 expected, 0 wanted");
    }

    private String problem() {
        JsonNode condition = status(Duration.ZERO).path("conditions").path(0);
        assertThat(condition.path("reason").asString()).isEqualTo("SyncFailed");
        assertThat(cluster.eventTexts()).contains("Warning CalculateExpectedPodCountFailed Failed to calculate the "
                + "number of expected pods: " + condition.path("message").asString());
        return condition.path("message").asString();
    }

    @Test
    void anOwnerOfAnUnknownKindIsNamed() {
        pod("a", "{apiVersion: example.com/v1, kind: Lost, name: web, uid: lost, controller: true}");
        budget("maxUnavailable: 1");
        assertThat(problem()).isEqualTo("no matches for kind \"Lost\" in version \"example.com/v1\"");
    }

    @ParameterizedTest
    @CsvSource({"name: web, name: other", "uid: , uid: former-"})
    void anOwnerThatDoesNotExistIsToldByItsPod(String has, String gets) {
        pod("a", site("web", SCALE).replace(has, gets));
        budget("maxUnavailable: 1");
        assertThat(problem()).isEqualTo("found no controllers for pod \"a\"");
    }

    @Test
    void aPodOfSeveralBudgetsIsReported() {
        budget("minAvailable: 1");
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class,
                "{metadata: {namespace: default, name: all}, spec: {selector: {}, minAvailable: 1}}");
        cluster.deliver();
        pod("a", "");
        assertThat(counts()).startsWith("1 expected");
        assertThat(cluster.eventTexts()).anyMatch(event -> event.matches("Warning MultiplePodDisruptionBudgets Pod "
                + "\"default\"/\"a\" matches multiple PodDisruptionBudgets\\.  Chose \"(all|web)\" arbitrarily\\."));
    }

    // ---- selectors

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                          | 3
            {matchLabels: {app: web}}                                   | 1
            {matchExpressions: [{key: app, operator: DoesNotExist}]}    | 1
            {matchExpressions: [{key: app, operator: NotIn, values: [web]}]} | 2
            {matchExpressions: [{key: app, operator: Exists}]}          | 2
            """)
    void anEmptySelectorCoversAllPodsOfTheNamespaceAndPodsWithoutLabelsMatchByAbsence(String selector, int expected) {
        pod("a", "");
        cluster.create(ResourceType.PODS, Manifests.pod("b", Map.of("app", "other")));
        cluster.create(ResourceType.PODS, Manifests.pod("c"));
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class,
                "{metadata: {namespace: default, name: web}, spec: {minAvailable: 1, selector: %s}}", selector);
        assertThat(counts()).startsWith(expected + " expected");
    }

    @Test
    void aBudgetWithoutASelectorCoversNothing() {
        pod("a", "");
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class,
                "{metadata: {namespace: default, name: web}, spec: {minAvailable: 1}}");
        assertThat(counts()).startsWith("0 expected");
        assertThat(cluster.eventTexts()).contains("Normal NoPods No matching pods found");
    }

    @ParameterizedTest
    @CsvSource({"MERGE, a c", "STRATEGIC_MERGE, c"})
    void aMergePatchAddsLabelsToTheSelectorAndAStrategicOneReplacesIt(PatchType type, String labels) {
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: web}, spec: {minAvailable: 1, selector: {matchLabels: {a: b},
                 matchExpressions: [{key: x, operator: Exists}]}}}""");
        cluster.user().metadata(DisruptionDecisions.BUDGETS).patch(BUDGET, "", type, "{\"spec\":{\"selector\":{"
                + "\"matchLabels\":{\"c\":\"d\"},\"matchExpressions\":[{\"key\":\"y\",\"operator\":\"Exists\"}]}}}");
        JsonNode selector = cluster.json(DisruptionDecisions.BUDGETS, BUDGET).at("/spec/selector");
        assertThat(selector.path("matchLabels").propertyNames())
                .containsExactlyInAnyOrder(labels.split(" "));
        assertThat(selector.path("matchExpressions")).extracting(e -> e.path("key").asString()).containsExactly("y");
    }

    // ---- failures

    @Test
    void aStatusThatCannotBeWrittenIsReplacedByOneThatAllowsNothing() {
        pods("new", "new", 2, 0);
        budget("minAvailable: 1");
        cluster.requests.failNext("update poddisruptionbudgets.policy/status", 500, "InternalError", "out of order");
        assertThat(condition()).as("the change of the status wakes the budget again")
                .isEqualTo("DisruptionAllowed=True SufficientPods");
        assertThat(cluster.requests.takeWrites()).hasSize(3);
    }

    // ---- stale disruptions

    private String target(String pod) {
        cluster.settle(controller.loops());
        return cluster.read(ResourceType.PODS, ObjectKey.of("default", pod), V1Pod.class).getStatus().getConditions()
                .stream().filter(c -> c.getType().equals("DisruptionTarget"))
                .map(c -> c.getStatus() + " " + c.getReason()).findFirst().orElse("none");
    }

    private void disruptionTarget(String pod, String phase, String condition) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s}, spec: {nodeName: n, containers: [{name: app, image: app}]},
                 status: {phase: %s, conditions: [{type: DisruptionTarget, lastTransitionTime: '%s', %s}]}}""", pod,
                phase, cluster.clock.now(), condition);
    }

    @Test
    void theMarkOfAPodThatWasNotDisruptedEndsAfterTwoMinutes() {
        disruptionTarget("stays", "Running", "status: 'True', reason: EvictionByEvictionAPI");
        disruptionTarget("kubelet", "Running", "status: 'True', reason: TerminationByKubelet");
        disruptionTarget("ended", "Failed", "status: 'True', reason: EvictionByEvictionAPI");
        disruptionTarget("goes", "Running", "status: 'True', reason: EvictionByEvictionAPI");
        disruptionTarget("never", "Running", "status: 'False', reason: EvictionByEvictionAPI");
        cluster.delete(ResourceType.PODS, ObjectKey.of("default", "goes"));
        pass(Duration.ofSeconds(119));
        assertThat(target("stays")).isEqualTo("True EvictionByEvictionAPI");
        pass(Duration.ofSeconds(1));
        assertThat(target("stays")).isEqualTo("False null");
        assertThat(List.of(target("kubelet"), target("ended"), target("goes"), target("never"))).containsExactly(
                "True TerminationByKubelet", "True EvictionByEvictionAPI", "True EvictionByEvictionAPI",
                "False EvictionByEvictionAPI");
        assertThat(cluster.requests.takeWrites()).containsExactly("update pods/status default/stays");
    }

    private void pass(Duration time) {
        cluster.settle(controller.loops());
        cluster.clock.advance(time);
    }
}
