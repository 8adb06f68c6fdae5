package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

class TaintEvictionControllerTest {
    private static final ObjectKey POD = ObjectKey.of("default", "web");
    private static final List<String> EVICTION = List.of("patch pods/status default/web",
            "delete pods default/web uid");

    private final Cluster cluster = new Cluster();
    private TaintEvictionController controller = new TaintEvictionController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void node(String taints) {
        cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: node-1}, spec: {taints: [%s]}}", taints);
    }

    private void taint(String taints) {
        cluster.user().metadata(ResourceType.NODES).patch(ObjectKey.cluster("node-1"), "", PatchType.MERGE,
                "{\"spec\": {\"taints\": [" + taints + "]}}");
        after(0);
    }

    private static String json(String key, String effect) {
        return "{\"key\": \"" + key + "\", \"effect\": \"" + effect + "\"}";
    }

    /** A pod that is on the node already, and has none of the tolerations that admission adds. */
    private void pod(String tolerations) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: web, finalizers: [example.com/hold]}, spec: {nodeName: node-1,
                 tolerations: [%s], containers: [{name: a, image: app}]}, status: {phase: Running}}""", tolerations);
        after(0);
    }

    private void after(int seconds) {
        cluster.clock.advance(Duration.ofSeconds(seconds));
        cluster.settle(controller.loops());
    }

    private List<String> writes() {
        return cluster.requests.takeWrites().stream().map(line -> line.replaceFirst(" \\{.*", "")).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                                                                        | 0
            {key: other, operator: Exists}                                                            | 0
            {key: a, effect: NoSchedule, operator: Exists}                                            | 0
            {key: a, operator: Exists}                                                                | -1
            {operator: Exists}                                                                        | -1
            {key: a, effect: NoExecute, operator: Exists, tolerationSeconds: 30}                      | 30
            {key: a, effect: NoExecute, operator: Exists, tolerationSeconds: 0}                       | 0
            {key: a, effect: NoExecute, operator: Exists, tolerationSeconds: -5}                      | 0
            {key: a, effect: NoExecute, value: x, tolerationSeconds: 9}, {key: a, operator: Exists}   | -1
            {key: a, effect: NoExecute, operator: Exists, tolerationSeconds: 9}, {operator: Exists}   | 9
            """)
    void aPodStaysAsLongAsItToleratesTheTaints(String tolerations, int seconds) {
        node(json("a", "NoExecute"));
        pod(tolerations);
        if (seconds == 0) {
            assertThat(writes()).isEqualTo(EVICTION);
        } else if (seconds < 0) {
            after(1_000_000);
            assertThat(writes()).isEmpty();
        } else {
            after(seconds - 1);
            assertThat(writes()).isEmpty();
            after(1);
            assertThat(writes()).isEqualTo(EVICTION);
        }
    }

    @Test
    void ofSeveralTaintsTheOneThatIsToleratedForTheShortestTimeCounts() {
        node(json("a", "NoExecute") + "," + json("b", "NoExecute"));
        pod("{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 100}, "
                + "{key: b, operator: Exists, effect: NoExecute, tolerationSeconds: 10}");
        after(10);
        assertThat(writes()).isEqualTo(EVICTION);
    }

    @Test
    void taintsOfOtherEffectsEvictNobody() {
        node(json("a", "NoSchedule") + "," + json("b", "PreferNoSchedule"));
        pod("");
        assertThat(writes()).isEmpty();
    }

    @Test
    void anEvictionIsToldToUsersAndCounted() {
        node("");
        pod("");
        taint(json("a", "NoExecute"));
        assertThat(cluster.eventTexts())
                .containsExactly("Normal TaintManagerEviction Marking for deletion Pod default/web");
        assertThat(cluster.events.getFirst().component()).isEqualTo("taint-eviction-controller");
        assertThat(cluster.measures).isEqualTo(Map.of("taint_eviction_controller_pod_deletions_total{}", 1.0,
                "taint_eviction_controller_pod_deletion_duration_seconds{}", 0.0));
        V1PodCondition condition = cluster.read(ResourceType.PODS, POD, V1Pod.class).getStatus().getConditions()
                .getFirst();
        assertThat(List.of(condition.getType(), condition.getStatus(), condition.getReason(), condition.getMessage()))
                .containsExactly("DisruptionTarget", "True", "DeletionByTaintManager",
                        "Taint manager: deleting due to NoExecute taint");
    }

    @Test
    void aPodIsEvictedOnceAsLongAsItsTaintsStay() {
        node(json("a", "NoExecute"));
        pod("");
        assertThat(writes()).isEqualTo(EVICTION);
        cluster.edit(ResourceType.PODS, V1Pod.class, POD, pod -> pod.getStatus().setMessage("changed"));
        after(1000);
        assertThat(writes()).isEmpty();
        taint(json("b", "NoExecute"));
        assertThat(writes()).containsExactly("delete pods default/web uid");
    }

    @Test
    void theTimeOfAPodDoesNotCountForTheNextOneOfThatName() {
        node(json("a", "NoExecute"));
        String tolerations = "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}";
        pod(tolerations);
        after(20);
        cluster.remove(ResourceType.PODS, POD);
        pod(tolerations);
        after(29);
        assertThat(writes()).isEmpty();
        after(1);
        assertThat(writes()).isEqualTo(EVICTION);
    }

    @Test
    void afterARestartTheTimeBeginsAnew() {
        node(json("a", "NoExecute"));
        pod("{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}");
        after(20);
        cluster.forgetCaches();
        controller = new TaintEvictionController(cluster.context());
        after(0);
        after(29);
        assertThat(writes()).isEmpty();
        after(1);
        assertThat(writes()).isEqualTo(EVICTION);
    }

    @Test
    void thePlanShowsWhatIsDueAndWhen() {
        node(json("a", "NoExecute"));
        pod("{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}");
        assertThat(controller.plan(POD)).isEqualTo(List.of(new Action.RequeueAfter(Duration.ofSeconds(30))));
        cluster.clock.advance(Duration.ofSeconds(30));
        assertThat(controller.plan(POD)).hasSize(3);
    }
}
