package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.WatchEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** Further behaviour of the Reflector, on the embedded API server with injected faults. */
class ReflectorBehaviourTest {
    private SteppedInformer world = new SteppedInformer();

    private void with(InformerOptions.Builder options) {
        world.close();
        world = new SteppedInformer(options.build());
    }

    @AfterEach
    void close() {
        world.close();
    }

    // ---- the initial state

    @Test
    void watchListStreamsTheInitialStateAndGoesOnAsTheWatch() {
        with(InformerOptions.builder().watchList(true));
        world.create("a", "1");
        world.informer.addEventHandler(world.told);
        world.settle();
        world.update("a", "2");
        world.settle();
        assertThat(world.told.calls()).containsExactly("+a=1 initial", "a=1>a=2");
        assertThat(world.source.lists).isEmpty();
        assertThat(world.source.watches).hasSize(1);
    }

    @Test
    void watchListThatIsRefusedFallsBackToAList() {
        for (int code : new int[]{400, 403, 422}) {
            with(InformerOptions.builder().watchList(true));
            world.create("a", "1");
            world.faults.on("watch", "configmaps").times(1).fail(code, "sendInitialEvents is forbidden");
            world.settle();
            assertThat(world.cached()).as("after %s", code).containsExactly("a=1");
            assertThat(world.source.lists).containsExactly(ListOptions.consistent(500));
            assertThat(world.source.watches.getLast().sendInitialEvents()).isFalse();
            assertThat(world.informer.state().lastFailure()).isNull();
        }
    }

