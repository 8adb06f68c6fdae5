package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.PodWorker.State;
import dev.wheelhouse.node.PodWorkers.UpdateType;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.workqueue.RateLimitingQueue;

import static org.assertj.core.api.Assertions.assertThat;

class PodWorkersTest {
    private final ManualClock clock = new ManualClock();
    private final Recording syncer = new Recording();
    private final PodWorkers workers = workers(syncer, clock);
    private final Loop loop = workers.loop();

    /** Records its calls; pods stop as soon as possible. */
    private static class Recording implements PodWorkers.Syncer {
        final List<String> calls = new ArrayList<>();
        final Set<String> holdOn = new HashSet<>();
        int failures;

        @Override
        public boolean syncPod(V1Pod pod) {
            calls.add("sync " + PodManager.uid(pod));
            if (failures > 0) {
                failures--;
                throw new IllegalStateException("planned");
            }
            return false;
        }

        @Override
        public boolean syncTerminatingPod(V1Pod pod, Duration gracePeriod) {
            calls.add("stop " + PodManager.uid(pod) + " " + gracePeriod.toSeconds());
            return !holdOn.contains(PodManager.uid(pod));
        }

        @Override
        public void syncTerminatedPod(V1Pod pod) {
            calls.add("end " + PodManager.uid(pod));
        }

        @Override
        public @Nullable Duration untilDeadline(V1Pod pod) {
            return null;
        }
    }

    private static PodWorkers workers(PodWorkers.Syncer syncer, Clock clock) {
        return workers(syncer, clock, 64, Runnable::run);
    }

    private static PodWorkers workers(PodWorkers.Syncer syncer, Clock clock, int bound, Executor executor) {
        return new PodWorkers(syncer, uid -> false, new RateLimitingQueue<>("test", clock, Meters.NONE),
                bound,
                executor, Duration.ofMinutes(1), Meters.NONE, clock);
    }

    private static V1Pod pod(String name, String uid, String source) {
        V1Pod pod = NodeHarness.pod(name, Map.of(PodSources.SOURCE_ANNOTATION, source), NodeHarness.container("c"));
        pod.getMetadata().uid(uid);
        return pod;
    }

    private void settle() throws InterruptedException {
        while (loop.step() == Loop.BUSY) {
            assertThat(syncer.calls).hasSizeLessThan(1000);
        }
    }

    @Test
    void aPodIsSyncedThenStoppedThenEndedAndNeverAgain() throws InterruptedException {
        V1Pod pod = pod("a", "u1", "api");
        workers.update(pod, UpdateType.CREATE, null);
        settle();
        workers.update(pod, UpdateType.KILL, Duration.ofSeconds(5));
        workers.update(pod, UpdateType.UPDATE, null);
        settle();
        workers.update(pod, UpdateType.UPDATE, null);
        settle();

        assertThat(syncer.calls).containsExactly("sync u1", "stop u1 5", "end u1");
    }

