package dev.wheelhouse.fuzz;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mutated inputs, guided by the code that they reach: a few seconds a target in every build, in two JVMs at
 * a time, the same inputs each time; ten minutes a target by {@code mvn -Pfuzz test}. {@code fuzz.target} names one
 * target or several, parted by commas.
 */
class FuzzingTest {
    private static final Duration EACH = Duration.ofSeconds(Integer.getInteger("fuzz.seconds", 0));
    private static final Duration EACH_OF_EVERY_BUILD = Duration.ofSeconds(5);
    /** Of a half of the targets, in every build. */
    private static final int RUNS_OF_EVERY_BUILD = 10_000;
    private static final int UNBOUNDED = -1;
    private static final int AT_A_TIME = 2;

    @Test
    void noInputFailsOrTakesTooLong() throws Exception {
        String chosen = System.getProperty("fuzz.target", "");
        List<String> targets = chosen.isEmpty() ? FuzzTargets.names() : List.of(chosen.split(","));
        List<FuzzProcess> processes = new ArrayList<>();
        if (EACH.isZero()) {
            int half = (targets.size() + 1) / AT_A_TIME;
            processes.add(new FuzzProcess(targets.subList(0, half)));
            processes.add(new FuzzProcess(targets.subList(half, targets.size())));
        } else {
            targets.forEach(target -> processes.add(new FuzzProcess(List.of(target))));
        }
        StringBuilder found = new StringBuilder();
        try (ExecutorService two = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<String>> running = new ArrayList<>();
            for (FuzzProcess process : processes) {
                running.add(two.submit(() -> EACH.isZero()
                        ? process.run(false, RUNS_OF_EVERY_BUILD,
                                EACH_OF_EVERY_BUILD.multipliedBy(targets.size()).dividedBy(AT_A_TIME))
                        : process.run(true, UNBOUNDED, EACH)));
            }
            for (Future<String> each : running) {
                found.append(each.get());
            }
        }
        for (FuzzProcess process : processes) {
            System.out.println("fuzzed " + process.summary());
        }
        assertThat(found.toString()).as("put the inputs into src/test/resources/fuzz/TARGET, and mend what they find")
                .isEmpty();
    }
}
