package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceControllerTest {
    private static final ObjectKey NS = ObjectKey.cluster("team");

    private final Cluster cluster = new Cluster(ResourceType.CONFIG_MAPS, ResourceType.PODS, ResourceType.SECRETS,
            ResourceType.NODES, ResourceType.NAMESPACES);
    private final NamespaceController controller = new NamespaceController(cluster.context());

    @BeforeEach
    void createNamespaces() {
        cluster.create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: team}}");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void theJournalNamesTheDeletionOfTheNamespaceAlthoughItWasDelayed() {
        cluster.create(ResourceType.CONFIG_MAPS, Unstructured.class, "{metadata: {namespace: team, name: a}}");
        cluster.settle(controller.loops());
        cluster.delete(ResourceType.NAMESPACES, NS);
        cluster.settle(controller.loops(), NamespaceController.GRACE_PERIOD);

        assertThat(cluster.journal.find(entry -> true, Long.MAX_VALUE, 100)).isNotEmpty().allSatisfy(entry -> {
            assertThat(entry.sync().key()).isEqualTo("team");
            assertThat(entry.sync().origin().cause().toString()).startsWith("update of namespaces team at version ");
        });
    }

    /** A deletion that it only observes has no end, and each look reads all content live. */
    @Test
    void anObserverLooksLessAndLessOften() {
        NamespaceController observer = new NamespaceController(cluster.context(new ControllerContext.Settings(
                (controller, preset) -> 1, Parallel.inOrder(), controller -> true, controller -> false,
                ControllerMetrics.NONE)));
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: team, name: web}, spec: {nodeName: node-1, terminationGracePeriodSeconds: 300,
                 containers: [{name: app, image: app}]}}""");
        cluster.delete(ResourceType.NAMESPACES, NS);
        cluster.settle(observer.loops());
        cluster.clock.advance(Duration.ofSeconds(5));
        cluster.settle(observer.loops());
        cluster.requests.take();
        List<Integer> looks = new ArrayList<>();
        for (int second = 1; second <= 20; second++) {
            cluster.clock.advance(Duration.ofSeconds(1));
            cluster.settle(observer.loops());
            if (cluster.requests.take().contains("get namespaces team")) {
                looks.add(second);
            }
        }
        assertThat(looks).containsExactly(1, 3, 7, 15);
    }
}
