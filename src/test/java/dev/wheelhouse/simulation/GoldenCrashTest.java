package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.Sizes;

/**
 * Crashes the manager before every write of every scenario, and after the last one before each quiescent state: after
 * another write a crash loses only what the manager remembers until its next write. A run starts at the quiescent state
 * before the write. It ends when it has reached the state of the run without a crash at the same place, because
 * everything after that is equal. With {@code -Dsize=long} the manager crashes after every write, too, and each run
 * continues to the end, except where the end is random.
 */
@Tag("stepped")
@Tag("full")
@DisplayName("A manager that crashes at any write is replaced by one that reaches the recorded states")
@ExtendWith(Quiet.class)
class GoldenCrashTest {
    private static final boolean COMPLETE = Sizes.isLong();
    private static final AtomicInteger points = new AtomicInteger();
    private static final AtomicInteger ended = new AtomicInteger();
    private static final AtomicLong nanos = new AtomicLong();

    /** @param write the number of the write since the checkpoint, from 0 */
    private record CrashPoint(String scenario, Checkpoint from, List<Checkpoint> next, int write, boolean after) {}

    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.wheelhouse.simulation.GoldenScenarioTest#scenarios")
    void statesAreTheSameAsWithoutTheCrash(String scenario) throws Exception {
        long began = System.nanoTime();
        List<CrashPoint> all = crashPoints(scenario, checkpoints(scenario));
        Concurrently.forEach(all, GoldenCrashTest::crash);
        points.addAndGet(all.size());
        nanos.addAndGet(System.nanoTime() - began);
    }

    /** The checkpoints of a run without a crash: at its start and at every quiescent state. */
    private static List<Checkpoint> checkpoints(String scenario) throws Exception {
        List<Checkpoint> checkpoints = new ArrayList<>();
        try (GoldenReplay replay = new GoldenReplay(scenario, GoldenScenarioTest.seed(scenario)).withCrashes()) {
            replay.begin();
            do {
                checkpoints.add(replay.checkpoint());
            } while (replay.toNextQuiescence());
            replay.end();
        }
        return checkpoints;
    }

    private static List<CrashPoint> crashPoints(String scenario, List<Checkpoint> checkpoints) throws Exception {
        List<CrashPoint> all = new ArrayList<>();
        for (int i = 0; i < checkpoints.size(); i++) {
            Checkpoint from = checkpoints.get(i);
            int writes;
            try (GoldenReplay replay = new GoldenReplay(from, i + 1000L)) {
                replay.begin();
                if (!replay.toNextQuiescence()) {
                    replay.end();
                }
                writes = replay.tries();
            }
            List<Checkpoint> next = checkpoints.subList(i + 1, checkpoints.size());
            for (int write = 0; write < writes; write++) {
                all.add(new CrashPoint(scenario, from, next, write, false));
                if (COMPLETE || write == writes - 1) {
                    all.add(new CrashPoint(scenario, from, next, write, true));
                }
            }
        }
        return all;
    }

    private static void crash(CrashPoint point) throws InterruptedException {
        boolean toTheEnd = COMPLETE && !point.scenario.equals(GoldenScenarioTest.BY_CHANCE);
        try (GoldenReplay replay = new GoldenReplay(point.from, point.write + 10_000L)
                .crashingAt(point.write, point.after)) {
            replay.begin();
            for (Checkpoint wanted : point.next) {
                replay.toNextQuiescence();
                if (!toTheEnd && replay.describe().equals(wanted.description())) {
                    return;
                }
            }
            replay.end();
            ended.incrementAndGet();
        } catch (AssertionError e) {
            throw new AssertionError(point.scenario + ", crash " + (point.after ? "after" : "before") + " write "
                    + point.write + " since entry " + point.from.next() + ": " + e.getMessage(), e);
        }
    }

    @AfterAll
    static void report() {
        System.out.println(
                points + " crash points of the golden scenarios in " + Duration.ofNanos(nanos.get()).toSeconds()
                        + " s, " + ended + " of them run to the end of their scenario");
    }
}
