package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controllers.node.ZoneStates.Change;
import dev.wheelhouse.controllers.node.ZoneStates.Size;

import static org.assertj.core.api.Assertions.assertThat;

class ZoneStatesTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final ControllerOptions.NodeLifecycle OPTIONS = ControllerOptions.NodeLifecycle.DEFAULTS;

    private final ZoneStates zones = new ZoneStates(OPTIONS);
    private final Zone a = zones.of(node("a"), 0);
    private final Zone b = zones.of(node("b"), 0);

    private static V1Node node(String zone) {
        return new V1Node().metadata(new V1ObjectMeta().name("n").putLabelsItem("topology.kubernetes.io/zone", zone));
    }

    private Change update(Size ofA, Size ofB, long seconds) {
        return zones.update(Map.of(Zone.of(node("a")), ofA, Zone.of(node("b")), ofB), seconds * SECOND);
    }

    @ParameterizedTest
    @CsvSource({"3, 0, NORMAL", "0, 0, NORMAL", "1, 2, NORMAL", "2, 3, PARTIAL_DISRUPTION", "9, 11, PARTIAL_DISRUPTION",
            "46, 54, NORMAL", "45, 55, PARTIAL_DISRUPTION", "0, 1, FULL_DISRUPTION", "0, 9, FULL_DISRUPTION"})
    void theStateFollowsFromTheNodesThatAreNotReady(int ready, int notReady, Zone.State state) {
        assertThat(new Size(ready, notReady).state(OPTIONS.unhealthyZoneThreshold())).isEqualTo(state);
    }

    /** @return the seconds at which a zone grants nodes, out of a time */
    private static List<Integer> grants(Zone zone, int from, int to) {
        for (int i = 0; i < 1000; i++) {
            zone.add("node-" + i);
        }
        List<Integer> seconds = new ArrayList<>();
        for (int second = from; second < to; second++) {
            while (zone.next(second * SECOND) != null) {
                seconds.add(second);
            }
        }
        return seconds;
    }

    @Test
    void aHealthyZoneGrantsANodeEveryTenSeconds() {
        update(new Size(3, 1), new Size(3, 0), 0);
        assertThat(grants(a, 0, 35)).containsExactly(0, 10, 20, 30);
    }

    @Test
    void aSmallZoneThatIsPartiallyDisruptedGrantsNone() {
        update(new Size(10, 40), new Size(3, 0), 0);
        assertThat(grants(a, 0, 1000)).isEmpty();
        assertThat(a.nanosToNext(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aLargeZoneThatIsPartiallyDisruptedGrantsFew() {
        update(new Size(10, 41), new Size(3, 0), 0);
        assertThat(grants(a, 0, 250)).containsExactly(0, 100, 200);
    }

    @Test
    void aZoneWithoutReadyNodesIsEmptiedAtTheUsualRateIfAnotherHasSome() {
        assertThat(update(new Size(0, 3), new Size(3, 0), 0)).isEqualTo(Change.NONE);
        assertThat(grants(a, 0, 15)).containsExactly(0, 10);
    }

    @Test
    void withoutAnyReadyNodeNothingIsGrantedUntilOneIsReadyAgain() {
        assertThat(update(new Size(0, 3), new Size(0, 2), 0)).isEqualTo(Change.ALL_DISRUPTED);
        assertThat(grants(a, 0, 100)).isEmpty();
        assertThat(grants(b, 0, 100)).isEmpty();
        assertThat(update(new Size(0, 3), new Size(0, 2), 100)).isEqualTo(Change.NONE);
        assertThat(update(new Size(1, 2), new Size(0, 2), 100)).isEqualTo(Change.RECOVERED);
        assertThat(grants(a, 100, 125)).containsExactly(110, 120);
        assertThat(grants(b, 100, 125)).containsExactly(110, 120);
        assertThat(update(new Size(1, 2), new Size(0, 2), 125)).isEqualTo(Change.NONE);
    }

    @Test
    void aChangeOfTheRateKeepsTheWaitForTheNextNode() {
        update(new Size(10, 41), new Size(3, 0), 0);
        assertThat(grants(a, 0, 1)).containsExactly(0);
        update(new Size(50, 1), new Size(3, 0), 1);
        assertThat(grants(a, 1, 15)).containsExactly(11);
    }

    @Test
    void aNodeWaitsOnceUntilItIsRemoved() {
        a.add("x");
        a.add("x");
        assertThat(a.next(0)).isEqualTo("x");
        a.add("x");
        assertThat(a.next(60 * SECOND)).isNull();
        a.remove("x");
        a.add("x");
        assertThat(a.next(60 * SECOND)).isEqualTo("x");
    }

    @Test
    void aNodeThatIsRemovedWhileItWaitsIsNotGranted() {
        a.add("x");
        a.remove("x");
        assertThat(a.next(0)).isNull();
    }

    @Test
    void aZoneWithoutNodesThatCountIsMadeAnewAndDoesNotCountAsDisrupted() {
        update(new Size(0, 2), new Size(0, 2), 0);
        assertThat(zones.update(Map.of(Zone.of(node("a")), new Size(0, 2)), 0)).isEqualTo(Change.NONE);
        assertThat(zones.of(node("a"), 0)).isSameAs(a);
        assertThat(zones.of(node("b"), 0)).isNotSameAs(b);
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "'topology.kubernetes.io/zone=z', ':0:z'",
            "'topology.kubernetes.io/region=r topology.kubernetes.io/zone=z', 'r:0:z'",
            "'topology.kubernetes.io/zone=z failure-domain.beta.kubernetes.io/zone=old', ':0:old'",
            "'failure-domain.beta.kubernetes.io/region=r', 'r:0:'"})
    void theNameOfAZoneIsThatOfItsRegionAndItsOwn(String labels, String name) {
        V1ObjectMeta meta = new V1ObjectMeta();
        for (String label : labels.isEmpty() ? new String[0] : labels.split(" ", -1)) {
            meta.putLabelsItem(label.split("=", 2)[0], label.split("=", 2)[1]);
        }
        assertThat(Zone.of(new V1Node().metadata(meta))).isEqualTo(name.replace('0', '\0'));
    }
}