    @Test
    void aServerThatAnswersWatchListByAnErrorOfItsOwnIsListedAtOnceAndTheNextInitialStateIsStreamedAgain() {
        // A kube-apiserver whose etcd lacks RequestWatchProgress accepts the watch, then reports the error in an event.
        with(InformerOptions.builder().watchList(true));
        world.create("a", "1");
        world.source.inject(new WatchEvent.Failed<>(new KubeApiException("watch configmaps", 500, "InternalError",
                "the required storage feature RequestWatchProgress is disabled", null)));
        world.settle();
        assertThat(world.cached()).containsExactly("a=1");
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(500));
        assertThat(world.informer.state().lastFailure()).isNull();
        for (int relist = 1; relist <= 4; relist++) {
            world.source.inject(new WatchEvent.Failed<>(new KubeApiException("watch", 410, "Expired", "", null)));
            world.source.inject(
                    new WatchEvent.Failed<>(new KubeApiException("watch", 500, "InternalError", "still", null)));
            world.pass(Duration.ofSeconds(90));
        }
        // After three failures in a row it does not stream again.
        assertThat(world.source.watches.stream().filter(asked -> asked.sendInitialEvents())).hasSize(3);
        assertThat(world.informer.hasSynced()).isTrue();
    }

    @Test
    void watchListThatIsCutInTheMiddleBeginsAnewAndNothingOfTheFirstTryIsSeen() {
        with(InformerOptions.builder().watchList(true).batch(1));
        for (int i = 0; i < 5; i++) {
            world.create("o" + i, "1");
        }
        for (int step = 0; step < 4; step++) {
            Stepper.step(world.informer.loops().getFirst());
        }
        world.source.cut();
        world.delete("o0");
        Stepper.step(world.informer.loops().getFirst());
        assertThat(world.informer.hasSynced()).isFalse();
        assertThat(world.cached()).isEmpty();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.cached()).containsExactly("o1=1", "o2=1", "o3=1", "o4=1");
        assertThat(world.source.lists).isEmpty();
    }

    @Test
    void aRelistIsStreamedTooAndTheCacheStaysUntilItIsWhole() {
        with(InformerOptions.builder().watchList(true).batch(1));
        world.create("a", "1");
        world.create("b", "1");
        world.settle();
        world.source.cut();
        world.delete("a");
        world.update("b", "2");
        world.faults.compactNow();
        List<List<String>> seen = new ArrayList<>();
        world.informer.addEventHandler(world.told);
        for (int i = 0; i < 40; i++) {
            world.informer.loops().forEach(Stepper::step);
            seen.add(world.cached());
            world.stepper.clock.advance(Duration.ofMillis(100));
        }
        assertThat(seen).contains(List.of("a=1", "b=1"), List.of("b=2")).hasSize(40);
        assertThat(seen.stream().distinct()).hasSize(2);
        assertThat(world.told.calls()).containsExactlyInAnyOrder("+a=1 initial", "+b=1 initial", "-a=1 unknown",
                "b=1>b=2");
        assertThat(world.source.lists).isEmpty();
    }

    @Test
    void aFreshStartIsAConsistentReadAndLaterListsAreNotOlderThanWhatWasSeen() {
        with(InformerOptions.builder().watchList(false).pageSize(100));
        world.create("a", "1");
        world.settle();
        String seen = world.informer.resourceVersion();
        world.source.cut();
        world.update("a", "2");
        world.faults.compactNow();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(100), ListOptions.notOlderThan(seen, 0));
        assertThat(world.cached()).containsExactly("a=2");
    }

    // ---- 410

    @Test
    void a410ByEventRelistsAtOnce() {
        world.create("a", "1");
        world.pass(Duration.ofSeconds(2));
        world.source.cut();
        world.update("a", "2");
        world.faults.compactNow();
        // For a version that it has dropped, the server accepts the watch and sends an ERROR event.
        world.pass(Duration.ofSeconds(3));
        assertThat(world.counted.relists).containsExactly("expired");
        assertThat(world.counted.watchEnds).contains("expired");
        assertThat(world.cached()).containsExactly("a=2");
    }

    @Test
    void a410ByStatusRelistsAtOnce() {
        world.create("a", "1");
        world.pass(Duration.ofSeconds(2));
        world.faults.on("watch", "configmaps").times(1).fail(410, "too old resource version");
        world.faults.cutWatches();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.counted.relists).containsExactly("expired");
        assertThat(world.source.lists).hasSize(2);
    }

    // ---- failures

    @Test
    void relistStormsAndFixedIntervalReconnectsDoNotHappen() {
        List<List<Long>> tries = new ArrayList<>();
        for (long seed = 1; seed <= 2; seed++) {
            with(InformerOptions.builder().watchList(false));
            CachingInformer<V1ConfigMap> informer = new CachingInformer<>(world.source, V1ConfigMap.class,
                    InformerOptions.builder().watchList(false).seed(seed).build(), world.stepper.clock,
                    new InformerMetrics() {
                    });
            Stepper stepper = new Stepper(informer::loops);
            List<Long> at = new ArrayList<>();
            stepper.settle();
            var failing = world.faults.on("watch", "configmaps").fail(503, "the server is overloaded");
            world.faults.cutWatches();
            int hits = 0;
            for (int tick = 0; tick < 6000; tick++) {
                world.stepper.clock.advance(Duration.ofMillis(100));
                informer.loops().forEach(Stepper::step);
                if (failing.hits() > hits) {
                    hits = failing.hits();
                    at.add(tick * 100L);
                }
            }
            tries.add(at);
            assertThat(world.source.lists).as("one list for each watch that fails").hasSizeBetween(at.size(),
                    at.size() + 1);
            informer.close();
        }
        for (List<Long> at : tries) {
            assertThat(at).as("tries in ten minutes").hasSizeBetween(20, 40);
            long first = at.get(1) - at.get(0);
            long later = at.get(8) - at.get(7);
            assertThat(later).isGreaterThan(4 * first).isLessThanOrEqualTo(31_000);
        }
        assertThat(tries.get(0)).as("two informers do not come at the same times").isNotEqualTo(tries.get(1));
    }

    @Test
    void theBackoffBeginsAnewAfterAQuietTime() {
        world.settle();
        for (int i = 0; i < 6; i++) {
            world.source.watchErrors.add(new KubeApiException("watch", 500, "InternalError", "", null));
        }
        world.faults.cutWatches();
        world.pass(Duration.ofMinutes(3));
        assertThat(world.source.watchErrors).isEmpty();
        world.pass(Duration.ofMinutes(3));
        world.source.watchErrors.add(new KubeApiException("watch", 500, "InternalError", "", null));
        int before = world.source.watches.size();
        world.source.cut();
        // The cut causes the first delay, 0.8 to 1.6 s, and the error the second, 1.6 to 3.2 s.
        world.pass(Duration.ofSeconds(5));
        assertThat(world.source.watches).hasSize(before + 2);
    }

    @Test
    void aHalfOpenConnectionIsFound() {
        with(InformerOptions.builder().watchList(false).silenceDeadline(Duration.ofSeconds(90)));
        world.create("a", "1");
        world.settle();
        world.source.halfOpen();
        world.update("a", "2");
        world.pass(Duration.ofSeconds(89));
        assertThat(world.cached()).containsExactly("a=1");
        assertThat(world.informer.state().lag(world.stepper.clock.now())).isGreaterThan(Duration.ofSeconds(88));
        world.pass(Duration.ofSeconds(2));
        assertThat(world.cached()).containsExactly("a=2");
        assertThat(world.counted.watchEnds).containsExactly("silence");
        assertThat(world.counted.relists).isEmpty();
    }

    @Test
    void aQuietServerIsNotTakenForDead() {
        world.create("a", "1");
        world.settle();
        world.pass(Duration.ofMinutes(4));
        assertThat(world.counted.watchEnds).as("its bookmarks keep the watch alive").isEmpty();
        assertThat(world.informer.state().lag(world.stepper.clock.now())).isLessThan(Duration.ofSeconds(62));
    }

    // ---- objects

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void objectsOfOtherTypesAreReportedCountedAndSkipped() {
        world.create("a", "1");
        world.settle();
        world.source.inject((WatchEvent) new WatchEvent.Added<>(new V1Secret()));
        world.update("a", "2");
        world.settle();
        assertThat(world.cached()).containsExactly("a=2");
        InformerState.Counts counts = world.informer.state().counts();
        assertThat(counts.decodeErrors()).isEqualTo(1);
        assertThat(counts.lastDecodeError()).contains("V1ConfigMap").contains("V1Secret");
    }

    @Test
    void anObjectThatDoesNotParseIsSkippedReportedWithItsKeyAndFieldAndCountedAndTheRestGoesOn() {
        world.create("a", "1");
        world.create("b", "1");
        world.settle();
        world.source.inject(new WatchEvent.Undecodable<>(new DecodeFailure("configmaps default/a", "data", "not a map",
                SteppedInformer.key("a")), false));
        world.update("b", "2");
        world.settle();
        assertThat(world.cached()).containsExactly("a=1", "b=2");
        assertThat(world.informer.state().counts().lastDecodeError()).contains("default/a").contains("field data");
    }
}
