package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.scheduler.Scheduler;
import dev.wheelhouse.scheduler.SchedulerConfig;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Two hollow nodes, a scheduler and the controllers that move pods, stepped by hand. */
class StoppedNodesTest {
    private final Cluster cluster = new Cluster();
    private final List<Loop> loops = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int i = 1; i <= 2; i++) {
            NodeAgent agent = NodeAgent.registered(NodeAgentOptions.hollow("node-" + i, i), cluster.user(),
                    EventRecorder.NONE, Meters.NONE, cluster.clock);
            loops.addAll(agent.loops().values());
        }
        for (Controller controller : List.of(new NodeLifecycleController(cluster.context()),
                new TaintEvictionController(cluster.context()), new PodGarbageCollector(cluster.context()),
                new ReplicaSetController(cluster.context()))) {
            loops.addAll(controller.loops());
        }
        loops.addAll(new Scheduler(SchedulerConfig.DEFAULT, cluster.client(), cluster.informers(),
                name -> EventRecorder.NONE, cluster.clock,
                Meters.NONE, 1, 1).loops());
        after(Duration.ofSeconds(1));
        cluster.create(ResourceType.REPLICA_SETS, V1ReplicaSet.class, """
                {metadata: {namespace: default, name: web}, spec: {replicas: 2, selector: {matchLabels: {app: web}},
                 template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: nginx}]}}}}""");
        after(Duration.ofSeconds(5));
        assertThat(pods("node-1")).hasSize(1);
        assertThat(pods("node-2")).hasSize(1);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void after(Duration time) {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusSeconds(1)) {
            cluster.clock.advance(Duration.ofSeconds(1));
            cluster.settle(loops);
        }
    }

    /** The pods of a node, each with its phase, and with a minus if it is being deleted. */
    private List<String> pods(String node) {
        return cluster.all(ResourceType.PODS, V1Pod.class).stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                .map(pod -> pod.getStatus().getPhase() + (pod.getMetadata().getDeletionTimestamp() == null ? "" : "-"))
                .sorted().toList();
    }

    private String ready(String node) {
        return cluster.read(ResourceType.NODES, ObjectKey.cluster(node), V1Node.class).getStatus().getConditions()
                .stream().filter(c -> c.getType().equals("Ready")).map(V1NodeCondition::getStatus).findFirst()
                .orElse("");
    }

    private void annotate(String value) {
        cluster.user().metadata(ResourceType.NODES).patch(ObjectKey.cluster("node-1"), "", PatchType.MERGE,
                "{\"metadata\": {\"annotations\": {\"hollow.wheelhouse.dev/stopped\": " + value + "}}}");
    }

    @Test
    void thePodsOfAStoppedNodeMoveAndItsOwnEndWhenItRunsAgain() {
        annotate("\"true\"");
        after(Duration.ofSeconds(80));
        assertThat(ready("node-1")).isEqualTo("Unknown");
        assertThat(ready("node-2")).isEqualTo("True");
        after(Duration.ofSeconds(310));
        assertThat(pods("node-1")).containsExactly("Running-");
        assertThat(pods("node-2")).containsExactly("Running", "Running");

        annotate("null");
        after(Duration.ofSeconds(60));
        assertThat(ready("node-1")).isEqualTo("True");
        assertThat(pods("node-1")).isEmpty();
        assertThat(cluster.read(ResourceType.NODES, ObjectKey.cluster("node-1"), V1Node.class).getSpec().getTaints())
                .isNullOrEmpty();
    }

    @Test
    void aPodOfANodeThatReturnsInTimeStaysAndIsReadyAgain() {
        annotate("\"true\"");
        after(Duration.ofMinutes(2));
        assertThat(readyPods()).isEqualTo(1);
        annotate("null");
        after(Duration.ofSeconds(30));
        assertThat(readyPods()).isEqualTo(2);
        after(Duration.ofMinutes(6));
        assertThat(pods("node-1")).containsExactly("Running");
    }

    private long readyPods() {
        return cluster.all(ResourceType.PODS, V1Pod.class).stream().filter(pod -> pod.getStatus().getConditions()
                .stream().anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"))).count();
    }

    @Test
    void aNodeThatIsDeletedLosesItsPodsAndStaysAway() {
        cluster.delete(ResourceType.NODES, ObjectKey.cluster("node-1"));
        after(Duration.ofSeconds(80));
        assertThat(pods("node-1")).isEmpty();
        assertThat(pods("node-2")).containsExactly("Running", "Running");
        assertThat(cluster.exists(ResourceType.NODES, ObjectKey.cluster("node-1"))).isFalse();
    }
}
