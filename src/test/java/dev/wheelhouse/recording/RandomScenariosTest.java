package dev.wheelhouse.recording;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the controllers with a real control plane in random scenarios of a kind: {@code -Drandom=service},
 * {@code quota} or {@code node}, with {@code -Drandom.first} and {@code -Drandom.seeds}. Each scenario is recorded and
 * replayed. A scenario with a difference is written to {@code target/random}, with its recording.
 */
@EnabledIfSystemProperty(named = "random", matches = ".+")
class RandomScenariosTest {
    private static final long FIRST = Long.getLong("random.first", 1);
    private static final int SEEDS = Integer.getInteger("random.seeds", 20);
    private static final int SHOWN = 12;

    @Test
    void theControllersReachTheStatesOfTheRealManager(@TempDir Path directory) throws Exception {
        String kind = System.getProperty("random");
        List<Scenario> all = LongStream.range(FIRST, FIRST + SEEDS).mapToObj(
                seed -> Scenario.parse(kind + "/random-" + seed, RandomScenarios.of(kind, seed))).toList();
        ConcurrentLinkedQueue<String> different = new ConcurrentLinkedQueue<>();
        List<String> failures = Session.record(directory, all, (scenario, recording) -> {
            try (Replay replay = new Replay(scenario, recording, 1)) {
                List<String> lines = replay.run();
                if (!lines.isEmpty()) {
                    different.add(scenario + ":\n  " + String.join("\n  ", lines.stream().limit(SHOWN).toList()));
                    keep(scenario, recording);
                }
            }
        });
        System.out.println(SEEDS + " random scenarios of the kind " + kind + " from " + FIRST + ": " + different.size()
                + " with differences, " + failures.size() + " not played\n" + String.join("\n", different) + "\n"
                + String.join("\n", failures));
        assertThat(different).isEmpty();
        assertThat(failures).isEmpty();
    }

    private static void keep(Scenario scenario, Recording recording) throws Exception {
        String kind = scenario.name().substring(0, scenario.name().indexOf('/'));
        long seed = Long.parseLong(scenario.name().substring(scenario.name().indexOf('-') + 1));
        Path file = Path.of("target/random", scenario.namespace() + ".yaml");
        Files.createDirectories(file.getParent());
        Files.writeString(file, RandomScenarios.of(kind, seed));
        Files.writeString(file.resolveSibling(scenario.namespace() + ".json"), recording.text());
    }
}
