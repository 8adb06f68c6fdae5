package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1PriorityClass;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulerTest {
    private static final ResourceType PRIORITY_CLASSES = new ResourceType("scheduling.k8s.io", "v1",
            "priorityclasses", "PriorityClass", false);
    private final Cluster cluster = new Cluster();
    private final List<String> events = new ArrayList<>();
    private final Scheduler scheduler = new Scheduler(SchedulerConfig.DEFAULT, cluster.client(), cluster.informers(),
            name -> (type, object, fieldPath, eventType, reason, message) -> events
                    .add(eventType + " " + reason + " " + object.getMetadata().getName() + ": " + message),
            cluster.clock, Meters.NONE, 1, 2);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void node(String name, String cpu) {
        cluster.create(ResourceType.NODES, V1Node.class, """
                {metadata: {name: %s}, status: {capacity: {cpu: '%2$s', memory: 8Gi, pods: '110'},
                 allocatable: {cpu: '%2$s', memory: 8Gi, pods: '110'},
                 conditions: [{type: Ready, status: 'True'}]}}""", name, cpu);
    }

    /** @param spec more fields of the pod's spec, each followed by a comma */
    private ObjectKey pod(String name, String cpu, String spec) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {name: %s, namespace: default},
                 spec: {%s containers: [{name: c, image: app, resources: {requests: {cpu: %s}}}]}}""", name, spec, cpu);
        return ObjectKey.of("default", name);
    }

    private ObjectKey pod(String name, String cpu) {
        return pod(name, cpu, "");
    }

    /** Steps the loops without delivering events. */
    private void work() {
        Cluster.work(scheduler.loops());
    }

    private void settle() {
        cluster.settle(scheduler.loops());
    }

    private String nodeOf(ObjectKey pod) {
        return cluster.json(ResourceType.PODS, pod).path("spec").path("nodeName").asString("");
    }

    @Test
    void bindsAPendingPodAndSaysSo() {
        node("node-1", "4");
        ObjectKey web = pod("web-x", "'1'");
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
        assertThat(cluster.requests.take()).containsExactly("create pods/binding default/web-x");
        assertThat(events).containsExactly(
                "Normal Scheduled web-x: Successfully assigned default/web-x to node-1");
    }

    @Test
    void waitsUntilEveryPodThatIsThereHasBeenCounted() {
        assertThat(Cluster.step(scheduler.loops().get(0))).isGreaterThan(Loop.BUSY);
        pod("web", "'0'");
        node("node-1", "4");
        work();
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void twoPodsDoNotTakeOnePlaceBeforeTheCacheShowsTheFirst() {
        node("node-1", "1");
        ObjectKey a = pod("a", "'1'");
        ObjectKey b = pod("b", "'1'");
        cluster.deliver();
        work();
        assertThat(List.of(nodeOf(a), nodeOf(b))).containsExactlyInAnyOrder("node-1", "");
    }

    @Test
    void saysOnceWhyAPodFitsNowhereAndTriesAgainWhenPodsGo() {
        node("node-1", "1");
        ObjectKey first = pod("first", "'1'", "nodeName: node-1,");
        ObjectKey second = pod("second", "'1'");
        settle();
        String message = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
                + "1 No preemption victims found for incoming pod.";
        assertThat(events).containsExactly("Warning FailedScheduling second: " + message);
        var condition = cluster.json(ResourceType.PODS, second).path("status").path("conditions").get(0);
        assertThat(condition.path("type").asString()).isEqualTo("PodScheduled");
        assertThat(condition.path("status").asString()).isEqualTo("False");
        assertThat(condition.path("reason").asString()).isEqualTo("Unschedulable");
        assertThat(condition.path("message").asString()).isEqualTo(message);
        assertThat(cluster.requests.take()).hasSize(1);

        cluster.remove(ResourceType.PODS, first);
        settle();
        assertThat(nodeOf(second)).as("its backoff is not over").isEmpty();
        cluster.clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(second)).isEqualTo("node-1");
    }

    @Test
    void aConditionThatSaysTheSameIsNotWrittenAgain() {
        ObjectKey web = pod("web", "'0'");
        settle();
        assertThat(cluster.requests.take()).hasSize(1);
        assertThat(cluster.json(ResourceType.PODS, web).path("status").path("conditions").get(0).path("message")
                .asString()).isEqualTo("no nodes available to schedule pods");
        cluster.clock.advance(Duration.ofMinutes(5));
        settle();
        assertThat(cluster.requests.take()).isEmpty();
        assertThat(events).hasSize(2);
    }

    @Test
    void aNewNodeBringsPodsBack() {
        ObjectKey web = pod("web", "'0'");
        settle();
        node("node-1", "4");
        cluster.clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
    }

    @Test
    void theHeartbeatOfANodeBringsNobodyBack() {
        node("node-1", "1");
        pod("web", "'2'");
        settle();
        cluster.clock.advance(Duration.ofSeconds(20));
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("node-1"), node -> node.getStatus()
                .getConditions().getFirst().setLastHeartbeatTime(cluster.clock.now().atOffset(ZoneOffset.UTC)));
        settle();
        assertThat(events).hasSize(1);
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("node-1"),
                node -> node.getStatus().getAllocatable().put("cpu", Quantity.fromString("2")));
        settle();
        assertThat(events).hasSize(2);
    }

    @Test
    void leavesAloneWhatIsNotItsBusiness() {
        node("node-1", "4");
        pod("other", "'0'", "schedulerName: mine,");
        ObjectKey gated = pod("gated", "'0'", "schedulingGates: [{name: g}],");
        pod("assigned", "'0'", "nodeName: node-9,");
        settle();
        assertThat(cluster.requests.take()).isEmpty();
        assertThat(events).isEmpty();
        cluster.edit(ResourceType.PODS, V1Pod.class, gated, pod -> pod.getSpec().setSchedulingGates(null));
        settle();
        assertThat(cluster.requests.take()).containsExactly("create pods/binding default/gated");
    }

    @Test
    void aBindingThatFailsGivesThePlaceBackAndIsTriedAgain() {
        node("node-1", "1");
        ObjectKey web = pod("web", "'1'");
        cluster.requests.failNext("create pods/binding", 500, "InternalError", "try again");
        settle();
        assertThat(nodeOf(web)).isEmpty();
        cluster.clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
    }

    @Test
    void aBindingOfUnknownFateIsSettledByALiveRead() {
        node("node-1", "1");
        ObjectKey web = pod("web", "'1'");
        cluster.requests.failNext("create pods/binding", 504, "Timeout", "no answer");
        settle();
        assertThat(cluster.requests.take()).containsExactly("create pods/binding default/web", "get pods default/web");
        cluster.clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
        assertThat(events).hasSize(1);
    }

    @Test
    void aPodThatEndsFreesItsPlace() {
        node("node-1", "1");
        pod("job", "'1'", "nodeName: node-1,");
        ObjectKey web = pod("web", "'1'");
        settle();
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "job"),
                job -> job.setStatus(new V1PodStatus().phase("Succeeded")));
        cluster.clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
    }

    private void priority(String name, int value) {
        cluster.create(PRIORITY_CLASSES, V1PriorityClass.class, "{metadata: {name: %s}, value: %s}", name, value);
    }

    @Test
    void aPodOfLessPriorityGoesInFavourOfAnotherOneWhichWaitsForItsEnd() {
        priority("low", 1);
        priority("high", 10);
        node("node-1", "1");
        ObjectKey first = pod("first", "'1'", "nodeName: node-1, priorityClassName: low,");
        ObjectKey second = pod("second", "'1'", "priorityClassName: high,");
        settle();
        JsonNode gone = cluster.json(ResourceType.PODS, first);
        assertThat(gone.at("/metadata/deletionTimestamp").isString()).isTrue();
        assertThat(gone.at("/status/conditions/0/type").asString()).isEqualTo("DisruptionTarget");
        assertThat(gone.at("/status/conditions/0/reason").asString()).isEqualTo("PreemptionByScheduler");
        assertThat(events).containsExactly(
                "Normal Preempted first: Preempted by pod "
                        + cluster.json(ResourceType.PODS, second).at("/metadata/uid").asString() + " on node node-1",
                "Warning FailedScheduling second: 0/1 nodes are available: 1 Insufficient cpu.");
        assertThat(cluster.json(ResourceType.PODS, second).at("/status/nominatedNodeName").asString())
                .isEqualTo("node-1");

        cluster.clock.advance(Duration.ofMinutes(5));
        settle();
        assertThat(events.getLast()).as("nobody else goes meanwhile").contains("a terminating pod on the nominated");

        ObjectKey third = pod("third", "'1'", "priorityClassName: low,");
        cluster.remove(ResourceType.PODS, first);
        settle();
        cluster.clock.advance(Duration.ofSeconds(10));
        settle();
        assertThat(List.of(nodeOf(second), nodeOf(third))).as("the place is kept").containsExactly("node-1", "");
    }

    @Test
    void thePlaceForWhichOthersGoIsKeptByTheNextScheduler() {
        priority("high", 10);
        node("node-1", "2");
        ObjectKey goes = pod("goes", "'1'", "nodeName: node-1,");
        cluster.edit(ResourceType.PODS, V1Pod.class, goes, pod -> pod.getStatus()
                .addConditionsItem(new V1PodCondition().type("DisruptionTarget").status("True")
                        .reason("PreemptionByScheduler")));
        cluster.delete(ResourceType.PODS, goes);
        ObjectKey waits = pod("waits", "'2'", "priorityClassName: high,");
        cluster.edit(ResourceType.PODS, V1Pod.class, waits, pod -> pod.getStatus().setNominatedNodeName("node-1"));
        ObjectKey other = pod("other", "'1'");
        settle();
        assertThat(nodeOf(other)).isEmpty();
        assertThat(cluster.json(ResourceType.PODS, waits).at("/status/nominatedNodeName").asString())
                .isEqualTo("node-1");

        cluster.remove(ResourceType.PODS, goes);
        cluster.clock.advance(Duration.ofSeconds(10));
        settle();
        assertThat(List.of(nodeOf(waits), nodeOf(other))).containsExactly("node-1", "");
    }

    @Test
    void ofPodsThatWaitThoseOfMorePriorityComeFirst() {
        priority("high", 10);
        ObjectKey first = pod("first", "'1'");
        ObjectKey second = pod("second", "'1'", "priorityClassName: high,");
        node("node-1", "1");
        settle();
        assertThat(List.of(nodeOf(first), nodeOf(second))).containsExactly("", "node-1");
    }

    @Test
    void afterCloseNothingIsWritten() {
        node("node-1", "1");
        pod("web", "'0'");
        cluster.deliver();
        scheduler.close();
        for (Loop loop : scheduler.loops()) {
            assertThat(Cluster.step(loop)).isEqualTo(Loop.IDLE);
        }
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void aPodOfAnUnknownSchedulerIsLeftAlone() {
        node("node-1", "4");
        ObjectKey other = pod("other", "'1'", "schedulerName: another,");
        settle();
        assertThat(nodeOf(other)).isEmpty();
        assertThat(events).isEmpty();
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void eachProfileTakesItsPodsAndSaysSoInItsName() {
        node("node-1", "4");
        List<String> sources = new ArrayList<>();
        Scheduler two = new Scheduler(ProfileTexts.config("profiles: [{schedulerName: one}, {schedulerName: two}]"),
                cluster.client(), cluster.informers(), name -> (type, object, fieldPath, eventType, reason,
                        message) -> sources.add(name + " " + reason + " " + object.getMetadata().getName()),
                cluster.clock, Meters.NONE, 1, 1);
        pod("a", "'1'", "schedulerName: one,");
        pod("b", "'1'", "schedulerName: two,");
        ObjectKey ours = pod("c", "'1'");
        cluster.settle(two.loops());
        assertThat(sources).containsExactlyInAnyOrder("one Scheduled a", "two Scheduled b");
        assertThat(nodeOf(ours)).isEmpty();
    }
}
