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

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.runtime.Loop;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random changes, faults and schedules from a seed; when all has come to rest, the cache is what the server has, and what each
 * handler was told adds up to the cache. A seed that fails is in the message: run it with {@code -Dinformer.seed=N}. The
 * number of seeds is {@code -Dinformer.seeds=N}.
 */
class InformerPropertyTest {
    @Test
    void atRestTheCacheIsTheServersAndEveryHandlersEventsAddUpToIt() {
        Long one = Long.getLong("informer.seed");
        long from = one == null ? 0 : one;
        long to = one == null ? Long.getLong("informer.seeds", 500) : one + 1;
        for (long seed = from; seed < to; seed++) {
            try {
                new Run(seed).play();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** Folds what it is told, and checks the order of each object's calls. */
    private static final class Folding implements ResourceEventHandler<V1ConfigMap> {
        final Map<ObjectKey, V1ConfigMap> folded = new HashMap<>();
        final boolean resyncs;
        final List<AssertionError> failures = new ArrayList<>();
        SharedIndexInformer.@Nullable Registration registration;

        Folding(boolean resyncs) {
            this.resyncs = resyncs;
        }

        /** The informer contains what a handler throws, so it is kept for the check at the end. */
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

    private static final class Run {
        private final SplittableRandom random;
        private final ScriptedServer server = new ScriptedServer();
        private final Stepper stepper = new Stepper(this::loops);
        private final CachingInformer<V1ConfigMap> informer;
        private final List<Folding> handlers = new ArrayList<>();

        Run(long seed) {
            random = new SplittableRandom(seed);
            boolean conflates = random.nextInt(3) == 0;
            InformerOptions options = InformerOptions.builder().seed(seed)
                    .batch(random.nextBoolean() ? 1 : 1 + random.nextInt(8))
                    .pageSize(1 + random.nextInt(6))
                    .freshStart(random.nextBoolean())
                    .watchList(random.nextInt(3) == 0)
                    .pendingBound(conflates ? 1 + random.nextInt(5) : 1_000_000)
                    .silenceDeadline(Duration.ofSeconds(20))
                    .detectMutations(random.nextInt(20) == 0).build();
            informer = new CachingInformer<>(server, V1ConfigMap.class, options, stepper.clock, new InformerMetrics() {
            });
        }

        private List<Loop> loops() {
            return informer.loops();
        }

        void play() {
            for (int i = random.nextInt(12); i > 0; i--) {
                change();
            }
            register();
            int length = 50 + random.nextInt(200);
            for (int i = 0; i < length; i++) {
                switch (random.nextInt(20)) {
                    case 0, 1, 2, 3, 4 -> change();
                    case 5 -> fault();
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
            server.listErrors.clear();
            server.watchErrors.clear();
            server.undecodable.clear();
            server.bookmarkInitialEvents = true;
            stepper.pass(Duration.ofSeconds(70));
            check();
        }

        private void step() {
            List<Loop> loops = informer.loops();
            // Handlers differ in how often they get a turn: the last is the slowest.
            int which = Math.min(random.nextInt(loops.size()), random.nextInt(loops.size()));
            Stepper.step(loops.get(which));
        }

        private void register() {
            Folding handler = new Folding(random.nextInt(4) == 0);
            handlers.add(handler);
            handler.registration = informer.addEventHandler(handler,
                    handler.resyncs ? Duration.ofSeconds(1 + random.nextInt(10)) : Duration.ZERO);
        }

        private void change() {
            String name = "o" + random.nextInt(8);
            boolean there = server.objects.containsKey(ScriptedServer.key(name));
            if (!there) {
                server.add(name, String.valueOf(random.nextInt()));
            } else if (random.nextInt(3) == 0) {
                server.delete(name);
            } else {
                server.update(name, String.valueOf(random.nextInt()));
            }
        }

        private void fault() {
            switch (random.nextInt(14)) {
                case 0 -> server.cutWatches();
                case 1 -> server.endWatches();
                case 2 -> server.compact();
                case 3 -> server.bookmark();
                case 4 -> server.listErrors.add(ScriptedServer.expired());
                case 5 -> server.listErrors.add(ScriptedServer.tooLarge());
                case 6 -> server.watchErrors.add(ScriptedServer.expired());
                case 7 ->
                    server.watchErrors.add(ScriptedServer.error(429, "TooManyRequests", "slow", Duration.ofSeconds(1)));
                case 8 -> server.listErrors.add(ScriptedServer.error(500, "InternalError", "oops", null));
                case 9 -> server.send(new WatchEvent.Failed<>(ScriptedServer.expired()));
                case 10 -> server.send(new WatchEvent.Undecodable<>(new DecodeFailure("configmaps", "", "bad")));
                case 11 -> server.objects.values().forEach(o -> server.send(new WatchEvent.Modified<>(o)));
                case 12 -> server.bookmarkInitialEvents = !server.bookmarkInitialEvents;
                default -> {
                    // Both: what happens while no watch is open, and is forgotten.
                    server.cutWatches();
                    change();
                    change();
                    server.compact();
                }
            }
        }

        private void check() {
            Map<ObjectKey, V1ConfigMap> cached = new HashMap<>();
            informer.getIndexer().list().forEach(o -> cached.put(ObjectKey.of(o), o));
            assertThat(informer.hasSynced()).isTrue();
            assertThat(versions(cached)).as("the cache").isEqualTo(versions(server.objects));
            assertThat(informer.getIndexer().list("default")).as("the namespace index")
                    .containsExactlyInAnyOrderElementsOf(cached.values());
            for (Folding handler : handlers) {
                assertThat(handler.failures).isEmpty();
                assertThat(versions(handler.folded)).as("what a handler was told").isEqualTo(versions(cached));
                assertThat(Objects.requireNonNull(handler.registration).hasSynced()).isTrue();
            }
            informer.verifyUnchanged();
        }

        private static Map<ObjectKey, String> versions(Map<ObjectKey, V1ConfigMap> objects) {
            Map<ObjectKey, String> versions = new HashMap<>();
            objects.forEach((key, o) -> versions.put(key,
                    o.getMetadata().getUid() + "@" + o.getMetadata().getResourceVersion()));
            return versions;
        }
    }
}
