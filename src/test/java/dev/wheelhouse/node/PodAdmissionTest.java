package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorRequirement;
import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodOS;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1Sysctl;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;

import static org.assertj.core.api.Assertions.assertThat;

/** A node rejects pods that were bound to it but that it cannot run. */
class PodAdmissionTest {
    private final NodeHarness node = new NodeHarness(
            NodeAgentOptions.hollow("node-1", 0).withCapacity(Map.of("cpu", "2", "memory", "1Gi", "pods", "3")));

    private static V1Pod pod(String name, String resource, String quantity) {
        V1Pod pod = NodeHarness.pod(name, Map.of(), NodeHarness.container("web"));
        if (!resource.isEmpty()) {
            // Huge pages need limits and another resource.
            Map<String, Quantity> amounts = resource.startsWith("hugepages-")
                    ? Map.of(resource, Quantity.fromString(quantity), "cpu", Quantity.fromString("1m"))
                    : Map.of(resource, Quantity.fromString(quantity));
            pod.getSpec().getContainers().get(0)
                    .resources(new V1ResourceRequirements().requests(amounts).limits(amounts));
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

    private void rejected(V1Pod pod, String reason, String message) {
        node.create(pod);
        String name = pod.getMetadata().getName();

        assertThat(node.phase(name)).isEqualTo("Failed");
        assertThat(node.get(name).getStatus().getReason()).isEqualTo(reason);
        assertThat(node.get(name).getStatus().getMessage()).isEqualTo("Pod was rejected: " + message);
        assertThat(node.events).contains("Warning " + reason + ": " + message);
    }

    @Test
    void aPodWhoseNodeSelectorDoesNotMatchIsRejected() {
        V1Pod pod = pod("a", "", "");
        pod.getSpec().nodeSelector(Map.of("disk", "ssd"));

        rejected(pod, "NodeAffinity",
                "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
    }

    private static V1Pod withAffinity(String name, String key, String operator, String... values) {
        V1Pod pod = pod(name, "", "");
        pod.getSpec().affinity(new V1Affinity().nodeAffinity(new V1NodeAffinity()
                .requiredDuringSchedulingIgnoredDuringExecution(new V1NodeSelector().addNodeSelectorTermsItem(
                        new V1NodeSelectorTerm().addMatchExpressionsItem(new V1NodeSelectorRequirement().key(key)
                                .operator(operator).values(List.of(values)))))));
        return pod;
    }

    @Test
    void aPodWhoseRequiredNodeAffinityDoesNotMatchIsRejected() {
        node.create(withAffinity("fits", "kubernetes.io/hostname", "In", "node-1", "node-2"));
        assertThat(node.phase("fits")).isEqualTo("Running");

        rejected(withAffinity("a", "kubernetes.io/hostname", "NotIn", "node-1"), "NodeAffinity",
                "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
    }

    @Test
    void aLabelThatTheNodeWasGivenMeanwhileCounts() {
        node.settle();
        node.cluster.user().resource(ResourceType.NODES, V1Node.class).patch(ObjectKey.cluster("node-1"), "",
                PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}");
        V1Pod pod = pod("a", "", "");
        pod.getSpec().nodeSelector(Map.of("disk", "ssd"));

        node.create(pod);

        assertThat(node.phase("a")).isEqualTo("Running");
    }

    @Test
    void whileTheNodeCannotBeReadAPodWaitsAndThenWhatIsKnownHasToDo() {
        node.settle();
        V1Pod pod = pod("a", "", "");
        pod.getSpec().nodeSelector(Map.of("disk", "ssd"));
        node.cluster.requests
                .fault((verb, type, key) -> type.equals(ResourceType.NODES) ? NodeHarness.unreachable() : null);
        node.create(pod);
        node.pass(PodAdmitter.PATIENCE.minusMillis(200));
        assertThat(node.phase("a")).isEqualTo("Pending");
        assertThat(node.events).isEmpty();

        node.pass(Duration.ofMillis(400));

        assertThat(node.get("a").getStatus().getReason()).isEqualTo("NodeAffinity");
    }

    @Test
    void aHostPortThatIsTakenIsRefusedUntilItIsFree() {
        for (String name : List.of("a", "b", "other-protocol")) {
            V1Pod pod = pod(name, "", "");
            pod.getSpec().getContainers().get(0).addPortsItem(new V1ContainerPort().containerPort(80).hostPort(8080)
                    .protocol(name.equals("other-protocol") ? "UDP" : "TCP"));
            node.create(pod);
        }
        assertThat(node.get("b").getStatus().getReason()).isEqualTo("NodePorts");
        assertThat(node.get("b").getStatus().getMessage()).isEqualTo("Pod was rejected: Predicate NodePorts failed:"
                + " node(s) didn't have free ports for the requested pod ports");
        assertThat(node.phase("other-protocol")).isEqualTo("Running");

        node.delete("a", null);
        V1Pod again = pod("c", "", "");
        again.getSpec().getContainers().get(0)
                .addPortsItem(new V1ContainerPort().containerPort(80).hostPort(8080).protocol("TCP"));
        node.create(again);
        assertThat(node.phase("c")).isEqualTo("Running");
    }

    @Test
    void aNoExecuteTaintThatIsNotToleratedIsReasonEnoughAndOthersAreTheSchedulersBusiness() {
        NodeAgentOptions tainted = NodeAgentOptions.hollow("node-1", 0)
                .withTaints(List.of(new V1Taint().key("dedicated").value("db").effect("NoExecute"),
                        new V1Taint().key("busy").effect("NoSchedule")));
        NodeHarness harness = new NodeHarness(tainted);
        V1Pod tolerating = pod("tolerating", "", "");
        tolerating.getSpec().addTolerationsItem(new V1Toleration().key("dedicated").operator("Exists"));
        harness.create(tolerating);
        harness.create(pod("a", "", ""));

        assertThat(harness.phase("tolerating")).isEqualTo("Running");
        assertThat(harness.get("a").getStatus().getReason()).isEqualTo("TaintToleration");
        assertThat(harness.get("a").getStatus().getMessage()).isEqualTo("Pod was rejected: Predicate TaintToleration"
                + " failed: node(s) had taints that the pod didn't tolerate");
    }

    @Test
    void aPodOfAnotherOperatingSystemIsRejected() {
        V1Pod windows = pod("os", "", "");
        windows.getSpec().os(new V1PodOS().name("windows"));
        rejected(windows, "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS");

        V1Pod labelled = pod("label", "", "");
        labelled.getMetadata().labels(Map.of("kubernetes.io/os", "windows"));
        rejected(labelled, "PodOSSelectorNodeLabelDoesNotMatch",
                "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label");
    }

    @ParameterizedTest
    @CsvSource({"kernel.shm_rmid_forced,Running", "net/ipv4/tcp_syncookies,Running", "kernel.msgmax,Failed",
            "net.ipv4.ip_forward,Failed", "net/core/somaxconn,Failed"})
    void onlySafeKernelParametersAreAccepted(String name, String phase) {
        V1Pod pod = pod("a", "", "");
        pod.getSpec().securityContext(new V1PodSecurityContext().addSysctlsItem(new V1Sysctl().name(name).value("1")));
        node.create(pod);

        assertThat(node.phase("a")).isEqualTo(phase);
        if (phase.equals("Failed")) {
            assertThat(node.get("a").getStatus().getReason()).isEqualTo("SysctlForbidden");
            assertThat(node.get("a").getStatus().getMessage())
                    .isEqualTo("Pod was rejected: forbidden sysctl: \"" + name + "\" not allowlisted");
        }
    }

    @Test
    void aCriticalPodHasToFitBesideOtherCriticalPodsOnlyButNothingElseIsForgiven() {
        node.create(pod("other", "cpu", "1500m"));
        V1Pod pod = pod("a", "cpu", "1500m");
        pod.getSpec().priorityClassName("system-cluster-critical");
        node.create(pod);
        assertThat(node.phase("a")).isEqualTo("Running");

        V1Pod large = pod("large", "cpu", "64");
        large.getSpec().priorityClassName("system-cluster-critical");
        rejected(large, "UnexpectedAdmissionError", "Unexpected error while attempting to recover from admission"
                + " failure: preemption: error finding a set of pods to preempt: no set of running pods found to"
                + " reclaim resources: [(res: cpu, q: 63500), ]");

        V1Pod elsewhere = pod("b", "cpu", "64");
        elsewhere.getSpec().priorityClassName("system-cluster-critical").nodeSelector(Map.of("disk", "ssd"));
        rejected(elsewhere, "NodeAffinity",
                "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
    }

    @Test
    void ofSeveralFailuresTheFirstInKubeletsOrderIsSaid() {
        V1Pod pod = pod("a", "cpu", "64");
        pod.getSpec().nodeSelector(Map.of("disk", "ssd"));
        node.create(pod);

        assertThat(node.get("a").getStatus().getReason()).isEqualTo("OutOfcpu");
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

        assertThat(PodAdmission.requests(pod).get("cpu")).isEqualByComparingTo("4.5");
        pod.getSpec().overhead(Map.of("cpu", Quantity.fromString("1")));
        assertThat(PodAdmission.requests(pod).get("cpu")).isEqualByComparingTo("5.5");
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
