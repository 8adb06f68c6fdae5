package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import static org.assertj.core.api.Assertions.assertThat;

/** A node refuses pods that were bound to it and that it cannot run. */
class PodAdmissionTest {
    private final NodeHarness node = new NodeHarness(
            NodeAgentOptions.hollow("node-1", 0).withCapacity(Map.of("cpu", "2", "memory", "1Gi", "pods", "3")));

    private static V1Pod pod(String name, String resource, String quantity) {
        V1Pod pod = NodeHarness.pod(name, Map.of(), NodeHarness.container("web"));
        if (!resource.isEmpty()) {
            pod.getSpec().getContainers().get(0).resources(
                    new V1ResourceRequirements().requests(Map.of(resource, Quantity.fromString(quantity))));
        }
        return pod;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "cpu|1500m|OutOfcpu|resource: cpu, requested: 1500, used: 1500, capacity: 2000",
            "memory|600Mi|OutOfmemory|resource: memory, requested: 629145600, used: 629145600, capacity: 1073741824",
            "hugepages-2Mi|2Mi|OutOfhugepages-2Mi|resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0"})
    void aPodThatDoesNotFitBesideTheOthersFailsWithKubeletsReason(String resource, String quantity, String reason,
            String message) {
        node.create(pod("first", resource, quantity));
        node.create(pod("second", resource, quantity));

        assertThat(node.get("second").getStatus().getPhase()).isEqualTo("Failed");
        assertThat(node.get("second").getStatus().getReason()).isEqualTo(reason);
        assertThat(node.get("second").getStatus().getMessage()).startsWith("Pod was rejected: ").contains(message);
        assertThat(node.get("second").getStatus().getContainerStatuses()).isNullOrEmpty();
        assertThat(node.events).anyMatch(e -> e.startsWith("Warning " + reason + ": Node didn't have enough resource"));
    }

    @Test
    void aFullNodeIsOutOfPodsUntilOneGoesAndARejectedOneCanBeDeleted() {
        for (String name : List.of("a", "b", "c", "d")) {
            node.create(name);
        }
        assertThat(node.get("d").getStatus().getReason()).isEqualTo("OutOfpods");
        assertThat(node.phase("c")).isEqualTo("Running");

        node.delete("d", null);
        node.delete("a", null);
        node.pass(Duration.ofSeconds(5));
        assertThat(node.exists("d")).isFalse();
        node.create("e");

        assertThat(node.phase("e")).isEqualTo("Running");
    }

    @Test
    void aRejectedPodStaysRejectedAndIsNeverStarted() {
        node.create(pod("big", "cpu", "3"));
        node.pass(Duration.ofMinutes(5));

        assertThat(node.phase("big")).isEqualTo("Failed");
        assertThat(node.events).noneMatch(e -> e.contains("Started"));
        assertThat(node.events.stream().filter(e -> e.contains("OutOfcpu"))).hasSize(1);
    }

    @Test
    void aPodWhoseNodeSelectorDoesNotMatchIsRejected() {
        V1Pod pod = pod("a", "", "");
        pod.getSpec().nodeSelector(Map.of("disk", "ssd"));
        node.create(pod);

        assertThat(node.get("a").getStatus().getReason()).isEqualTo("NodeAffinity");
    }

    @Test
    void aCriticalPodIsAlwaysTaken() {
        V1Pod pod = pod("a", "cpu", "64");
        pod.getSpec().priority(2_000_000_000);
        node.create(pod);

        assertThat(node.phase("a")).isEqualTo("Running");
    }

    @Test
    void podsThatRunAreKeptByANewAgentHoweverLittleRoomItHas() {
        node.create(pod("a", "cpu", "2"));
        node.agent.close();
        node.agent = node.start(NodeAgentOptions.hollow("node-1", 0).withCapacity(Map.of("cpu", "1", "pods", "3")));
        node.settle();

        assertThat(node.phase("a")).isEqualTo("Running");
    }

    @Test
    void aPodsRequestsAreKubeletsSum() {
        V1Pod pod = NodeHarness.pod("a", Map.of(), container("m1", "1"), container("m2", "2"));
        pod.getSpec().initContainers(List.of(container("s", "500m").restartPolicy("Always"), container("i", "4")));

        assertThat(PodAdmission.requests(pod.getSpec()).get("cpu")).isEqualByComparingTo("4.5");
        pod.getSpec().overhead(Map.of("cpu", Quantity.fromString("1")));
        assertThat(PodAdmission.requests(pod.getSpec()).get("cpu")).isEqualByComparingTo("5.5");
    }

    private static io.kubernetes.client.openapi.models.V1Container container(String name, String cpu) {
        return NodeHarness.container(name).resources(
                new V1ResourceRequirements().requests(Map.of("cpu", Quantity.fromString(cpu))));
    }

    @Test
    void aLivenessProbeThatFailsRestartsTheContainer() {
        node.create("a", "live-for", "30s");
        assertThat(node.phase("a")).isEqualTo("Running");
        node.pass(Duration.ofSeconds(33));

        assertThat(node.status("a").getRestartCount()).isEqualTo(1);
        assertThat(node.status("a").getLastState().getTerminated().getExitCode()).isEqualTo(137);
        assertThat(node.state("a")).isEqualTo("Running");
        assertThat(node.events).anyMatch(e -> e.startsWith("Warning Unhealthy: Liveness probe failed"))
                .anyMatch(e -> e.equals("Normal Killing: Container web failed liveness probe, will be restarted"));
    }
}
