package dev.wheelhouse.controllers.daemonset;

import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** How many pods a sync creates, and which changes wake it. Transcripts have what it does. */
class DaemonSetControllerTest {
    private final Cluster cluster = new Cluster();
    private final DaemonSetController controller = new DaemonSetController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void node(String name) {
        cluster.create(ResourceType.NODES, V1Node.class,
                "{metadata: {name: %s}, status: {conditions: [{type: Ready, status: 'True'}]}}", name);
    }

    private void daemonSet(String selector) {
        cluster.create(ResourceType.DAEMON_SETS, V1DaemonSet.class, """
                {metadata: {namespace: default, name: log}, spec: {selector: {matchLabels: {app: log}}, template: {
                 metadata: {labels: {app: log}}, spec: {nodeSelector: {%s}, containers: [{name: app, image: a}]}}}}""",
                selector);
        cluster.deliver();
    }

    private long step() {
        return Cluster.step(controller.loops().getFirst());
    }

    private long creations() {
        return cluster.requests.takeWrites().stream().filter(line -> line.startsWith("create pods")).count();
    }

    @Test
    void oneSyncCreatesAtMost250Pods() {
        IntStream.range(0, 260).forEach(i -> node("n" + i));
        daemonSet("");
        step();
        assertThat(creations()).isEqualTo(250);
        cluster.settle(controller.loops());
        assertThat(creations()).isEqualTo(10);
    }

    @Test
    void aNodeThatChangesWakesOnlyTheDaemonSetsThatHaveToAct() {
        node("a");
        daemonSet("kind: b");
        cluster.settle(controller.loops());
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("a"),
                node -> node.getMetadata().putLabelsItem("note", "x"));
        cluster.deliver();
        assertThat(step()).as("the time until it has work").isPositive();
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("a"),
                node -> node.getMetadata().putLabelsItem("kind", "b"));
        cluster.settle(controller.loops());
        assertThat(creations()).isEqualTo(1);
    }
}
