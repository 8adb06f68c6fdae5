package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Every built-in controller that only observes a cluster in which objects of all kinds come and go. */
@Isolated("other tests count in ControllerMetrics.NONE, too")
class ObservingControllersTest {
    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.CONFIG_MAPS, ResourceType.NODES,
            ResourceType.SERVICES, ResourceType.REPLICA_SETS, ResourceType.JOBS);
    private final AllControllers all = new AllControllers(cluster, cluster.context(
            new ControllerContext.Settings((controller, preset) -> 1, Parallel.inOrder(), controller -> true,
                    controller -> false, ControllerMetrics.NONE,
                    Options.DEFAULTS
                            .with(new ControllerOptions.NodeIpam(true, List.of("10.1.0.0/22"), List.of(), 0, 0, 0)),
                    Journal.NONE)));
    private final List<Unstructured> objects = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Creates objects of every kind that a controller follows. */
    private void populate(int number) {
        objects.addAll(all.store("every-kind.yaml", text -> text.replace("$n", Integer.toString(number))));
    }

    private void round(int number) {
        populate(number);
        all.settle();
        for (Unstructured object : objects.reversed()) {
            ResourceType type = AllControllers.type(object);
            ObjectKey key = ObjectKey.of(object);
            long version = cluster.json(type, key).at("/metadata/resourceVersion").asLong();
            cluster.server.store().delete(type.groupResource(), key.namespace(), key.name(), version);
        }
        objects.clear();
        all.settle();
        // Longer than everything that is remembered for a time.
        cluster.clock.advance(Duration.ofMinutes(90));
        all.settle();
    }

    @Test
    void anObserverKeepsNothingOfObjectsThatAreGoneAndWritesNothing() {
        all.settle();
        round(1);
        Map<String, Integer> before = all.kept();
        for (int i = 2; i <= 4; i++) {
            round(i);
        }
        Map<String, String> grown = new TreeMap<>();
        all.kept().forEach((path, size) -> {
            int first = before.getOrDefault(path, 0);
            // The owners that the collector knows to be absent are bounded by number.
            if (size > first && !path.endsWith("graph.absent")) {
                grown.put(path, first + " -> " + size);
            }
        });
        assertThat(grown).isEmpty();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }
}
