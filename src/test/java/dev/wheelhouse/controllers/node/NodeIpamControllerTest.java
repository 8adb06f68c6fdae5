package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions.NodeIpam;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodeIpamControllerTest {
    private static final NodeIpam FOUR = options(0, 0, 0, "10.1.0.0/22");

    private final Cluster cluster = new Cluster();
    private Controller controller = NodeIpamController.of(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private static NodeIpam options(int size, int size4, int size6, String... ranges) {
        return new NodeIpam(true, List.of(ranges), List.of(), size, size4, size6);
    }

    private void start(NodeIpam options) {
        cluster.forgetCaches();
        controller = NodeIpamController.of(cluster.context(Options.DEFAULTS.with(options)));
        settle();
    }

    private void settle() {
        cluster.settle(controller.loops(), Duration.ofSeconds(1));
    }

    private void node(String name, String spec) {
        cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: %s}, spec: {%s}}", name, spec);
    }

    private void add(String... names) {
        for (String name : names) {
            node(name, "");
            settle();
        }
    }

    private void delete(String name) {
        cluster.delete(ResourceType.NODES, ObjectKey.cluster(name));
        settle();
    }

    private List<String> ranges(String node) {
        return NodeRanges.of(cluster.read(ResourceType.NODES, ObjectKey.cluster(node), V1Node.class));
    }

    @Test
    void nothingHappensUnlessItIsAskedFor() {
        add("a");
        assertThat(controller.loops()).isEmpty();
        assertThat(controller.informers()).isEmpty();
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void plansTakeNoRange() {
        start(FOUR);
        node("a", "");
        cluster.deliver();
        for (int i = 0; i < 10; i++) {
            assertThat(controller.plan("nodes", ObjectKey.cluster("a")).orElseThrow()).singleElement().asString()
                    .contains("10.1.0.0/24");
        }
        settle();
        add("b", "c", "d");
        assertThat(ranges("a")).containsExactly("10.1.0.0/24");
        assertThat(ranges("d")).hasSize(1);
    }

    @Test
    void theRangesOfNodesThatWereThereBeforeAreNotGivenAgain() {
        node("a", "");
        node("z", "podCIDR: 10.1.0.0/24, podCIDRs: [10.1.0.0/24]");
        start(FOUR);
        assertThat(ranges("a")).containsExactly("10.1.1.0/24");
    }

    @Test
    void aNodeWithoutAFreeRangeIsReportedAndGetsOneLater() {
        start(FOUR);
        add("a", "b", "c", "d", "e");
        assertThat(ranges("e")).isEmpty();
        assertThat(cluster.eventTexts()).contains("Normal CIDRNotAvailable Node e status is now: CIDRNotAvailable");
        assertThat(cluster.events).allMatch(event -> event.component().equals("cidrAllocator"));
        delete("a");
        cluster.settle(controller.loops(), Duration.ofMinutes(20));
        assertThat(ranges("e")).containsExactly("10.1.0.0/24");
    }

    @Test
    void aFirstRangeWithoutASecondOneIsFreeAgain() {
        start(options(0, 0, 0, "10.1.0.0/22", "fd00::/64"));
        add("a", "b");
        assertThat(ranges("b")).isEmpty();
        assertThat(cluster.measures)
                .containsEntry("node_ipam_controller_cidrset_usage_cidrs{10.1.0.0/22}", 0.25);
    }

    @Test
    void theRangesOfServicesAreNotGiven() {
        start(new NodeIpam(true, List.of("10.1.0.0/22"), List.of("10.1.1.0/25", "fd00::/112"), 0, 0, 0));
        add("a", "b");
        assertThat(ranges("b")).containsExactly("10.1.2.0/24");
    }

    private void failPatches(int count) {
        for (int i = 0; i < count; i++) {
            cluster.requests.failNext("patch nodes", 500, "InternalError", "out of order");
        }
    }

    @Test
    void aWriteThatFailsThriceIsReportedAndTriedAgain() {
        start(FOUR);
        failPatches(3);
        add("a");
        assertThat(ranges("a")).hasSize(1);
        assertThat(cluster.eventTexts())
                .containsExactly("Normal CIDRAssignmentFailed Node a status is now: CIDRAssignmentFailed");
        assertThat(cluster.measures).containsEntry("node_ipam_controller_cidrset_usage_cidrs{10.1.0.0/22}", 0.25);
    }

    @Test
    void aForeignRangeIsLeftAlone() {
        node("a", "podCIDR: 192.168.0.0/24, podCIDRs: [192.168.0.0/24]");
        start(FOUR);
        delete("a");
        add("b");
        assertThat(ranges("b")).containsExactly("10.1.0.0/24");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                       | 0  | 0  | 0  | allocate-node-cidrs is set, but cluster-cidr is not
            10.0.0.0/8,11.0.0.0/8    | 0  | 0  | 0  | it must be one range, or one of IPv4 and one of IPv6
            10.0.0.0/8,fd00::/48     | 24 | 0  | 0  | use node-cidr-mask-size-ipv4 and node-cidr-mask-size-ipv6
            10.0.0.0/8               | 24 | 25 | 0  | node-cidr-mask-size is set together with a size for IPv4 or IPv6
            10.0.0.0/8               | 0  | 0  | 64 | -size-ipv6 is set, but cluster-cidr has no such range
            fd00::/48                | 0  | 24 | 0  | -size-ipv4 is set, but cluster-cidr has no such range
            10.0.0.0/25              | 0  | 0  | 0  | the nodes' mask size 24 does not fit into 10.0.0.0/25
            rubbish                  | 0  | 0  | 0  | is not a range of addresses
            """)
    void optionsThatDoNotFitAreRefused(String ranges, int size, int size4, int size6, String problem) {
        NodeIpam options = new NodeIpam(true, ranges.isEmpty() ? List.of() : List.of(ranges.split(",", -1)),
                List.of(), size, size4, size6);
        assertThatThrownBy(() -> NodeIpamController.check(options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void oneSizeCountsForTheOnlyFamily() {
        start(options(23, 0, 0, "10.1.0.0/22"));
        add("a");
        assertThat(ranges("a")).containsExactly("10.1.0.0/23");
        NodeIpamController.check(options(0, 0, 60, "fd00::/48"));
    }
}
