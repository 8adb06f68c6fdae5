package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every write of every scenario, before and after it. A run begins at the quiescent state before the write and ends as soon as it
 * is in the state in which the run without a crash is at the same place, as everything from there on is the same; with
 * {@code -Psimulation} each goes on to the end nevertheless, but where the end is chance.
 */
@DisplayName("A manager that crashes at any write is replaced by one that reaches the recorded states")
@ExtendWith(Quiet.class)
class GoldenCrashTest {
    private static final boolean TO_THE_END = Boolean.getBoolean("simulation.crash.end");
    private static final AtomicInteger points = new AtomicInteger();
    private static final AtomicInteger ended = new AtomicInteger();
    private static long nanos;

    /** @param write counted from 0, since the checkpoint */
    private record CrashPoint(String scenario, Checkpoint from, List<Checkpoint> next, int write, boolean after) {}

    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.wheelhouse.simulation.GoldenScenarioTest#scenarios")
    void statesAreTheSameAsWithoutTheCrash(String scenario) throws Exception {
        long began = System.nanoTime();
        List<CrashPoint> all = crashPoints(scenario, checkpoints(scenario));
        Concurrently.forEach(all, GoldenCrashTest::crash);
        points.addAndGet(all.size());
        nanos += System.nanoTime() - began;
    }

    /** Of a run without a crash: at its begin and at every quiescent state. */
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
                all.add(new CrashPoint(scenario, from, next, write, true));
            }
        }
        return all;
    }

    private static void crash(CrashPoint point) throws InterruptedException {
        boolean toTheEnd = TO_THE_END && !point.scenario.equals(GoldenScenarioTest.BY_CHANCE);
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
        System.out.println(points + " crash points of the golden scenarios in " + Duration.ofNanos(nanos).toSeconds()
                + " s, " + ended + " of them run to the end of their scenario");
    }
}
