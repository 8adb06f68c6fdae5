package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.runtime.Loop;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The assertions of client-go's informer suites, each as a test of the same name, on the embedded API server with
 * injected faults. {@link WireFaultsTest} covers faults of the connection.
 */
class InformerBehaviourTest {
    /** The first list, which a server without a cache answers in pages. */
    private static final ListOptions CACHED = new ListOptions("0", null, 500, null);
    private SteppedInformer world = new SteppedInformer();

    private SteppedInformer with(InformerOptions.Builder options) {
        world.close();
        world = new SteppedInformer(options.build());
        return world;
    }

    @AfterEach
    void close() {
        world.close();
    }

    // ---- lists

    @Test
    void fullListIfExpired() {
        world.create("a", "1");
        world.settle();
        world.source.cut();
        world.update("a", "2");
        world.faults.compactNow();
        world.faults.on("list", "configmaps").times(1).fail(410, "The provided resource version is too old");
        world.pass(Duration.ofSeconds(3));
        String seen = world.source.watches.getFirst().resourceVersion();
        assertThat(world.source.lists).containsExactly(CACHED, ListOptions.notOlderThan(seen, 0),
                ListOptions.consistent(500));
        assertThat(world.cached()).isEqualTo(world.served()).contains("a=2");
    }

    @Test
    void fullListIfExpiredInTheMiddleOfAPagedList() {
        with(InformerOptions.builder().watchList(false).pageSize(2));
        for (String name : List.of("a", "b", "c", "d", "e")) {
            world.create(name, "1");
        }
        Stepper.step(world.informer.loops().getFirst());
        world.update("e", "2");
        world.faults.compactNow();
        world.settle();
        assertThat(world.source.lists).hasSize(3).last().isEqualTo(ListOptions.consistent(0));
        assertThat(world.cached()).isEqualTo(world.served()).contains("e=2");
    }

    @Test
    void fullListIfTooLarge() {
        world.create("a", "1");
        for (int i = 0; i < 20; i++) {
            world.update("a", String.valueOf(i));
        }
        world.pass(Duration.ofSeconds(2));
        String seen = world.informer.resourceVersion();
        try (ApiServer restored = new ApiServer(
                ApiServerOptions.defaults().withClock(world.stepper.clock))) {
            // The restored backup is older than the cache.
            var older = SteppedInformer.configMapsOf(restored);
            world.source.moveTo(older);
            world.faults.cutWatches();
            world.source.watchErrors.add(new KubeApiException("watch configmaps", 410, "Expired", "too old", null));
            world.pass(Duration.ofSeconds(3));
            assertThat(world.source.lists).contains(ListOptions.notOlderThan(seen, 0)).last()
                    .isEqualTo(ListOptions.consistent(500));
            assertThat(world.cached()).doesNotContain("a=19");
            assertThat(world.informer.state().lastError()).isNull();
        }
    }

    // ---- watches

    @Test
    void backoffAndNoRelistOn429() {
        world.pass(Duration.ofSeconds(2));
        List<ListOptions> before = List.copyOf(world.source.lists);
        world.create("a", "1");
        var throttled = world.faults.on("watch", "configmaps").times(4).fail(429, "slow down");
        world.faults.cutWatches();
        world.pass(Duration.ofMillis(500));
        assertThat(throttled.hits()).isEqualTo(1);
        assertThat(world.informer.state().lastFailure()).isNotNull()
                .satisfies(failure -> assertThat(failure.status()).isEqualTo(429));
        world.pass(Duration.ofSeconds(90));
        assertThat(throttled.hits()).isEqualTo(4);
        assertThat(world.source.lists).isEqualTo(before);
        assertThat(world.cached()).isEqualTo(world.served()).contains("a=1");
        assertThat(world.informer.state().lastFailure()).isNull();
    }

