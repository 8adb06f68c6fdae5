package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodIP;
import io.kubernetes.client.openapi.models.V1PodReadinessGate;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;

import static org.assertj.core.api.Assertions.assertThat;

/** A hollow node, from the API server's watch to the written status. */
class HollowNodeTest {
    private final NodeHarness node = new NodeHarness();

    @Test
    void aBoundPodBecomesRunningAndReady() {
        node.create("web");

        V1PodStatus status = node.get("web").getStatus();
        assertThat(status.getPhase()).isEqualTo("Running");
        assertThat(status.getPodIP()).isEqualTo("10.244.0.2");
        assertThat(status.getHostIP()).isEqualTo("10.128.0.1");
        assertThat(status.getStartTime()).isNotNull();
        assertThat(status.getObservedGeneration()).isEqualTo(1);
        for (String type : List.of("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady",
                "PodScheduled")) {
            assertThat(node.condition("web", type)).as(type).isEqualTo("True");
        }
        V1ContainerStatus web = node.status("web");
        assertThat(web.getReady()).isTrue();
        assertThat(web.getStarted()).isTrue();
        assertThat(web.getRestartCount()).isZero();
        assertThat(web.getImage()).isEqualTo("docker.io/library/nginx:1.27");
        assertThat(web.getImageID()).startsWith("docker.io/library/nginx@sha256:");
        assertThat(web.getContainerID()).startsWith("hollow://");
        assertThat(web.getState().getRunning()).isNotNull();
        assertThat(node.events).extracting(e -> e.substring(0, e.indexOf(':'))).containsExactly("Normal Pulled",
                "Normal Created", "Normal Started");
    }

    @Test
    void aPodThatStartsAtOnceIsReportedByOneWrite() {
        node.create("web");
        node.pass(Duration.ofMinutes(5));

        assertThat(node.writes("patch pods/status")).isEqualTo(1);
    }

    @Test
    void podsOfOtherNodesAreNotTouched() {
        V1Pod other = NodeHarness.pod("web", Map.of(), NodeHarness.container("web"));
        other.getSpec().nodeName("node-2");

        node.create(other);

        assertThat(node.phase("web")).isEqualTo("Pending");
        assertThat(node.writes("patch pods/status")).isZero();
    }

    @Test
    void aDeletedPodStopsIsReportedTerminalAndIsGone() {
        node.create("web", "stop-delay", "5s");

        node.delete("web", null);
        assertThat(node.state("web")).isEqualTo("Running");
        node.pass(Duration.ofSeconds(4));
        assertThat(node.exists("web")).isTrue();
        node.pass(Duration.ofSeconds(2));

        assertThat(node.exists("web")).isFalse();
        assertThat(node.events).anyMatch(e -> e.startsWith("Normal Killing: Stopping container web"));
        assertThat(node.writes()).endsWith("patch pods/status default/web", "delete pods default/web");
    }

    @Test
    void aPodThatDoesNotStopIsKilledWhenItsGracePeriodEnds() {
        node.create("web", "stop-delay", "10m");

        node.delete("web", 7L);
        node.pass(Duration.ofSeconds(6));
        assertThat(node.exists("web")).isTrue();
        node.pass(Duration.ofSeconds(2));

        assertThat(node.exists("web")).isFalse();
    }

    @Test
    void aSecondDeletionShortensTheGracePeriod() {
        node.create("web", "stop-delay", "10m");
        node.delete("web", 60L);
        node.pass(Duration.ofSeconds(5));

        node.delete("web", 1L);
        node.pass(Duration.ofSeconds(2));

        assertThat(node.exists("web")).isFalse();
    }

    @Test
    void anAddressIsFreedWhenItsPodHasStopped() {
        node.create("a");
        node.create("b");
        node.delete("a", null);

        node.create("c");

        assertThat(node.get("c").getStatus().getPodIP()).isEqualTo("10.244.0.2");
        assertThat(node.get("b").getStatus().getPodIP()).isEqualTo("10.244.0.3");
    }

