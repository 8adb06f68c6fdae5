package dev.wheelhouse.controllers.disruption;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The assertions of upstream's end-to-end and integration suites about budgets and evictions (upstream:
 * {@code test/e2e/apps/disruption.go}, {@code test/integration/evictions}).
 */
class DisruptionBehavioursTest {
    private static final ObjectKey BUDGET = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();
    private final DisruptionController controller = new DisruptionController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private void budget(String spec) {
        cluster.create(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: web}, spec: {selector: {matchLabels: {app: web}}, %s}}""", spec);
        settle();
    }

    private ObjectKey pod(String name, String phase, boolean ready) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s, labels: {app: web}}, spec: {nodeName: n, containers: [
                 {name: a, image: app}]}, status: {phase: %s, conditions: [{type: Ready, status: '%s'}]}}""", name,
                phase, ready ? "True" : "False");
        return ObjectKey.of("default", name);
    }

    private void evict(ObjectKey pod, String apiVersion, Map<String, Object> options) {
        Map<String, Object> eviction = new LinkedHashMap<>();
        if (!apiVersion.isEmpty()) {
            eviction.put("apiVersion", apiVersion);
            eviction.put("kind", "Eviction");
        }
        eviction.put("metadata", Map.of("name", pod.name(), "namespace", pod.namespace()));
        eviction.put("deleteOptions", options);
        cluster.user().metadata(ResourceType.PODS).createSubresource(pod, "eviction", eviction);
    }

    private void evict(ObjectKey pod) {
        evict(pod, "policy/v1", Map.of());
    }

    private void refused(ObjectKey pod) {
        assertThatThrownBy(() -> evict(pod)).isInstanceOfSatisfying(KubeApiException.class,
                error -> assertThat(error.code()).isEqualTo(429))
                .hasMessageContaining("Cannot evict pod as it would violate the pod's disruption budget.");
    }

    private boolean isDeleting(ObjectKey pod) {
        return cluster.json(ResourceType.PODS, pod).path("metadata").has("deletionTimestamp");
    }

    private @Nullable String disruptionTarget(ObjectKey pod) {
        return cluster.json(ResourceType.PODS, pod).at("/status/conditions").valueStream()
                .filter(c -> c.path("type").asString().equals("DisruptionTarget"))
                .map(c -> c.path("status").asString() + " " + c.path("reason").asString()).findFirst().orElse(null);
    }

    private JsonNode status() {
        settle();
        return cluster.json(DisruptionDecisions.BUDGETS, BUDGET).path("status");
    }

    @Test
    void anEvictionIsRefusedUntilTheBudgetAllowsIt() {
        ObjectKey first = pod("a", "Running", true);
        ObjectKey second = pod("b", "Running", true);
        pod("c", "Running", true);
        budget("minAvailable: 2");
        evict(first);
        assertThat(status().path("disruptionsAllowed").asInt()).isZero();
        refused(second);
        cluster.user().metadata(DisruptionDecisions.BUDGETS).patch(BUDGET, "", PatchType.MERGE,
                "{\"spec\":{\"minAvailable\":1}}");
        refused(second);
        settle();
        evict(second);
        assertThat(isDeleting(second)).isTrue();
    }

    @Test
    void withoutABudgetEveryPodMayBeEvicted() {
        ObjectKey pod = pod("a", "Running", true);
        evict(pod);
        assertThat(isDeleting(pod)).isTrue();
    }

    @Test
    void evictionsAtTheSameTimeTakeFromTheBudgetWhatItHas() throws Exception {
        List<ObjectKey> pods = IntStream.range(0, 10).mapToObj(i -> pod("p" + i, "Running", true)).toList();
        budget("minAvailable: 4");
        List<Callable<Boolean>> evictions = new ArrayList<>();
        pods.forEach(pod -> evictions.add(() -> {
            try {
                evict(pod);
                return true;
            } catch (KubeApiException e) {
                assertThat(e.code()).isEqualTo(429);
                return false;
            }
        }));
        int evicted = 0;
        try (ExecutorService users = Executors.newFixedThreadPool(10)) {
            for (Future<Boolean> answer : users.invokeAll(evictions)) {
                evicted += answer.get() ? 1 : 0;
            }
        }
        assertThat(evicted).isEqualTo(6);
        assertThat(pods).filteredOn(this::isDeleting).hasSize(6);
    }

    @ParameterizedTest
    @CsvSource({"Succeeded, true", "Failed, true", "Pending, true", "Running, false", "Unknown, false"})
    void aPodThatDoesNotRunIsEvictedWhateverTheBudget(String phase, boolean evicted) {
        ObjectKey pod = pod("a", phase, true);
        budget("minAvailable: 1");
        if (evicted) {
            evict(pod);
        } else {
            refused(pod);
        }
        assertThat(cluster.exists(ResourceType.PODS, pod) && !isDeleting(pod)).isNotEqualTo(evicted);
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy/v1", "policy/v1beta1", ""})
    void anEvictionHasEitherVersionOrNone(String version) {
        ObjectKey pod = pod("a", "Running", true);
        assertThatThrownBy(() -> evict(pod, "policy/v2", Map.of())).isInstanceOfSatisfying(KubeApiException.class,
                error -> assertThat(error.code()).isEqualTo(400));
        evict(pod, version, Map.of());
        assertThat(isDeleting(pod)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"Running, false", "Succeeded, false", "Running, true"})
    void anEvictedPodThatAFinalizerHoldsHasTheConditionUnlessTheEvictionIsATrial(String phase, boolean trial) {
        ObjectKey pod = pod("a", phase, true);
        cluster.edit(ResourceType.PODS, V1Pod.class, pod,
                p -> p.getMetadata().addFinalizersItem("test.k8s.io/finalizer"));
        evict(pod, "policy/v1", trial ? Map.of("dryRun", List.of("All")) : Map.of());
        assertThat(disruptionTarget(pod)).isEqualTo(trial ? null : "True EvictionByEvictionAPI");
        assertThat(isDeleting(pod)).isNotEqualTo(trial);
    }

    @ParameterizedTest
    @CsvSource({"IfHealthyBudget, false, 0, false", "IfHealthyBudget, false, 1, true", "IfHealthyBudget, true, 1, true",
            "AlwaysAllow, false, 0, true", "AlwaysAllow, true, 0, false"})
    void aPodThatIsNotReadyIsEvictedIfThePolicyOrTheOthersAllowIt(String policy, boolean ready, int others,
            boolean evicted) {
        ObjectKey pod = pod("a", "Running", ready);
        IntStream.range(0, others).forEach(i -> pod("other-" + i, "Running", true));
        budget("minAvailable: 1, unhealthyPodEvictionPolicy: " + policy);
        if (evicted) {
            evict(pod);
        } else {
            refused(pod);
        }
        assertThat(isDeleting(pod)).isEqualTo(evicted);
    }

    @ParameterizedTest
    @CsvSource({"true, true, true", "true, false, true", "false, true, true", "wrong, false, false",
            "false, wrong, false"})
    void anEvictionKeepsToItsPreconditions(String version, String uid, boolean evicted) {
        ObjectKey pod = pod("a", "Running", true);
        JsonNode meta = cluster.json(ResourceType.PODS, pod).path("metadata");
        Map<String, Object> conditions = new LinkedHashMap<>();
        if (!version.equals("false")) {
            conditions.put("resourceVersion", version.equals("true") ? meta.path("resourceVersion").asString() : "1");
        }
        if (!uid.equals("false")) {
            conditions.put("uid", uid.equals("true") ? meta.path("uid").asString() : "other");
        }
        Map<String, Object> options = Map.of("preconditions", conditions);
        if (evicted) {
            evict(pod, "policy/v1", options);
        } else {
            assertThatThrownBy(() -> evict(pod, "policy/v1", options)).isInstanceOfSatisfying(KubeApiException.class,
                    error -> assertThat(error.code()).isEqualTo(409));
        }
        assertThat(isDeleting(pod)).isEqualTo(evicted);
    }

    @Test
    void anEvictedPodIsNotCountedBeforeTheControllerHasSeenItsDeletion() {
        ObjectKey pod = pod("a", "Running", true);
        pod("b", "Running", true);
        budget("minAvailable: 1");
        evict(pod);
        assertThat(cluster.json(DisruptionDecisions.BUDGETS, BUDGET).at("/status/disruptedPods").has("a")).isTrue();
        assertThat(status().path("currentHealthy").asInt()).isEqualTo(1);
        assertThat(status().has("disruptedPods")).isFalse();
    }

    @Test
    void aStatusThatAnotherWritesIsCorrected() {
        pod("a", "Running", true);
        budget("minAvailable: 1");
        cluster.user().metadata(DisruptionDecisions.BUDGETS).patch(BUDGET, "status", PatchType.MERGE,
                "{\"status\":{\"disruptionsAllowed\":9}}");
        assertThat(status().path("disruptionsAllowed").asInt()).isZero();
    }

    @Test
    void theStatusOfUnmanagedPodsIsWrittenOnce() {
        pod("a", "Running", true);
        budget("maxUnavailable: 1");
        cluster.requests.take();
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "a"),
                p -> p.getMetadata().putAnnotationsItem("note", "x"));
        settle();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void budgetsAreDeletedAsACollection() {
        budget("minAvailable: 1");
        cluster.user().resource(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class).deleteCollection("default",
                Deletion.unconditional());
        settle();
        assertThat(cluster.exists(DisruptionDecisions.BUDGETS, BUDGET)).isFalse();
    }
}
