package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.simulation.PlantedFault.Defect;

@Tag("stepped")
@Tag("sized")
@DisplayName("Whatever goes wrong between the manager and the API server")
@ExtendWith(Quiet.class)
class SimulationTest {
    private static final int SEEDS = Sizes.of("simulation.seeds", 40, 1000, 10_000);
    private static final long FIRST = Long.getLong("simulation.first", 1);
    /** The name of a {@link Kind} to run alone; null for mixed workloads. */
    private static final String KIND = System.getProperty("simulation.kind");

    @Test
    void everySeedEndsAsWithoutFaultsAndNoStepOnTheWayIsWrong() throws Exception {
        long began = System.nanoTime();
        AtomicReference<Tally> tally = new AtomicReference<>(Tally.NONE);
        List<Long> seeds = LongStream.range(FIRST, FIRST + SEEDS).boxed().toList();
        try {
            Concurrently.forEach(seeds, seed -> {
                Tally had = check(seed, () -> KIND == null ? Mix.of(seed) : Mix.of(seed, Kind.valueOf(KIND)),
                        Defect.NONE);
                tally.accumulateAndGet(had, Tally::plus);
            });
        } finally {
            System.out.println(SEEDS + " seeds from " + FIRST + " in " + (System.nanoTime() - began) / 1_000_000_000
                    + " s: " + tally);
        }
    }

    /** @return the counts of the run with faults */
    static Tally check(long seed, Supplier<Mix> mix, Defect defect) throws InterruptedException {
        String wanted;
        try (Simulation calm = new Simulation(seed, mix.get(), 0, Defect.NONE)) {
            wanted = calm.run(null);
        }
        try (Simulation faulty = new Simulation(seed, mix.get(), 0.02 + 0.1 * new Random(seed).nextDouble(), defect)) {
            faulty.run(wanted);
            return faulty.tally();
        }
    }
}