    @Test
    void retryAfterOfA429IsWaitedFor() {
        world.pass(Duration.ofSeconds(2));
        world.source.watchErrors.add(new KubeApiException("watch configmaps", 429, "TooManyRequests", "slow down",
                Duration.ofSeconds(17)));
        world.faults.cutWatches();
        world.pass(Duration.ofSeconds(2));
        assertThat(world.source.watches).hasSize(2);
        world.pass(Duration.ofSeconds(14));
        assertThat(world.source.watches).hasSize(2);
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.watches).hasSize(3);
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void aServerThatAcceptsWatchListButNeverSendsTheEndBookmark() {
        with(InformerOptions.builder().watchList(true));
        world.create("a", "1");
        world.source.withholdEndOfInitialEvents(true);
        world.settle();
        assertThat(world.source.watches).singleElement().matches(asked -> asked.sendInitialEvents());
        world.pass(Duration.ofSeconds(9));
        assertThat(world.informer.hasSynced()).isFalse();
        world.pass(Duration.ofSeconds(2));
        assertThat(world.informer.hasSynced()).isTrue();
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(500));
        assertThat(world.cached()).isEqualTo(world.served()).contains("a=1");
    }

    @Test
    void bookmarksThatAdvanceTheVersion() {
        world.settle();
        String before = world.informer.resourceVersion();
        // A write of another type raises the server's version, so that a bookmark is the only news for config maps.
        world.server.client("other").resource(ResourceType.NAMESPACES, V1Namespace.class)
                .create(new V1Namespace().metadata(new V1ObjectMeta().name("other")));
        world.pass(Duration.ofSeconds(61));
        String after = world.informer.resourceVersion();
        assertThat(Long.parseLong(after)).isGreaterThan(Long.parseLong(before));
        world.faults.compactNow();
        world.faults.cutWatches();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.watches.getLast().resourceVersion()).isEqualTo(after);
        assertThat(world.source.lists).as("the bookmark saved the list").hasSize(1);
    }

    @Test
    void aRelistThatMissesObjectsWhichWereDeletedMeanwhile() {
        world.create("a", "1");
        world.create("b", "1");
        world.informer.addEventHandler(world.told);
        world.settle();
        world.told.calls();
        world.source.cut();
        world.delete("a");
        world.update("b", "2");
        world.create("c", "1");
        world.faults.compactNow();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.told.calls()).containsExactly("-a=1 unknown", "b=1>b=2", "+c=1");
        world.faults.cutWatches();
        world.faults.compactNow();
        world.pass(Duration.ofSeconds(3));
        world.source.inject(new WatchEvent.Failed<>(new KubeApiException("watch", 410, "Expired", "", null)));
        world.pass(Duration.ofSeconds(3));
        assertThat(world.counted.relists).hasSize(2);
        assertThat(world.told.calls()).as("the delete is told once").isEmpty();
    }

    // ---- handlers

    @Test
    void aHandlerAddedLateGetsOneAddForEachCachedObjectThenLiveEventsNoneTwiceAndNoneLost() {
        with(InformerOptions.builder().watchList(false).batch(1));
        for (int i = 0; i < 6; i++) {
            world.create("o" + i, "0");
        }
        SplittableRandom random = new SplittableRandom(7);
        Map<String, Map<String, String>> folded = new HashMap<>();
        List<SharedIndexInformer.Registration> late = new ArrayList<>();
        for (int step = 0; step < 60; step++) {
            switch (step % 3) {
                case 0 -> world.update("o" + random.nextInt(6), String.valueOf(step));
                case 1 -> {
                    String name = "x" + step;
                    world.create(name, "0");
                    if (random.nextBoolean()) {
                        world.delete(name);
                    }
                }
                default -> {
                    // Step only the loops.
                }
            }
            List<Loop> loops = world.informer.loops();
            Stepper.step(loops.get(random.nextInt(Math.min(2, loops.size()))));
            Map<String, String> mine = new HashMap<>();
            folded.put("registered at step " + step, mine);
            late.add(world.informer.addEventHandler(new Folding(mine)));
        }
        world.settle();
        assertThat(late).allMatch(SharedIndexInformer.Registration::hasSynced);
        Map<String, String> cache = world.informer.getIndexer().list().stream().collect(
                Collectors.toMap(o -> o.getMetadata().getName(), o -> o.getMetadata().getResourceVersion()));
        assertThat(world.cached()).isEqualTo(world.served());
        folded.forEach((when, told) -> assertThat(told).as(when).isEqualTo(cache));
    }

    /**
     * Folds notifications into a state. Fails on an add of an existing object, an update of a missing one, or an older
     * version.
     */
    private record Folding(Map<String, String> told) implements ResourceEventHandler<V1ConfigMap> {
        @Override
        public void onAdd(V1ConfigMap object, boolean initial) {
            String before = told.put(name(object), version(object));
            if (before != null) {
                told.put("WRONG", "an add of " + name(object) + ", which is there");
            }
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
            String known = told.put(name(after), version(after));
            if (!version(before).equals(known) || Long.parseLong(version(after)) <= Long.parseLong(known)) {
                told.put("WRONG", "an update of " + name(after) + " from " + version(before) + " to " + version(after)
                        + ", known " + known);
            }
        }

        @Override
        public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
            if (told.remove(name(object)) == null) {
                told.put("WRONG", "a delete of " + name(object) + ", which is not there");
            }
        }

        private static String name(V1ConfigMap object) {
            return object.getMetadata().getName();
        }

        private static String version(V1ConfigMap object) {
            return String.valueOf(object.getMetadata().getResourceVersion());
        }
    }

    @Test
    void perKeyAHandlerSeesEventsInOrderAddFirstDeleteLastAndNoVersionTwice() {
        Map<String, String> told = new HashMap<>();
        world.informer.addEventHandler(new Folding(told));
        world.informer.addEventHandler(world.told);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 300; i++) {
            String name = "o" + random.nextInt(5);
            if (!world.served().toString().contains(name + "=")) {
                world.create(name, "0");
            } else if (random.nextInt(4) == 0) {
                world.delete(name);
            } else {
                world.update(name, String.valueOf(i));
            }
            switch (random.nextInt(30)) {
                case 0 -> world.faults.cutWatches();
                case 1 -> world.faults.compactNow();
                case 2 -> world.pass(Duration.ofSeconds(2));
                default -> world.settle();
            }
        }
        world.pass(Duration.ofSeconds(60));
        assertThat(told).doesNotContainKey("WRONG");
        Map<String, List<String>> byKey = new HashMap<>();
        for (String call : world.told.calls()) {
            byKey.computeIfAbsent(call.replaceAll("^[+-]", "").replaceAll("=.*", ""), k -> new ArrayList<>()).add(call);
        }
        byKey.forEach((key, calls) -> {
            assertThat(calls.getFirst()).as(key).startsWith("+");
            for (int i = 1; i < calls.size(); i++) {
                boolean wasDeleted = calls.get(i - 1).startsWith("-");
                assertThat(calls.get(i).startsWith("+")).as("%s: %s after %s", key, calls.get(i), calls.get(i - 1))
                        .isEqualTo(wasDeleted);
            }
        });
        assertThat(world.cached()).isEqualTo(world.served());
    }

    @Test
    void theSameVersionIsDeliveredTwiceByResyncAlone() {
        V1ConfigMap a = world.create("a", "1");
        SteppedInformer.Told resynced = new SteppedInformer.Told();
        world.informer.addEventHandler(world.told);
        world.informer.addEventHandler(resynced, Duration.ofSeconds(30));
        world.settle();
        world.source.inject(new WatchEvent.Added<>(a));
        world.source.inject(new WatchEvent.Modified<>(a));
        world.faults.cutWatches();
        world.faults.compactNow();
        world.source.watchErrors.add(new KubeApiException("watch", 410, "Expired", "", null));
        world.pass(Duration.ofSeconds(10));
        assertThat(world.told.calls()).contains("+a=1 initial").doesNotContain("a=1>a=1");
        world.pass(Duration.ofSeconds(25));
        assertThat(resynced.calls()).contains("a=1>a=1");
        assertThat(world.told.calls()).isEmpty();
        assertThat(world.source.lists).as("a resync lists nothing").hasSize(2);
    }

    @Test
    void replacingTheWholeCacheIsAtomicToReaders() throws InterruptedException {
        int objects = 30;
        for (int i = 0; i < objects; i++) {
            world.create("o" + i, "0");
        }
        world.informer.getIndexer().addIndex("value", o -> List.of(o.getData().get("v")));
        world.settle();
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<@Nullable String> mixed = new AtomicReference<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                List<String> values = world.informer.getIndexer().list().stream().map(o -> o.getData().get("v"))
                        .distinct()
                        .toList();
                if (values.size() > 1) {
                    mixed.set(values.toString());
                }
                for (String value : world.informer.getIndexer().indexValues("value")) {
                    int filed = world.informer.getIndexer().byIndex("value", value).size();
                    if (filed != 0 && filed != objects) {
                        mixed.set(filed + " of " + objects + " filed under " + value);
                    }
                }
            }
        });
        for (int round = 1; round <= 8; round++) {
            world.source.cut();
            for (int i = 0; i < objects; i++) {
                world.update("o" + i, String.valueOf(round));
            }
            world.faults.compactNow();
            while (world.counted.relists.size() < round || !world.informer.get(SteppedInformer.key("o0")).getData()
                    .containsValue(String.valueOf(round))) {
                world.stepper.clock.advance(Duration.ofSeconds(1));
                world.settle();
            }
        }
        done.set(true);
        reader.join(10_000);
        assertThat(mixed.get()).isNull();
        assertThat(world.counted.relists).hasSize(8);
    }
}
