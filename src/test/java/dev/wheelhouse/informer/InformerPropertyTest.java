package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random changes, faults and schedules from a seed. When everything has settled, the cache equals the server's content,
 * and each handler's notifications add up to the cache. A failure names its seed; {@code -Dinformer.seed=N} runs that
 * seed, and {@code -Dinformer.seeds=N} sets the number of seeds.
 */
class InformerPropertyTest {
    @Test
    void atRestTheCacheIsTheServersAndEveryHandlersEventsAddUpToIt() {
        Long one = Long.getLong("informer.seed");
        long from = one == null ? 0 : one;
        long to = one == null ? Sizes.of("informer.seeds", 150, 1000, 10_000) : one + 1;
        for (long seed = from; seed < to; seed++) {
            try {
                new Run(seed).play();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** Folds notifications into a state, and checks the order of each object's calls. */
    private static final class Folding implements ResourceEventHandler<V1ConfigMap> {
        final Map<ObjectKey, V1ConfigMap> folded = new HashMap<>();
        final boolean resyncs;
        final List<AssertionError> failures = new ArrayList<>();
        SharedIndexInformer.@Nullable Registration registration;

        Folding(boolean resyncs) {
            this.resyncs = resyncs;
        }

        /** Keeps an assertion error for the check at the end, because the informer catches what a handler throws. */
        private void keep(Runnable call) {
            try {
                call.run();
            } catch (AssertionError e) {
                failures.add(e);
            }
        }

        @Override
        public void onAdd(V1ConfigMap object, boolean initial) {
            keep(() -> added(object, initial));
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
            keep(() -> updated(before, after));
        }

        @Override
        public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
            keep(() -> deleted(object, finalStateUnknown));
        }

        private void added(V1ConfigMap object, boolean initial) {
            assertThat(folded.put(ObjectKey.of(object), object)).as("an add of what is there").isNull();
            if (initial && registration != null) {
                assertThat(registration.hasSynced()).as("synced before the last initial add").isFalse();
            }
        }

        private void updated(V1ConfigMap before, V1ConfigMap after) {
            V1ConfigMap known = folded.put(ObjectKey.of(after), after);
            assertThat(known).as("the state before an update").isSameAs(before);
            if (before == after) {
                assertThat(resyncs).as("the same version twice").isTrue();
            } else if (!resyncs) {
                assertThat(version(after)).isGreaterThan(version(before));
            }
        }

        private void deleted(V1ConfigMap object, boolean finalStateUnknown) {
            V1ConfigMap known = folded.remove(ObjectKey.of(object));
            assertThat(known).as("a delete of what is not there").isNotNull();
            if (finalStateUnknown) {
                assertThat(known).as("the last known state").isSameAs(object);
            } else {
                assertThat(version(object)).isGreaterThan(version(known));
            }
        }

        private static long version(V1ConfigMap object) {
            return Long.parseLong(object.getMetadata().getResourceVersion());
        }
    }

    /** Runs one seed. */
    private static final class Run {
        private final SplittableRandom random;
        private final Stepper stepper = new Stepper(this::loops);
        private final World world;
        private final CachingInformer<V1ConfigMap> informer;
        private final List<Folding> handlers = new ArrayList<>();

        Run(long seed) {
            random = new SplittableRandom(seed);
            world = new World(random, stepper.clock);
            boolean conflates = random.nextInt(3) == 0;
            InformerOptions options = InformerOptions.builder().seed(seed)
                    .batch(random.nextBoolean() ? 1 : 1 + random.nextInt(8))
                    .pageSize(1 + random.nextInt(6))
                    .freshStart(random.nextBoolean())
                    .watchList(random.nextInt(3) == 0)
                    .pendingBound(conflates ? 1 + random.nextInt(5) : 1_000_000)
                    .silenceDeadline(Duration.ofSeconds(20))
                    .detectMutations(random.nextInt(20) == 0).build();
            informer = new CachingInformer<>(world.source, V1ConfigMap.class, options, stepper.clock,
                    new InformerMetrics() {
                    });
        }

        private List<Loop> loops() {
            return informer.loops();
        }

        void play() {
            try (World closed = world) {
                for (int i = random.nextInt(12); i > 0; i--) {
                    world.change();
                }
                register();
                int length = 50 + random.nextInt(200);
                for (int i = 0; i < length; i++) {
                    turn();
                }
                world.heal();
                stepper.pass(Duration.ofSeconds(90));
                check();
            }
        }

        private void turn() {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4 -> world.change();
                case 5 -> world.fault();
                case 6 -> stepper.clock.advance(Duration.ofMillis(random.nextInt(3000)));
                case 7 -> {
                    if (handlers.size() < 5 && random.nextInt(4) == 0) {
                        register();
                    }
                }
                case 8 -> {
                    if (handlers.size() > 1 && random.nextInt(8) == 0) {
                        Folding removed = handlers.remove(random.nextInt(handlers.size()));
                        assertThat(removed.failures).isEmpty();
                        Objects.requireNonNull(removed.registration).remove();
                    }
                }
                default -> step();
            }
        }

        private void step() {
            List<Loop> loops = informer.loops();
            // Prefer the first loops, so that the last handler is the slowest.
            int which = Math.min(random.nextInt(loops.size()), random.nextInt(loops.size()));
            Stepper.step(loops.get(which));
        }

        private void register() {
            Folding handler = new Folding(random.nextInt(4) == 0);
            handlers.add(handler);
            handler.registration = informer.addEventHandler(handler,
                    handler.resyncs ? Duration.ofSeconds(1 + random.nextInt(10)) : Duration.ZERO);
        }

        private void check() {
            Map<ObjectKey, V1ConfigMap> cached = new HashMap<>();
            informer.getIndexer().list().forEach(o -> cached.put(ObjectKey.of(o), o));
            assertThat(informer.hasSynced()).isTrue();
            assertThat(versions(cached)).as("the cache").isEqualTo(world.objects());
            assertThat(informer.getIndexer().list("default")).as("the namespace index")
                    .containsExactlyInAnyOrderElementsOf(cached.values());
            for (Folding handler : handlers) {
                assertThat(handler.failures).isEmpty();
                assertThat(versions(handler.folded)).as("what a handler was told").isEqualTo(versions(cached));
                assertThat(Objects.requireNonNull(handler.registration).hasSynced()).isTrue();
            }
            informer.verifyUnchanged();
        }
    }

    private static Map<ObjectKey, String> versions(Map<ObjectKey, V1ConfigMap> objects) {
        Map<ObjectKey, String> versions = new HashMap<>();
        objects.forEach((key, o) -> versions.put(key,
                o.getMetadata().getUid() + "@" + o.getMetadata().getResourceVersion()));
        return versions;
    }

    /** A server and the events that can happen to it. */
    private static final class World implements AutoCloseable {
        private static final FieldSelector OURS = FieldSelector.parse("metadata.name!=kube-root-ca.crt");

        private final SplittableRandom random;
        private final ApiServer server;
        private final ResourceClient<V1ConfigMap> client;
        private final FaultySource<V1ConfigMap> source;
        /** The objects of the server's responses, kept here so that reading them is never subject to a fault. */
        private final Map<ObjectKey, V1ConfigMap> objects = new HashMap<>();

        World(SplittableRandom random, ManualClock clock) {
            this.random = random;
            this.server = new ApiServer(
                    ApiServerOptions.defaults().withClock(clock).withRandom(new SplittableRandom(random.nextLong())));
            this.client = server.client("test").resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            this.source = new FaultySource<>(client.listerWatcher("default", LabelSelector.everything(), OURS));
        }

        /** Adds, changes or deletes an object. */
        void change() {
            ObjectKey key = ObjectKey.of("default", "o" + random.nextInt(8));
            V1ConfigMap object = SteppedInformer.configMap(key.name(), String.valueOf(random.nextInt()));
            if (!objects.containsKey(key)) {
                objects.put(key, client.create(object));
            } else if (random.nextInt(3) == 0) {
                client.delete(key, Deletion.unconditional());
                objects.remove(key);
            } else {
                objects.put(key, client.update(object));
            }
        }

        void fault() {
            switch (random.nextInt(14)) {
                case 0 -> server.faults().cutWatches();
                case 1 -> source.cut();
                case 2 -> server.faults().compactNow();
                case 3 -> server.faults().on("list", "configmaps").times(1).fail(410, "too old");
                case 4 -> server.faults().on("list", "configmaps").times(1).fail(504, "Too large resource version");
                case 5 -> server.faults().on("watch", "configmaps").times(1).fail(random.nextBoolean() ? 429 : 410, "");
                case 6 -> server.faults().on("list", "configmaps").times(1).fail(500, "oops");
                case 7 -> source.withholdEndOfInitialEvents(random.nextBoolean());
                case 8 -> source.end();
                case 9 -> source.send(new WatchEvent.Bookmark<>(Long.toString(server.store().version()), false));
                case 10 -> source.send(
                        new WatchEvent.Failed<>(new KubeApiException("watch", 410, "Expired", "too old resource "
                                + "version", null)));
                case 11 -> source.send(new WatchEvent.Undecodable<>(new DecodeFailure("configmaps", "", "bad"), false));
                case 12 -> objects.values().forEach(object -> source.send(new WatchEvent.Modified<>(object)));
                default -> {
                    source.cut();
                    change();
                    change();
                    server.faults().compactNow();
                }
            }
        }

        /** Ends all faults. */
        void heal() {
            server.faults().clear();
            source.withholdEndOfInitialEvents(false);
        }

        /** The server's content: UID and version of each object. */
        Map<ObjectKey, String> objects() {
            return versions(objects);
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