    @Test
    void aPodOfTheSameNameIsAnotherPodAfterAForcedDeletion() {
        V1Pod first = node.create("web", "stop-delay", "10m");
        node.delete("web", 0L);

        V1Pod second = node.create("web");
        node.pass(Duration.ofMinutes(2));

        assertThat(second.getMetadata().getUid()).isNotEqualTo(first.getMetadata().getUid());
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.get("web").getMetadata().getUid()).isEqualTo(second.getMetadata().getUid());
    }

    @Test
    void aStatusThatSomeoneElseChangedIsPutRight() {
        node.create("web");

        node.cluster.user().resource(ResourceType.PODS, V1Pod.class).patch(ObjectKey.of("default", "web"), "status",
                PatchType.STRATEGIC_MERGE, "{\"status\":{\"phase\":\"Pending\",\"podIP\":\"1.2.3.4\"}}");
        node.settle();

        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.get("web").getStatus().getPodIP()).isEqualTo("10.244.0.2");
    }

    @Test
    void anAddressThatThePodNoLongerHasIsReplacedAndNotJoinedByTheNewOne() {
        node.create("web");

        node.cluster.user().resource(ResourceType.PODS, V1Pod.class).patch(ObjectKey.of("default", "web"), "status",
                PatchType.MERGE, "{\"status\":{\"podIP\":\"10.244.0.77\",\"podIPs\":[{\"ip\":\"10.244.0.77\"}]}}");
        node.settle();

        assertThat(node.get("web").getStatus().getPodIPs()).extracting(V1PodIP::getIp).containsExactly("10.244.0.2");
    }

    @Test
    void conditionsOfOthersStayAndReadinessGatesHoldReadyBack() {
        V1Pod pod = NodeHarness.pod("web", Map.of(), NodeHarness.container("web"));
        pod.getSpec().addReadinessGatesItem(new V1PodReadinessGate().conditionType("example.com/gate"));
        node.create(pod);
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
        assertThat(node.condition("web", "ContainersReady")).isEqualTo("True");

        node.pods.patch(ObjectKey.of("default", "web"), "status", PatchType.STRATEGIC_MERGE,
                "{\"status\":{\"conditions\":[{\"type\":\"example.com/gate\",\"status\":\"True\"}]}}");
        node.settle();

        assertThat(node.condition("web", "Ready")).isEqualTo("True");
        assertThat(node.condition("web", "example.com/gate")).isEqualTo("True");
    }

    @Test
    void aTransitionTimeStaysWhileItsConditionStays() {
        node.create("web", "ready-delay", "10s");
        V1PodCondition before = PodConditions.find(node.get("web").getStatus(), "PodScheduled");
        V1PodCondition unready = PodConditions.find(node.get("web").getStatus(), "Ready");

        node.pass(Duration.ofSeconds(11));

        V1PodCondition after = PodConditions.find(node.get("web").getStatus(), "PodScheduled");
        V1PodCondition ready = PodConditions.find(node.get("web").getStatus(), "Ready");
        assertThat(after).isEqualTo(before);
        assertThat(ready).isNotNull().isNotEqualTo(unready).satisfies(c -> {
            assertThat(c.getStatus()).isEqualTo("True");
            assertThat(c.getReason()).isNull();
            assertThat(c.getMessage()).isNull();
        });
    }

    @Test
    void aWriteThatFailsIsTriedAgain() {
        node.settle();
        V1Pod pod = NodeHarness.pod("web", Map.of(), NodeHarness.container("web"));
        node.pods.create(pod);
        node.cluster.requests.failNext("patch pods/status default/web", 500, "InternalError", "oops");
        node.settle();

        node.pass(Duration.ofSeconds(2));

        assertThat(node.phase("web")).isEqualTo("Running");
    }

    @Test
    void aPodThatHasRunToItsEndIsDeletedWhenAsked() {
        V1Pod pod = NodeHarness.pod("job", Map.of(HollowProfile.PREFIX + "run-for", "3s"),
                NodeHarness.container("web"));
        pod.getSpec().restartPolicy("Never");
        node.create(pod);
        node.pass(Duration.ofSeconds(5));
        assertThat(node.phase("job")).isEqualTo("Succeeded");
        assertThat(node.state("job")).isEqualTo("Terminated Completed 0");

        node.delete("job", null);
        node.pass(Duration.ofSeconds(5));

        assertThat(node.exists("job")).isFalse();
    }

    @Test
    void aNodeThatStartsAnewGoesOnWithWhatItReportedBefore() {
        node.create("web");
        node.create("slow", "ready-delay", "1h");
        V1Pod before = node.get("web");
        V1Pod slow = node.get("slow");

        node.agent.close();
        node.agent = node.start(NodeAgentOptions.hollow("node-1", 0));
        node.pass(Duration.ofMinutes(3));

        assertThat(node.get("web").getStatus()).isEqualTo(before.getStatus());
        assertThat(node.get("slow").getStatus()).isEqualTo(slow.getStatus());
        node.delete("web", null);
        assertThat(node.exists("web")).isFalse();
    }

    @Test
    void aPodThatFinishedBeforeTheNodeStartedIsOnlyCleanedUp() {
        V1Pod pod = NodeHarness.pod("job", Map.of(), NodeHarness.container("web"));
        pod.getSpec().restartPolicy("Never");
        pod.status(new V1PodStatus().phase("Failed").reason("Evicted"));

        node.create(pod);

        assertThat(node.phase("job")).isEqualTo("Failed");
        assertThat(node.get("job").getStatus().getReason()).isEqualTo("Evicted");
        node.delete("job", null);
        assertThat(node.exists("job")).isFalse();
    }

    @Test
    void theIncomingObjectsAreNeverChanged() {
        V1Pod pod = node.create("web");
        V1Pod copy = ModelJson.copy(pod);
        node.pass(Duration.ofMinutes(2));

        assertThat(pod).isEqualTo(copy);
    }

    @Test
    void manyPodsAllBecomeReadyEachByOneWrite() {
        node.settle();
        for (int i = 0; i < 110; i++) {
            node.pods.create(NodeHarness.pod("p" + i, Map.of(), NodeHarness.container("web")));
        }
        node.settle();

        for (int i = 0; i < 110; i++) {
            assertThat(node.condition("p" + i, "Ready")).isEqualTo("True");
        }
        assertThat(node.writes("patch pods/status")).isEqualTo(110);
    }
}
