package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.fake.FakeCluster;
import dev.wheelhouse.fake.FakeInformers;
import dev.wheelhouse.fake.Stepped;
import dev.wheelhouse.fake.Yaml;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.workqueue.WorkQueueMetrics;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulerTest {
    private final ManualClock clock = new ManualClock();
    private final FakeCluster cluster = new FakeCluster(clock);
    private final FakeInformers informers = new FakeInformers(cluster);
    private final List<String> events = new ArrayList<>();
    private Scheduler scheduler;

    @BeforeEach
    void start() {
        scheduler = new Scheduler(cluster, informers,
                (type, object, fieldPath, eventType, reason, message) -> events.add(eventType + " " + reason + " "
                        + object.getMetadata().getName() + ": " + message),
                clock, SchedulerMetrics.NONE, WorkQueueMetrics.NONE, 1, 2);
    }

    private void node(String name, String cpu) {
        cluster.put(ResourceType.NODES,
                Yaml.read(("{metadata: {name: %s, uid: node-%s}, status: {allocatable: {cpu: '%s', "
                        + "memory: 8Gi, pods: '110'}, conditions: [{type: Ready, status: 'True'}]}}")
                        .formatted(name, name, cpu),
                        V1Node.class));
    }

    private ObjectKey pod(String name, String spec) {
        cluster.put(ResourceType.PODS, Yaml.read(
                "{metadata: {name: %s, namespace: default, uid: uid-%s}, spec: {%s}}".formatted(name, name, spec),
                V1Pod.class));
        return ObjectKey.of("default", name);
    }

    private static String cpu(String amount) {
        return "containers: [{name: c, resources: {requests: {cpu: %s}}}]".formatted(amount);
    }

    /** Steps the loops without delivering events. */
    private void work() throws InterruptedException {
        Stepped.work(scheduler.loops());
    }

    private void settle() throws InterruptedException {
        do {
            work();
        } while (informers.deliver());
        work();
    }

    private String nodeOf(ObjectKey pod) {
        return cluster.json(ResourceType.PODS, pod).path("spec").path("nodeName").asString("");
    }

    @Test
    void bindsAPendingPodAndSaysSo() throws InterruptedException {
        node("node-1", "4");
        ObjectKey web = pod("web-x", cpu("'1'"));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
        assertThat(cluster.takeRequests()).containsExactly("create pods/binding default/web-x");
        assertThat(events).containsExactly(
                "Normal Scheduled web-x: Successfully assigned default/web-x to node-1");
    }

    @Test
    void waitsUntilEveryPodThatIsThereHasBeenCounted() throws InterruptedException {
        assertThat(scheduler.loops().get(0).step()).isGreaterThan(Loop.BUSY);
        pod("web", "");
        node("node-1", "4");
        work();
        assertThat(cluster.takeRequests()).isEmpty();
    }

    @Test
    void twoPodsDoNotTakeOnePlaceBeforeTheCacheShowsTheFirst() throws InterruptedException {
        node("node-1", "1");
        ObjectKey a = pod("a", cpu("'1'"));
        ObjectKey b = pod("b", cpu("'1'"));
        informers.deliver();
        work();
        assertThat(List.of(nodeOf(a), nodeOf(b))).containsExactlyInAnyOrder("node-1", "");
    }

    @Test
    void saysOnceWhyAPodFitsNowhereAndTriesAgainWhenPodsGo() throws InterruptedException {
        node("node-1", "1");
        ObjectKey first = pod("first", "nodeName: node-1, " + cpu("'1'"));
        ObjectKey second = pod("second", cpu("'1'"));
        settle();
        String message = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
                + "1 No preemption victims found for incoming pod.";
        assertThat(events).containsExactly("Warning FailedScheduling second: " + message);
        var condition = cluster.json(ResourceType.PODS, second).path("status").path("conditions").get(0);
        assertThat(condition.path("type").asString()).isEqualTo("PodScheduled");
        assertThat(condition.path("status").asString()).isEqualTo("False");
        assertThat(condition.path("reason").asString()).isEqualTo("Unschedulable");
        assertThat(condition.path("message").asString()).isEqualTo(message);
        assertThat(cluster.takeRequests()).hasSize(1);

        cluster.remove(ResourceType.PODS, first);
        settle();
        assertThat(nodeOf(second)).as("its backoff is not over").isEmpty();
        clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(second)).isEqualTo("node-1");
    }

    @Test
    void aConditionThatSaysTheSameIsNotWrittenAgain() throws InterruptedException {
        ObjectKey web = pod("web", "");
        settle();
        assertThat(cluster.takeRequests()).hasSize(1);
        assertThat(cluster.json(ResourceType.PODS, web).path("status").path("conditions").get(0).path("message")
                .asString()).isEqualTo("no nodes available to schedule pods");
        clock.advance(Duration.ofMinutes(5));
        settle();
        assertThat(cluster.takeRequests()).isEmpty();
        assertThat(events).hasSize(2);
    }

    @Test
    void aNewNodeBringsPodsBack() throws InterruptedException {
        ObjectKey web = pod("web", "");
        settle();
        node("node-1", "4");
        clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
    }

    @Test
    void theHeartbeatOfANodeBringsNobodyBack() throws InterruptedException {
        node("node-1", "1");
        pod("web", cpu("'2'"));
        settle();
        clock.advance(Duration.ofSeconds(20));
        node("node-1", "1");
        settle();
        assertThat(events).hasSize(1);
        node("node-1", "2");
        settle();
        assertThat(events).hasSize(2);
    }

    @Test
    void leavesAloneWhatIsNotItsBusiness() throws InterruptedException {
        node("node-1", "4");
        pod("other", "schedulerName: mine");
        pod("gated", "schedulingGates: [{name: g}]");
        pod("assigned", "nodeName: node-9");
        settle();
        assertThat(cluster.takeRequests()).isEmpty();
        assertThat(events).isEmpty();
        pod("gated", "");
        settle();
        assertThat(cluster.takeRequests()).containsExactly("create pods/binding default/gated");
    }

    @Test
    void aBindingThatFailsGivesThePlaceBackAndIsTriedAgain() throws InterruptedException {
        node("node-1", "1");
        ObjectKey web = pod("web", cpu("'1'"));
        cluster.failNext("create pods/binding", 500, "InternalError", "try again");
        settle();
        assertThat(nodeOf(web)).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
    }

    @Test
    void aBindingOfUnknownFateIsSettledByALiveRead() throws InterruptedException {
        node("node-1", "1");
        ObjectKey web = pod("web", cpu("'1'"));
        cluster.failNext("create pods/binding", 504, "Timeout", "no answer");
        settle();
        assertThat(cluster.takeRequests()).containsExactly("create pods/binding default/web", "get pods default/web");
        clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
        assertThat(events).hasSize(1);
    }

    @Test
    void aPodThatEndsFreesItsPlace() throws InterruptedException {
        node("node-1", "1");
        pod("job", "nodeName: node-1, " + cpu("'1'"));
        ObjectKey web = pod("web", cpu("'1'"));
        settle();
        V1Pod job = cluster.read(ResourceType.PODS, ObjectKey.of("default", "job"), V1Pod.class);
        job.setStatus(new io.kubernetes.client.openapi.models.V1PodStatus().phase("Succeeded"));
        cluster.put(ResourceType.PODS, job);
        clock.advance(Duration.ofSeconds(1));
        settle();
        assertThat(nodeOf(web)).isEqualTo("node-1");
    }

    @Test
    void afterCloseNothingIsWritten() throws InterruptedException {
        node("node-1", "1");
        pod("web", "");
        informers.deliver();
        scheduler.close();
        for (Loop loop : scheduler.loops()) {
            assertThat(loop.step()).isEqualTo(Loop.IDLE);
        }
        assertThat(cluster.takeRequests()).isEmpty();
    }
}
