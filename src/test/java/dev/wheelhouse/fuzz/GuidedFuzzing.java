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
 * Mutated inputs, guided by the code that they reach, in two JVMs at a time: ten minutes a target by
 * {@code mvn test -Dtest=GuidedFuzzing}. {@code fuzz.target} names one target or several, parted by commas. No build
 * runs it: its inputs differ from run to run. {@link FuzzingTest} is the part of every build.
 */
class GuidedFuzzing {
    private static final int AT_A_TIME = 2;

    @Test
    void noInputFailsOrTakesTooLong() throws Exception {
        Duration each = Duration.ofSeconds(Integer.getInteger("fuzz.seconds", 600));
        String chosen = System.getProperty("fuzz.target", "");
        List<FuzzProcess> processes = (chosen.isEmpty() ? FuzzTargets.names() : List.of(chosen.split(",")))
                .stream().map(FuzzProcess::new).toList();
        StringBuilder found = new StringBuilder();
        try (ExecutorService two = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<String>> running = new ArrayList<>();
            for (FuzzProcess process : processes) {
                running.add(two.submit(() -> process.run(each)));
            }
            for (Future<String> one : running) {
                found.append(one.get());
            }
        }
        for (FuzzProcess process : processes) {
            System.out.println("fuzzed " + process.summary());
        }
        assertThat(found.toString()).as("put the inputs into src/test/resources/fuzz/TARGET, and mend what they find")
                .isEmpty();
    }
}
