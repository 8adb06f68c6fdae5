package dev.wheelhouse.controllers.node;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The assertions of upstream's integration suite, and more (upstream: {@code test/integration/ttlcontroller}). */
class TtlControllerTest {
    private static final String ANNOTATION = "node.alpha.kubernetes.io/ttl";

    private final Cluster cluster = new Cluster();
    private final TtlController controller = new TtlController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(int from, int to) {
        for (int i = from; i < to; i++) {
            cluster.create(ResourceType.NODES, V1Node.class, "{metadata: {name: node-%d}}", i);
        }
        cluster.settle(controller.loops());
    }

    private void delete(int from, int to) {
        for (int i = from; i < to; i++) {
            cluster.delete(ResourceType.NODES, ObjectKey.cluster("node-" + i));
        }
        cluster.settle(controller.loops());
    }

    private List<String> values() {
        return cluster.all(ResourceType.NODES, V1Node.class).stream()
                .map(node -> node.getMetadata().getAnnotations().get(ANNOTATION)).toList();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "100, 0", "101, 15", "500, 15", "501, 30", "1000, 30", "1001, 60", "2000, 60", "2001, 300"})
    void theValueGrowsWithTheCluster(int nodes, int seconds) {
        assertThat(grown(nodes).seconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource({"2001, 1800, 300", "2001, 1799, 60", "1001, 900, 60", "1001, 899, 30", "501, 450, 30", "501, 449, 15",
            "101, 90, 15", "101, 89, 0", "101, 0, 0"})
    void theValueShrinksOnlyWellBelowTheBoundary(int before, int after, int seconds) {
        ClusterSize size = grown(before);
        for (int i = before; i > after; i--) {
            size = size.removed();
        }
        assertThat(size.seconds()).isEqualTo(seconds);
    }

    private static ClusterSize grown(int nodes) {
        ClusterSize size = ClusterSize.EMPTY;
        for (int i = 0; i < nodes; i++) {
            size = size.added();
        }
        return size;
    }

    @Test
    void allNodesGetANewValueWhenTheClusterOutgrowsItsStep() {
        create(0, 100);
        assertThat(values()).hasSize(100).containsOnly("0");
        create(100, 101);
        assertThat(values()).hasSize(101).containsOnly("15");
        delete(90, 101);
        assertThat(values()).hasSize(90).containsOnly("15");
        delete(89, 90);
        assertThat(values()).hasSize(89).containsOnly("0");
    }
}
