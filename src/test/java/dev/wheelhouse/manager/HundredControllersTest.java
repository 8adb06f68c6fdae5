package dev.wheelhouse.manager;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.election.LeaderElector;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hundred controllers of a hundred custom resources in one process, with 5 workers each. One throws, one blocks and
 * one spins. The figures of the process are printed.
 */
@Tag("full")
@Timeout(900)
@Isolated
class HundredControllersTest {
    private static final int COUNT = 100;
    private static final Duration SOON = Duration.ofSeconds(120);
    private static final List<ResourceType> TYPES = IntStream.range(0, COUNT)
            .mapToObj(i -> new ResourceType("example.com", "v1", "kind" + i + "s", "Kind" + i, true)).toList();

    private final Map<String, Integer> synced = new ConcurrentHashMap<>();
    private final CountDownLatch never = new CountDownLatch(1);

    private final class OfType extends KeyedController<ObjectKey> {
        private final int number;

        OfType(int number, ControllerContext context) {
            super("operator-" + number, context);
            this.number = number;
            watch(informerFor(TYPES.get(number), Unstructured.class)).onAdd().enqueue(ObjectKey::of);
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
            synced.merge(name() + " " + key.name(), 1, Integer::sum);
            return switch (number) {
                case 0 -> throw new IllegalStateException("it always throws");
                case 1 -> {
                    never.await();
                    yield Result.done();
                }
                case 2 -> Result.requeueAfter(Duration.ZERO);
                default -> Result.done();
            };
        }
    }

    private static String figures(String when, long since) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return String.format("%s: %d ms, %d platform threads, %d MB of heap", when,
                Duration.ofNanos(System.nanoTime() - since).toMillis(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    }

    private void create(Cluster cluster, String name) {
        TYPES.forEach(type -> cluster.create(type, Unstructured.class, "{metadata: {name: %s, namespace: default}}",
                name));
    }

    private boolean allSynced(String name) {
        return IntStream.range(0, COUNT).allMatch(i -> synced.containsKey("operator-" + i + " " + name));
    }

    @Test
    void oneThatThrowsBlocksOrSpinsDelaysNeitherTheOthersNorTheElectionAndIdleOnesHaveNoThreads() throws Exception {
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        List<String> figures = new ArrayList<>();
        try (Cluster cluster = new Cluster(); LoopRunner runner = new LoopRunner("hundred", Clock.system())) {
            TYPES.forEach(cluster::define);
            create(cluster, "first");
            KubeClient client = cluster.server.client("hundred");
            ElectionOptions options = new ElectionOptions(ObjectKey.of("default", "hundred"), "me",
                    Duration.ofSeconds(60), Duration.ofSeconds(40), Duration.ofMillis(200));
            LeaderElector elector = new LeaderElector(options, client, Clock.system(),
                    new java.util.SplittableRandom(1), Meters.NONE);
            figures.add(figures("before", System.nanoTime()));

            long start = System.nanoTime();
            Engine engine = new Engine.Builder(client, Clock.system(), runner)
                    .election(new Election(elector, elector, options, null), Standby.WARM)
                    .build(IntStream.range(0, COUNT).mapToObj(i -> new ControllerDescriptor("operator-" + i, Set.of(),
                            "", Set.of(TYPES.get(i)), true, context -> new OfType(i, context))).toList());
            ControllerManager manager = engine.manager();
            engine.start();
            eventually("all run", SOON, manager::isRunning);
            eventually("all have synced, the one that blocks too", SOON, () -> allSynced("first"));
            figures.add(figures("all have synced", start));

            long again = System.nanoTime();
            create(cluster, "second");
            eventually("all sync again", SOON, () -> allSynced("second"));
            figures.add(figures("a second object of each was created and synced", again));
            assertThat(elector.isLeader()).isTrue();
            assertThat(manager.isRunning()).isTrue();
            eventually("both keys of the one that throws are known to fail", SOON,
                    () -> manager.states().getFirst().failingKeys() == 2);
            assertThat(synced.get("operator-2 first")).as("the one that spins").isLessThan(60);

            eventually("idle controllers have given their threads back", SOON,
                    () -> ManagementFactory.getThreadMXBean().getThreadCount() < threadsBefore + COUNT / 2);
            figures.add(figures("all are idle", again));
            create(cluster, "third");
            eventually("idle controllers wake", SOON, () -> allSynced("third"));
            assertThat(elector.isLeader()).isTrue();
            manager.close();
            engine.informers().close();
        } finally {
            never.countDown();
            figures.forEach(System.out::println);
        }
    }
}
