package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.node.NodeHealth.Observation;

import static org.assertj.core.api.Assertions.assertThat;

/** The grace periods are the defaults: 50 s, and 60 s for a node that has never reported. */
class NodeHealthTest {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private @Nullable NodeHealth health;

    private static OffsetDateTime at(long seconds) {
        return START.plusSeconds(seconds).atOffset(ZoneOffset.UTC);
    }

    private static V1Node node(V1NodeCondition... conditions) {
        return new V1Node().metadata(new V1ObjectMeta().name("n").creationTimestamp(at(0)))
                .status(new V1NodeStatus().conditions(List.of(conditions)));
    }

    private static V1NodeCondition ready(String status, long heartbeat) {
        return new V1NodeCondition().type("Ready").status(status).lastHeartbeatTime(at(heartbeat))
                .lastTransitionTime(at(0)).reason("KubeletReady").message("fine");
    }

    private static V1Lease lease(long renewal) {
        return new V1Lease().spec(new V1LeaseSpec().renewTime(at(renewal)));
    }

    /** Looks at a node some seconds after its creation. */
    private Observation look(V1Node node, @Nullable V1Lease lease, long second) {
        Observation seen = NodeHealth.observe(health, node, lease, ControllerOptions.NodeLifecycle.DEFAULTS,
                START.plusSeconds(second), Duration.ofSeconds(second).toNanos() - 77);
        health = seen.health();
        return seen;
    }

    private static String status(@Nullable V1NodeCondition ready) {
        return ready == null ? "none" : ready.getStatus();
    }

    @Test
    void aNodeThatIsSilentForLongerThanTheGracePeriodIsUnknown() {
        V1Node node = node(ready("True", 0), new V1NodeCondition().type("MemoryPressure").status("False"),
                new V1NodeCondition().type("NetworkUnavailable").status("False"));
        assertThat(look(node, null, 100).changed()).isNull();
        assertThat(look(node, null, 150).changed()).isNull();
        Observation seen = look(node, null, 151);
        assertThat(seen.observed()).isEqualTo("True");
        assertThat(status(seen.current())).isEqualTo("Unknown");
        List<V1NodeCondition> conditions = seen.changed().getStatus().getConditions();
        assertThat(conditions).extracting(c -> c.getType() + " " + c.getStatus() + " " + c.getReason())
                .containsExactly("Ready Unknown NodeStatusUnknown", "MemoryPressure Unknown NodeStatusUnknown",
                        "NetworkUnavailable False null", "DiskPressure Unknown NodeStatusNeverUpdated",
                        "PIDPressure Unknown NodeStatusNeverUpdated");
        assertThat(conditions.getFirst().getMessage()).isEqualTo("Kubelet stopped posting node status.");
        assertThat(conditions.getFirst().getLastTransitionTime()).isEqualTo(at(151));
        assertThat(conditions.getFirst().getLastHeartbeatTime()).isEqualTo(at(0));
        assertThat(conditions.getLast().getMessage()).isEqualTo("Kubelet never posted node status.");
        assertThat(node.getStatus().getConditions()).hasSize(3);
    }

    @Test
    void aNewHeartbeatIsASignOfLifeWhateverItsTime() {
        look(node(ready("True", 10)), null, 100);
        look(node(ready("True", 5)), null, 140);
        assertThat(look(node(ready("True", 5)), null, 190).changed()).isNull();
        assertThat(look(node(ready("True", 5)), null, 191).changed()).isNotNull();
    }

    @Test
    void aRenewedLeaseIsASignOfLife() {
        V1Node node = node(ready("True", 0));
        look(node, lease(1), 100);
        look(node, lease(2), 140);
        assertThat(look(node, lease(2), 190).changed()).isNull();
        assertThat(look(node, lease(1), 191).changed()).isNotNull();
    }

    @Test
    void aNodeThatNeverReportedHasTheStartupGracePeriodFromItsCreation() {
        assertThat(status(look(node(), null, 30).current())).isEqualTo("none");
        assertThat(look(node(), null, 60).changed()).isNull();
        Observation seen = look(node(), null, 61);
        assertThat(seen.observed()).isEqualTo("Unknown");
        assertThat(seen.changed().getStatus().getConditions())
                .extracting(c -> c.getType() + " " + c.getStatus() + " " + c.getReason())
                .containsExactly("Ready Unknown NodeStatusNeverUpdated",
                        "MemoryPressure Unknown NodeStatusNeverUpdated", "DiskPressure Unknown NodeStatusNeverUpdated",
                        "PIDPressure Unknown NodeStatusNeverUpdated");
        assertThat(seen.changed().getStatus().getConditions().getFirst().getLastHeartbeatTime()).isEqualTo(at(0));
    }

    @Test
    void aNodeThatNeverReportedButRenewsItsLeaseIsLeftAlone() {
        look(node(), lease(1), 50);
        assertThat(look(node(), lease(2), 100).changed()).isNull();
        assertThat(look(node(), lease(2), 160).changed()).isNull();
        assertThat(look(node(), lease(2), 161).changed()).isNotNull();
    }

    @Test
    void aNodeThatIsUnknownAlreadyIsNotWrittenAgain() {
        V1Node node = node(ready("Unknown", 0));
        look(node, null, 0);
        Observation seen = look(node, null, 100);
        assertThat(seen.changed()).isNull();
        assertThat(status(seen.current())).isEqualTo("Unknown");
    }

    @Test
    void aNodeThatSaysItselfThatItIsNotReadyBecomesUnknownToo() {
        V1Node node = node(ready("False", 0));
        look(node, null, 0);
        Observation seen = look(node, null, 51);
        assertThat(seen.observed()).isEqualTo("False");
        assertThat(status(seen.current())).isEqualTo("Unknown");
    }

    @Test
    void aNodeThatReturnsIsWhatItSays() {
        look(node(ready("True", 0)), null, 0);
        Observation gone = look(node(ready("True", 0)), null, 60);
        health = gone.health().written(gone.current(), null);
        Observation back = look(node(ready("True", 70)), null, 70);
        assertThat(back.changed()).isNull();
        assertThat(status(back.current())).isEqualTo("True");
    }

    @Test
    void aNodeWithoutAStatusGetsOne() {
        V1Node node = new V1Node().metadata(new V1ObjectMeta().name("n").creationTimestamp(at(0)));
        assertThat(look(node, null, 61).changed().getStatus().getConditions()).hasSize(4);
    }
}
