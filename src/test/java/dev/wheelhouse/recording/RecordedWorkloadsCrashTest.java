package dev.wheelhouse.recording;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.simulation.Concurrently;
import dev.wheelhouse.simulation.Quiet;

/**
 * Crashes the manager before and after its writes. A run starts before the entry of the write, and ends when it has
 * reached a recorded state. With {@code -Dsize=long} there are runs for every write of every recording; otherwise for
 * one write of one in twenty recordings, and with {@code -Pfull} of one in five. {@code -Dreplay=statefulset/*} limits
 * the recordings.
 *
 * <p>Autoscalers, nodes and taints do not take part. The times at which autoscalers are looked at, their former
 * recommendations, the last signs of life of nodes, and the times for which pods tolerate taints are only in the memory
 * of the process, upstream's too. So is the time at which attached volumes are compared next. The simulation crashes
 * their managers.
 */
@Tag("stepped")
@Tag("sized")
@DisplayName("A manager that crashes at any write is replaced by one that reaches the recorded states")
@ExtendWith(Quiet.class)
class RecordedWorkloadsCrashTest {
    private static final boolean ALL = Sizes.isLong();
    private static final int SAMPLE = Sizes.of("simulation.crash.sample", 20, 5, 1);
    private static final int SHOWN = 5;
    /**
     * Entries in which a Job ends while some of its pods run. As upstream, the controller ends these pods before it
     * writes why the Job ends. After a crash in between the next manager counts them as failed, and may end the Job for
     * that reason.
     */
    private static final Map<String, Integer> ENDS_BEFORE_REASON = Map.of("job/success-count", 2,
            "job/success-indexes", 3, "job/indexed-max-failed", 3);
    private static final AtomicInteger points = new AtomicInteger();
    private static long nanos;

    /** @param write the number of the write since the checkpoint, from 0 */
    private record CrashPoint(Replay.Checkpoint from, int write, boolean after) {}

    static Stream<Scenario> scenarios() {
        return RecordedWorkloadsTest.scenarios().filter(s -> !s.name().matches("(hpa|node|taint)/.*|attach/deleted"))
                .filter(s -> ALL || Math.floorMod(s.name().hashCode(), SAMPLE) == 0);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void statesAreTheSameAsWithoutTheCrash(Scenario scenario) throws Exception {
        long began = System.nanoTime();
        List<CrashPoint> all = crashPoints(scenario);
        if (!ALL && !all.isEmpty()) {
            all = List.of(all.get(new Random(scenario.name().hashCode()).nextInt(all.size())));
        }
        Concurrently.forEach(all, RecordedWorkloadsCrashTest::crash);
        points.addAndGet(all.size());
        nanos += System.nanoTime() - began;
    }

    private static List<CrashPoint> crashPoints(Scenario scenario) throws InterruptedException {
        List<CrashPoint> all = new ArrayList<>();
        try (Replay replay = new Replay(scenario, 1)) {
            replay.begin();
            while (replay.hasNext()) {
                Replay.Checkpoint from = replay.checkpoint();
                int before = replay.tries();
                replay.next();
                boolean endsFirst = Objects.equals(from.next(), ENDS_BEFORE_REASON.get(scenario.name()));
                for (int write = 0; write < (endsFirst ? 0 : replay.tries() - before); write++) {
                    all.add(new CrashPoint(from, write, false));
                    all.add(new CrashPoint(from, write, true));
                }
            }
        }
        return all;
    }

    private static void crash(CrashPoint point) throws InterruptedException {
        List<String> differences = List.of();
        try (Replay replay = new Replay(point.from, point.write + 10_000L).crashingAt(point.write, point.after)) {
            replay.begin();
            while (replay.hasNext()) {
                differences = replay.next().stream().filter(l -> !l.contains(") event ")).toList();
                if (differences.isEmpty()) {
                    return;
                }
            }
        } catch (IllegalArgumentException | AssertionError e) {
            differences = new ArrayList<>(differences);
            differences.add(e.toString());
        }
        throw new AssertionError(point.from.scenario() + ", crash " + (point.after ? "after" : "before") + " write "
                + point.write + " of entry " + point.from.next() + ":\n"
                + String.join("\n", differences.stream().limit(SHOWN).toList()));
    }

    @AfterAll
    static void report() {
        System.out.println(points + " crash points of the recorded workloads in " + Duration.ofNanos(nanos).toSeconds()
                + " s");
    }
}
