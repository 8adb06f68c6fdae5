package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodeRegistrationTest {
    private static final ObjectKey LEASE = ObjectKey.of("kube-node-lease", "node-1");

    private final NodeHarness node = new NodeHarness(NodeAgentOptions.hollow("node-1", 0)
            .withLabels(Map.of("zone", "a"))
            .withTaints(List.of(new V1Taint().key("k").value("v").effect("NoSchedule"))));
    private final ResourceClient<V1Node> nodes = node.cluster.user().resource(ResourceType.NODES, V1Node.class);
    private final ResourceClient<V1Lease> leases = node.cluster.user().resource(ResourceType.LEASES, V1Lease.class);

    private V1Node get() {
        return nodes.get(ObjectKey.cluster("node-1"));
    }

    @Test
    void aNodeRegistersWithWhatItCanDo() {
        assertThat(node.agent.isReady()).isFalse();
        node.settle();

        V1Node registered = get();
        assertThat(registered.getMetadata().getLabels()).containsEntry("kubernetes.io/hostname", "node-1")
                .containsEntry("kubernetes.io/os", "linux").containsKey("kubernetes.io/arch")
                .containsEntry("zone", "a");
        assertThat(registered.getSpec().getPodCIDR()).isEqualTo("10.244.0.0/24");
        assertThat(registered.getSpec().getTaints()).extracting(V1Taint::getKey).containsExactly("k");
        assertThat(registered.getStatus().getAllocatable()).containsEntry("cpu", Quantity.fromString("4"))
                .containsEntry("memory", Quantity.fromString("8Gi")).containsEntry("pods", Quantity.fromString("110"));
        assertThat(registered.getStatus().getNodeInfo().getKubeletVersion()).isEqualTo("v1.36.0+wheelhouse");
        assertThat(registered.getStatus().getConditions()).extracting(c -> c.getType() + "=" + c.getStatus())
                .containsExactly("MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "Ready=True");
        assertThat(node.agent.isReady()).isTrue();
    }

    @Test
    void aNodeThatRanContainersBeforeIsHollowOnly() {
        node.cluster.create(ResourceType.NODES, V1Node.class,
                "{metadata: {name: node-1, labels: {wheelhouse.dev/real: 'true', own: x}}}");
        node.settle();

        assertThat(get().getMetadata().getLabels()).containsEntry("wheelhouse.dev/hollow", "true")
                .containsEntry("own", "x").doesNotContainKey("wheelhouse.dev/real");
    }

    @Test
    void theLeaseIsRenewedEveryTenSeconds() {
        node.settle();
        V1Lease first = leases.get(LEASE);
        assertThat(first.getSpec().getHolderIdentity()).isEqualTo("node-1");
        assertThat(first.getSpec().getLeaseDurationSeconds()).isEqualTo(40);
        assertThat(first.getMetadata().getOwnerReferences().get(0).getUid()).isEqualTo(get().getMetadata().getUid());

        node.pass(Duration.ofSeconds(61));

        assertThat(node.writes("update leases")).isEqualTo(6);
        Duration renewed = Duration.between(Objects.requireNonNull(first.getSpec().getRenewTime()),
                leases.get(LEASE).getSpec().getRenewTime());
        assertThat(renewed).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void theStatusIsReportedEveryFiveMinutes() {
        node.settle();
        long first = node.writes("patch nodes/status");

        node.pass(Duration.ofMinutes(16));

        assertThat(node.writes("patch nodes/status") - first).isEqualTo(3);
        assertThat(get().getStatus().getConditions()).allSatisfy(c -> {
            assertThat(c.getLastTransitionTime()).isBefore(c.getLastHeartbeatTime());
        });
    }

    @Test
    void aNodeThatSomeoneDeletesIsNotMadeAgain() {
        node.settle();
        nodes.delete(ObjectKey.cluster("node-1"), Deletion.unconditional());
        leases.delete(LEASE, Deletion.unconditional());
        node.pass(Duration.ofMinutes(10));

        assertThat(node.cluster.exists(ResourceType.NODES, ObjectKey.cluster("node-1"))).isFalse();
        assertThat(node.cluster.exists(ResourceType.LEASES, LEASE)).isFalse();
        assertThat(node.agent.isReady()).isTrue();
    }

    @Test
    void aNodeThatSomeoneCreatesAgainIsTakenOver() {
        node.settle();
        nodes.delete(ObjectKey.cluster("node-1"), Deletion.unconditional());
        node.pass(Duration.ofSeconds(11));
        node.cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: node-1}}");
        node.pass(Duration.ofSeconds(11));

        assertThat(get().getMetadata().getLabels()).containsEntry("zone", "a");
        assertThat(ready()).isEqualTo("True");
        assertThat(leases.get(LEASE).getMetadata().getOwnerReferences().get(0).getUid())
                .isEqualTo(get().getMetadata().getUid());
    }

    private String ready() {
        return get().getStatus().getConditions().stream().filter(c -> c.getType().equals("Ready"))
                .map(V1NodeCondition::getStatus).findFirst().orElse("");
    }

    private void annotate(String value) {
        nodes.patch(ObjectKey.cluster("node-1"), "", PatchType.MERGE,
                "{\"metadata\": {\"annotations\": {\"hollow.wheelhouse.dev/stopped\": " + value + "}}}");
    }

    @Test
    void aNodeThatAUserStopsGivesNoSignOfLifeUntilTheUserStartsItAgain() {
        node.settle();
        annotate("\"true\"");
        node.pass(Duration.ofSeconds(11));
        long before = node.writes("update leases") + node.writes("patch nodes/status");
        node.pass(Duration.ofMinutes(10));
        assertThat(node.writes("update leases") + node.writes("patch nodes/status")).isEqualTo(before);

        annotate("null");
        node.pass(Duration.ofSeconds(11));
        assertThat(node.writes("update leases") + node.writes("patch nodes/status")).isGreaterThan(before);
    }

    @Test
    void aPodOnAStoppedNodeChangesWhenTheNodeIsStartedAgain() {
        node.settle();
        annotate("\"true\"");
        node.pass(Duration.ofSeconds(11));
        node.cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: web}, spec: {nodeName: node-1,
                 containers: [{name: a, image: nginx}]}}""");
        node.pass(Duration.ofMinutes(1));
        assertThat(phase()).isEqualTo("Pending");

        annotate("null");
        node.pass(Duration.ofSeconds(20));
        assertThat(phase()).isEqualTo("Running");
    }

    private String phase() {
        return node.cluster.read(ResourceType.PODS, ObjectKey.of("default", "web"), V1Pod.class).getStatus().getPhase();
    }

    @Test
    void aStatusThatSomebodyElseHasWrittenIsCorrectedWithTheNextRenewal() {
        node.settle();
        node.cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("node-1"),
                n -> n.getStatus().getConditions().forEach(c -> c.setStatus("Unknown")));
        node.pass(Duration.ofSeconds(11));
        assertThat(ready()).isEqualTo("True");
    }

    @Test
    void aNodeThatIsThereAlreadyIsTakenOver() {
        node.settle();
        String uid = get().getMetadata().getUid();

        node.agent = node.start(NodeAgentOptions.hollow("node-1", 0).withLabels(Map.of("zone", "b")));
        node.pass(Duration.ofSeconds(11));

        assertThat(get().getMetadata().getUid()).isEqualTo(uid);
        assertThat(get().getMetadata().getLabels()).containsEntry("zone", "b");
        assertThat(leases.get(LEASE).getSpec().getHolderIdentity()).isEqualTo("node-1");
    }

    @Test
    void aServerThatIsAwayIsTriedAgainUntilItIsBack() {
        for (int i = 0; i < 5; i++) {
            node.cluster.requests.failNext("get", NodeHarness.unreachable());
            node.pass(Duration.ofSeconds(3));
        }
        node.pass(Duration.ofSeconds(15));

        assertThat(get().getMetadata().getName()).isEqualTo("node-1");
        assertThat(node.cluster.exists(ResourceType.LEASES, LEASE)).isTrue();
    }

    @Test
    void badOptionsAreRefusedWithWhatToWrite() {
        assertThatThrownBy(() -> NodeAgentOptions.hollow("Node_1", 0)).hasMessageContaining("lower case");
        assertThatThrownBy(() -> NodeAgentOptions.hollow("n", 5000)).hasMessageContaining("3071");
        assertThatThrownBy(() -> new PodIps("10.244.0.0")).hasMessageContaining("10.244.1.0/24");
        assertThatThrownBy(() -> new PodIps("10.300.0.0/24")).hasMessageContaining("is not an IPv4 address");
    }
}
