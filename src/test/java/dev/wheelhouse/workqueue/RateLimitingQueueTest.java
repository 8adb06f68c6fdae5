package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitingQueueTest {
    private final ManualClock clock = new ManualClock();
    private final RateLimitingQueue<String> queue = new RateLimitingQueue<>("test", clock, Meters.NONE);

    private List<String> takeAll() {
        List<String> taken = new ArrayList<>();
        for (String key = queue.poll(); key != null; key = queue.poll()) {
            taken.add(key);
            queue.done(key);
        }
        return taken;
    }

    @Test
    void aKeyThatIsAddedTwiceBeforeItIsTakenIsTakenOnce() {
        queue.add("a");
        queue.add("b");
        queue.add("a");
        assertThat(queue.size()).isEqualTo(2);
        assertThat(takeAll()).containsExactly("a", "b");
    }

    @Test
    void aKeyThatIsAddedWhileItIsWorkedOnIsTakenAgainOnlyAfterDone() {
        queue.add("a");
        assertThat(queue.poll()).isEqualTo("a");
        queue.add("a");
        queue.add("a");
        assertThat(queue.poll()).isNull();
        queue.done("a");
        assertThat(takeAll()).containsExactly("a");
        assertThat(queue.poll()).isNull();
    }

    @Test
    void doneOfAKeyThatNobodyTookChangesNothing() {
        queue.add("a");
        queue.done("a");
        queue.done("b");
        assertThat(takeAll()).containsExactly("a");
    }

    @Test
    void delayedKeysComeInTheOrderOfTheirDueTimes() {
        queue.addAfter("late", Duration.ofMillis(30));
        queue.addAfter("early", Duration.ofMillis(10));
        queue.addAfter("middle", Duration.ofMillis(20));
        queue.addAfter("early too", Duration.ofMillis(10));
        assertThat(queue.poll()).isNull();
        assertThat(queue.nanosToNextDue()).isEqualTo(10_000_000);
        assertThat(queue.size()).isZero();
        clock.advance(Duration.ofMillis(10));
        assertThat(takeAll()).containsExactly("early", "early too");
        clock.advance(Duration.ofMillis(20));
        assertThat(takeAll()).containsExactly("middle", "late");
        assertThat(queue.nanosToNextDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theEarlierOfTwoDueTimesOfOneKeyWins() {
        queue.addAfter("a", Duration.ofSeconds(60));
        queue.addAfter("b", Duration.ofSeconds(2));
        queue.addAfter("a", Duration.ofSeconds(1));
        queue.addAfter("a", Duration.ofSeconds(30));
        clock.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).containsExactly("a");
        clock.advance(Duration.ofSeconds(100));
        assertThat(takeAll()).containsExactly("b");
    }

    @Test
    void theDelayThatASyncAsksForReplacesTheOneThatAnEarlierSyncAskedForAndNoOther() {
        sync("a", Duration.ofHours(1));
        clock.advance(Duration.ofMinutes(30));
        queue.add("a");
        sync("a", Duration.ofHours(1));
        clock.advance(Duration.ofMinutes(31));
        assertThat(queue.poll()).as("the timer of the first sync is over").isNull();
        clock.advance(Duration.ofMinutes(30));
        sync("a", Duration.ofHours(1));
        // A shorter and a longer one, and none.
        queue.add("a");
        sync("a", Duration.ofMinutes(1));
        assertThat(queue.nanosToDue("a")).isEqualTo(Duration.ofMinutes(1).toNanos());
        queue.add("a");
        queue.addAfter("a", Duration.ofMinutes(7));
        sync("a", Duration.ZERO);
        assertThat(queue.nanosToDue("a")).as("the delay of somebody else stays").isEqualTo(
                Duration.ofMinutes(7).toNanos());
        clock.advance(Duration.ofMinutes(7));
        sync("a", Duration.ofMinutes(15));
        queue.addAfter("a", Duration.ofMinutes(20));
        clock.advance(Duration.ofMinutes(15));
        sync("a", Duration.ZERO);
        // The later of two delays ends with the earlier one.
        clock.advance(Duration.ofHours(5));
        assertThat(queue.poll()).isNull();
        assertThat(queue.state().delayed()).isZero();
    }

    private void sync(String key, Duration next) {
        if (queue.size() == 0 && queue.nanosToNextDue() == Long.MAX_VALUE) {
            queue.add(key);
        }
        assertThat(queue.poll()).isEqualTo(key);
        queue.succeeded(key, next);
        queue.done(key);
    }

    @Test
    void manyKeysWhoseDelaysAreReplacedAndDroppedStillComeInTheOrderOfTheirDueTimes() {
        SplittableRandom random = new SplittableRandom(1);
        Map<String, Long> due = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            String key = "key-" + random.nextInt(100);
            long seconds = random.nextInt(10_000);
            queue.succeeded(key, Duration.ofSeconds(seconds));
            if (seconds == 0 || random.nextInt(5) == 0) {
                queue.succeeded(key, Duration.ZERO);
                due.remove(key);
            } else {
                due.put(key, seconds);
            }
        }
        List<Long> came = new ArrayList<>();
        for (int second = 0; second < 10_000; second++) {
            for (String key = queue.poll(); key != null; key = queue.poll()) {
                assertThat(due.remove(key)).isEqualTo(second);
                queue.done(key);
            }
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(due).isEmpty();
    }

    @Test
    void aDelayedKeyStillComesWhenItWasAddedAndDoneMeanwhile() {
        queue.addAfter("a", Duration.ofSeconds(5));
        queue.add("a");
        assertThat(takeAll()).containsExactly("a");
        clock.advance(Duration.ofSeconds(5));
        assertThat(takeAll()).containsExactly("a");
    }

    @Test
    void aKeyThatFallsDueWhileItIsWorkedOnComesAfterDone() {
        queue.add("a");
        assertThat(queue.poll()).isEqualTo("a");
        queue.addAfter("a", Duration.ofMillis(1));
        clock.advance(Duration.ofMillis(1));
        assertThat(queue.poll()).isNull();
        queue.done("a");
        assertThat(queue.poll()).isEqualTo("a");
    }

    @Test
    void aDelayOfNothingAndOfCenturiesBothWork() {
        queue.addAfter("now", Duration.ZERO);
        queue.addAfter("past", Duration.ofSeconds(-1));
        queue.addAfter("never", Duration.ofDays(400_000));
        assertThat(takeAll()).containsExactly("now", "past");
        clock.advance(Duration.ofDays(10_000));
        assertThat(takeAll()).isEmpty();
    }

    @Test
    void aFailingKeyIsDelayedTwiceAsLongEachTimeUpToTheLongest() {
        List<Long> delays = new ArrayList<>();
        for (int failure = 0; failure < 20; failure++) {
            queue.addRateLimited("a");
            delays.add(queue.nanosToNextDue() / 1_000_000);
            clock.advance(Duration.ofSeconds(1001));
            assertThat(takeAll()).containsExactly("a");
        }
        assertThat(delays).startsWith(5L, 10L, 20L, 40L, 80L, 160L).endsWith(655_360L, 1_000_000L, 1_000_000L);
        assertThat(queue.numRequeues("a")).isEqualTo(20);
        queue.forget("a");
        assertThat(queue.numRequeues("a")).isZero();
        queue.addRateLimited("a");
        assertThat(queue.nanosToNextDue()).isEqualTo(5_000_000);
    }

    @Test
    void manyFailingKeysShareTenASecondAfterABurst() {
        for (int i = 0; i < 120; i++) {
            queue.addRateLimited("key-" + i);
        }
        clock.advance(Duration.ofMillis(5));
        assertThat(takeAll()).hasSize(100);
        clock.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).hasSize(10);
        clock.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).hasSize(10);
    }

    @Test
    void aServersRetryAfterIsHonouredBeyondTheLimitersOwnDelay() {
        queue.addRateLimited("a", Duration.ofSeconds(7));
        clock.advance(Duration.ofSeconds(6));
        assertThat(takeAll()).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).containsExactly("a");
    }

    @Test
    void aKeyIsNeverDroppedHoweverOftenItFails() {
        queue.add("a");
        for (int i = 0; i < 10_000; i++) {
            clock.advance(Duration.ofSeconds(1000));
            assertThat(queue.poll()).isEqualTo("a");
            queue.addRateLimited("a");
            queue.done("a");
        }
        assertThat(queue.numRequeues("a")).isEqualTo(10_000);
    }

    @Test
    void afterShutdownQueuedKeysCanBeTakenAndNoneIsAdded() {
        queue.add("a");
        queue.addAfter("later", Duration.ofSeconds(1));
        queue.shutDown();
        queue.add("b");
        queue.addAfter("c", Duration.ofSeconds(1));
        queue.addRateLimited("d");
        clock.advance(Duration.ofSeconds(10));
        assertThat(queue.isShutDown()).isTrue();
        assertThat(takeAll()).containsExactly("a");
        assertThat(queue.nanosToNextDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void liveKeysGoBeforeBackgroundOnesUntilThoseHaveWaitedLongEnough() {
        queue.add("initial-1", Priority.BACKGROUND);
        queue.add("initial-2", Priority.BACKGROUND);
        clock.advance(Duration.ofSeconds(9));
        queue.add("live-1");
        assertThat(queue.poll()).isEqualTo("live-1");
        clock.advance(Duration.ofSeconds(2));
        queue.add("live-2");
        assertThat(takeAll()).containsExactly("initial-1", "initial-2", "live-2");
    }

    @Test
    void aBackgroundKeyThatChangesLiveIsMovedForward() {
        queue.add("a", Priority.BACKGROUND);
        queue.add("b", Priority.BACKGROUND);
        queue.add("b");
        queue.add("b", Priority.BACKGROUND);
        assertThat(takeAll()).containsExactly("b", "a");
    }

    @Test
    void aFlowWithManyKeysDelaysAnotherFlowsFirstKeyByOneTurn() {
        RateLimitingQueue<String> fair = new RateLimitingQueue<>("fair", clock, RateLimits.CONTROLLER,
                Duration.ofSeconds(10), key -> key.substring(0, key.indexOf('/')), Meters.NONE);
        for (int i = 0; i < 10_000; i++) {
            fair.add("big/" + i);
        }
        fair.add("small/0");
        fair.add("small/1");
        assertThat(List.of(fair.poll(), fair.poll(), fair.poll(), fair.poll(), fair.poll())).containsExactly("big/0",
                "small/0", "big/1", "small/1", "big/2");
        assertThat(fair.size()).isEqualTo(9_997);
    }

    @Test
    void theFailingKeysOfOneFlowDoNotMakeThoseOfAnotherWait() {
        RateLimitingQueue<String> flows = new RateLimitingQueue<>("flows", clock, RateLimits.CONTROLLER,
                RateLimitingQueue.DEFAULT_AGING, key -> key.substring(0, 1), Meters.NONE);
        for (int i = 0; i < 10_000; i++) {
            flows.addRateLimited("a" + i);
        }

        flows.addRateLimited("b");

        clock.advance(Duration.ofMillis(5));
        assertThat(keys(flows)).contains("b").hasSizeLessThanOrEqualTo(101);
        clock.advance(Duration.ofSeconds(10));
        assertThat(keys(flows)).as("ten a second of the others").hasSizeBetween(95, 105);
    }

    private static List<String> keys(RateLimitingQueue<String> queue) {
        List<String> taken = new ArrayList<>();
        for (String key = queue.poll(); key != null; key = queue.poll()) {
            taken.add(key);
            queue.done(key);
        }
        return taken;
    }

    @Test
    void aFlowThatHasRecoveredIsForgotten() {
        FlowBuckets buckets = new FlowBuckets(RateLimits.CONTROLLER);
        for (int flow = 0; flow < 10_000; flow++) {
            buckets.reserveNanos(flow, Duration.ofSeconds(flow).toNanos());
        }
        assertThat(buckets.size()).isLessThan(200);
    }

    @Test
    void theStateTellsDepthAndUnfinishedWork() {
        queue.add("a");
        queue.add("b");
        queue.add("c");
        queue.addAfter("d", Duration.ofSeconds(60));
        queue.poll();
        clock.advance(Duration.ofSeconds(2));
        queue.poll();
        clock.advance(Duration.ofSeconds(1));
        assertThat(queue.state())
                .isEqualTo(new WorkQueueState(1, 1, 2, Duration.ofSeconds(4), Duration.ofSeconds(3), 2));
    }

    @Test
    void metricsCountAddsWaitsWorkAndRetries() {
        MeterRegistry registry = new SimpleMeterRegistry();
        RateLimitingQueue<String> counted = new RateLimitingQueue<>("counted", clock, registry);
        counted.add("a");
        counted.add("a");
        clock.advance(Duration.ofNanos(3));
        counted.poll();
        clock.advance(Duration.ofNanos(4));
        counted.addRateLimited("a");
        counted.done("a");
        clock.advance(Duration.ofMillis(6));
        counted.poll();
        assertThat(registry.get("workqueue.adds").tag("name", "counted").counter().count()).isEqualTo(2);
        assertThat(registry.get("workqueue.retries").counter().count()).isEqualTo(1);
        Timer waits = registry.get("workqueue.queue.duration").timer();
        assertThat(waits.count()).isEqualTo(2);
        assertThat(waits.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(3 + 1_000_000);
        assertThat(waits.max(TimeUnit.NANOSECONDS)).isEqualTo(1_000_000);
        Timer works = registry.get("workqueue.work.duration").timer();
        assertThat(works.count()).isEqualTo(1);
        assertThat(works.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(4);
    }
}