    @Test
    void manyUpdatesOfOnePodAreOneSync() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            workers.update(pod("a", "u1", "api"), UpdateType.UPDATE, null);
        }
        settle();

        assertThat(syncer.calls).containsExactly("sync u1");
    }

    @Test
    void theGracePeriodOnlyShrinks() throws InterruptedException {
        V1Pod pod = pod("a", "u1", "api");
        syncer.holdOn.add("u1");
        for (long seconds : new long[]{20, 60, 3}) {
            workers.update(pod, UpdateType.KILL, Duration.ofSeconds(seconds));
            settle();
        }

        assertThat(syncer.calls).containsExactly("stop u1 20", "stop u1 20", "stop u1 3");
    }

    @Test
    void aSyncThatFailsIsTriedAgainUntilItSucceeds() throws InterruptedException {
        syncer.failures = 3;
        workers.update(pod("a", "u1", "api"), UpdateType.CREATE, null);
        for (int i = 0; i < 20; i++) {
            settle();
            clock.advance(Duration.ofSeconds(1));
        }

        assertThat(syncer.calls).containsExactly("sync u1", "sync u1", "sync u1", "sync u1");
    }

    @Test
    void aPodIsDueForAPeriodicSyncAfterAMinute() throws InterruptedException {
        workers.update(pod("a", "u1", "api"), UpdateType.CREATE, null);
        settle();
        clock.advance(Duration.ofSeconds(59));
        assertThat(workers.dueForSync()).isEmpty();

        clock.advance(Duration.ofSeconds(32));
        assertThat(workers.dueForSync()).containsExactly("u1");
        assertThat(workers.dueForSync()).isEmpty();
    }

    @Test
    void aStaticPodWaitsForTheOneOfItsNameToEnd() throws InterruptedException {
        syncer.holdOn.add("u1");
        workers.update(pod("a", "u1", "file"), UpdateType.CREATE, null);
        settle();
        workers.update(pod("a", "u1", "file"), UpdateType.KILL, null);
        workers.update(pod("a", "u2", "file"), UpdateType.CREATE, null);
        for (int i = 0; i < 5; i++) {
            settle();
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(syncer.calls).contains("stop u1 30").doesNotContain("sync u2");
        assertThat(workers.isStopping(dev.wheelhouse.api.ObjectKey.of("default", "a"))).isTrue();

        syncer.holdOn.clear();
        workers.sync("u1");
        settle();

        assertThat(syncer.calls.subList(syncer.calls.size() - 2, syncer.calls.size())).containsExactly("end u1",
                "sync u2");
    }

    @Test
    void aPodThatIsNoLongerWantedIsStoppedAndForgotten() throws InterruptedException {
        workers.update(pod("a", "u1", "api"), UpdateType.CREATE, null);
        settle();

        assertThat(workers.syncKnownPods(Set.of())).isEmpty();
        settle();
        assertThat(syncer.calls).containsExactly("sync u1", "stop u1 30", "end u1");
        workers.syncKnownPods(Set.of());

        assertThat(workers.size()).isZero();
        assertThat(workers.state("u1")).isNull();
    }

    @Test
    void aPodThatIsWantedAgainWhileItStopsIsStartedOnceItHasEnded() throws InterruptedException {
        V1Pod pod = pod("a", "u1", "file");
        syncer.holdOn.add("u1");
        workers.update(pod, UpdateType.CREATE, null);
        settle();
        workers.update(pod, UpdateType.KILL, null);
        workers.update(pod, UpdateType.CREATE, null);
        settle();
        assertThat(workers.syncKnownPods(Set.of("u1"))).isEmpty();
        assertThat(workers.state("u1")).isEqualTo(State.TERMINATING);

        syncer.holdOn.clear();
        workers.sync("u1");
        settle();

        assertThat(workers.syncKnownPods(Set.of("u1"))).containsExactly("u1");
    }

    @Test
    void podsThatTakeLongDelayNoOtherUpToTheBound() {
        CountDownLatch release = new CountDownLatch(1);
        Set<String> synced = ConcurrentHashMap.newKeySet();
        Set<String> begun = ConcurrentHashMap.newKeySet();
        Recording slow = new Recording() {
            @Override
            public boolean syncPod(V1Pod pod) {
                begun.add(PodManager.uid(pod));
                if (PodManager.uid(pod).startsWith("slow")) {
                    try {
                        release.await(1, TimeUnit.HOURS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                synced.add(PodManager.uid(pod));
                return false;
            }
        };
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            PodWorkers live = workers(slow, Clock.system(), 8, task -> runner.run("pod", task));
            runner.start("pods", live.loop());
            for (int i = 0; i < 7; i++) {
                live.update(pod("slow" + i, "slow" + i, "api"), UpdateType.CREATE, null);
            }
            Eventually.eventually("seven hang", Duration.ofMinutes(2), () -> begun.size() == 7);
            for (int i = 0; i < 50; i++) {
                live.update(pod("p" + i, "u" + i, "api"), UpdateType.CREATE, null);
            }
            Eventually.eventually("the others are synced", Duration.ofMinutes(2), () -> synced.size() == 50);
            live.update(pod("slow7", "slow7", "api"), UpdateType.CREATE, null);
            Eventually.eventually("eight hang", Duration.ofMinutes(2), () -> begun.contains("slow7"));
            live.update(pod("late", "late", "api"), UpdateType.CREATE, null);
            assertThat(begun).as("past the bound").doesNotContain("late");

            release.countDown();

            Eventually.eventually("all are synced", Duration.ofMinutes(2), () -> synced.size() == 59);
        }
    }
}
