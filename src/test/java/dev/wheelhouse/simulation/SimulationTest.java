package dev.wheelhouse.simulation;

import java.lang.management.ManagementFactory;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("Whatever goes wrong between the manager and the API server")
@ExtendWith(Quiet.class)
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 60);
    /** Seconds of CPU time after which no further seed is begun. */
    private static final long CPU = Long.getLong("simulation.cpu", 90);
    private static final long FIRST = Long.getLong("simulation.first", 1);

    @Test
    void everySeedEndsAsWithoutFaultsAndNoStepOnTheWayIsWrong() throws Exception {
        long began = System.nanoTime();
        int managers = 0;
        StringBuilder failures = new StringBuilder();
        int failed = 0;
        int ran = 0;
        long cpu = cpu();
        for (long seed = FIRST; seed < FIRST + SEEDS && cpu() - cpu < CPU * 1_000_000_000; seed++) {
            ran++;
            try {
                managers += check(seed, PlantedFault.NONE);
            } catch (AssertionError e) {
                if (failed++ < 3) {
                    failures.append(e.getMessage()).append("\n\n");
                } else {
                    failures.append(e.getMessage().lines().findFirst().orElse("")).append("\n");
                }
            }
        }
        System.out.println(ran + " seeds, " + managers + " managers, " + failed + " failed, in "
                + (System.nanoTime() - began) / 1_000_000 + " ms, of CPU "
                + (cpu() - cpu) / 1_000_000 + " ms");
        if (failed > 0) {
            throw new AssertionError(failed + " of " + ran + " seeds failed\n" + failures);
        }
    }

    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** @return how many managers the run with faults took */
    static int check(long seed, PlantedFault planted) throws InterruptedException {
        String wanted;
        try (Simulation calm = new Simulation(seed, 0, PlantedFault.NONE)) {
            wanted = calm.run(null);
        }
        try (Simulation faulty = new Simulation(seed, 0.02 + 0.1 * new java.util.Random(seed).nextDouble(), planted)) {
            faulty.run(wanted);
            return faulty.managers();
        }
    }
}
