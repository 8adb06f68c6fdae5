package dev.wheelhouse.controllers.podgc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The assertions of upstream's integration suite, and more (upstream: {@code test/integration/podgc}). */
class PodGarbageCollectorTest {
    private static final ObjectKey POD = ObjectKey.of("default", "p");

    private final Cluster cluster = new Cluster();
    private PodGarbageCollector collector = collector(3);

    private PodGarbageCollector collector(int threshold) {
        return new PodGarbageCollector(
                cluster.context(Options.DEFAULTS.with(new ControllerOptions.PodGc(threshold))));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void node(String name, String ready, String taint) {
        cluster.create(ResourceType.NODES, V1Node.class, """
                {metadata: {name: %s}, spec: {taints: [%s]}, status: {conditions: [{type: Ready, status: '%s'}]}}""",
                name, taint, ready);
    }

    /** A pod with a finalizer, so that its last state can be read. */
    private void pod(String name, String spec, String phase) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s, finalizers: [test.k8s.io/finalizer]},
                 spec: {%s containers: [{name: a, image: app}]}, status: {phase: %s}}""", name, spec, phase);
    }

    /** Lets the collector work while some time passes. */
    private void after(Duration time) {
        cluster.settle(collector.loops());
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusSeconds(1)) {
            cluster.clock.advance(Duration.ofSeconds(1));
            cluster.settle(collector.loops());
        }
    }

    private V1Pod read() {
        return cluster.read(ResourceType.PODS, POD, V1Pod.class);
    }

    private boolean isDeleted() {
        return read().getMetadata().getDeletionTimestamp() != null;
    }

    private List<String> writes() {
        return cluster.requests.takeWrites();
    }

    @Test
    void aPodOfANodeThatOnlyTheCacheDoesNotHaveStays() {
        cluster.withhold(ResourceType.NODES);
        node("there", "True", "");
        pod("p", "nodeName: there,", "Running");
        after(Duration.ofMinutes(3));
        assertThat(isDeleted()).isFalse();
        assertThat(cluster.requests.take()).contains("get nodes there").noneMatch(line -> line.contains("pods"));
    }

    @Test
    void aPodStaysWhileTheApiServerCannotSayWhetherItsNodeExists() {
        pod("p", "nodeName: gone,", "Running");
        after(Duration.ZERO);
        cluster.requests.failNext("get nodes gone", 500, "InternalError", "out of order");
        after(Duration.ofSeconds(79));
        assertThat(isDeleted()).isFalse();
        after(Duration.ofSeconds(1));
        assertThat(isDeleted()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"False, out-of-service, true", "Unknown, out-of-service, true", "True, out-of-service, false",
            "False, unreachable, false"})
    void aTerminatingPodIsDeletedOnANodeThatIsNotReadyAndOutOfService(String ready, String taint, boolean deleted) {
        node("down", ready, "{key: node.kubernetes.io/" + taint + ", effect: NoExecute}");
        pod("p", "nodeName: down,", "Running");
        after(Duration.ZERO);
        assertThat(writes()).as("it does not terminate").isEmpty();
        cluster.delete(ResourceType.PODS, POD);
        after(PodGarbageCollector.PERIOD);
        assertThat(read().getStatus().getPhase()).isEqualTo(deleted ? "Failed" : "Running");
        assertThat(read().getMetadata().getDeletionGracePeriodSeconds()).isEqualTo(deleted ? 0 : 30);
        assertThat(read().getStatus().getConditions()).isNullOrEmpty();
    }

    @Test
    void ofTooManyEndedPodsTheEvictedAndTheOldestAreDeleted() {
        node("n", "True", "");
        for (int i = 0; i < 6; i++) {
            cluster.create(ResourceType.PODS, V1Pod.class,
                    """
                            {metadata: {namespace: default, name: p%d}, spec: {nodeName: n,
                             containers: [{name: a, image: app}]},
                             status: {phase: %s, reason: %s}}""",
                    i, i % 2 == 0 ? "Succeeded" : "Failed",
                    i == 5 ? "Evicted" : "Other");
            cluster.clock.advance(Duration.ofSeconds(1));
        }
        pod("p", "nodeName: n,", "Running");
        after(Duration.ZERO);
        assertThat(cluster.all(ResourceType.PODS, V1Pod.class)).extracting(pod -> pod.getMetadata().getName())
                .containsExactly("p", "p2", "p3", "p4");
        assertThat(writes()).hasSize(3).allMatch(line -> line.startsWith("delete"));
        assertThat(cluster.measures).containsOnly(
                Map.entry("pod_gc_collector_force_delete_pods_total{default,terminated}", 3.0));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void allEndedPodsStayWithoutAThreshold(int threshold) {
        collector = collector(threshold);
        IntStream.range(0, 5).forEach(i -> pod("p" + i, "", "Succeeded"));
        after(Duration.ZERO);
        assertThat(writes()).isEmpty();
    }

    /** Server-side apply would refuse such a pod. */
    @ParameterizedTest
    @ValueSource(strings = {"containers: [{name: a, image: app, env: [{name: X, value: '1'}, {name: X, value: '2'}]}]",
            "containers: [{name: a, image: app, ports: [{containerPort: 93, hostPort: 9376, protocol: TCP}, "
                    + "{containerPort: 93, hostPort: 9377, protocol: TCP}]}]"})
    void aPodWithRepeatedKeysInListsIsDeletedLikeAnyOther(String spec) {
        cluster.create(ResourceType.PODS, V1Pod.class, "{metadata: {namespace: default, name: p, finalizers: ["
                + "test.k8s.io/finalizer]}, spec: {nodeName: gone, " + spec + "}, status: {phase: Running}}");
        after(Duration.ZERO);
        after(Duration.ofSeconds(40));
        assertThat(isDeleted()).isTrue();
        assertThat(read().getStatus().getPhase()).isEqualTo("Failed");
    }

    @Test
    void theRoundsAre20SecondsApart() {
        node("n", "True", "");
        after(Duration.ZERO);
        pod("p", "", "Pending");
        cluster.delete(ResourceType.PODS, POD);
        after(Duration.ofSeconds(19));
        assertThat(writes()).isEmpty();
        after(Duration.ofSeconds(1));
        assertThat(writes()).hasSize(2);
        assertThat(plan()).as("it is Failed already").hasSize(1);
        assertThat(collector.plan("pods", ObjectKey.of("default", "none"))).isEmpty();
    }

    private List<Action> plan() {
        return collector.plan("pods", POD).orElseThrow();
    }

    @Test
    void thePlanOfAPodOfAMissingNodeIsThatOfTheRoundAndEndsNoQuarantine() {
        pod("p", "nodeName: gone,", "Running");
        after(Duration.ZERO);
        assertThat(plan()).isEmpty();
        cluster.clock.advance(Duration.ofSeconds(40));
        assertThat(plan()).hasSize(2).isEqualTo(plan());
        after(Duration.ZERO);
        assertThat(isDeleted()).isTrue();
    }
}
