package dev.wheelhouse.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the controllers with a real control plane in random scenarios of kinds: {@code -Drandom=service,quota}, with
 * {@code -Drandom.first} and {@code -Drandom.seeds}. Each scenario is recorded and replayed. A scenario with a
 * difference is written to {@code target/random}, with its recording.
 */
class RandomScenariosTest {
    private static final long FIRST = Long.getLong("random.first", 1);
    private static final int SEEDS = Integer.getInteger("random.seeds", 20);
    private static final int SHOWN = 12;

    static List<String> kinds() throws IOException {
        return RandomScenarios.kinds();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everySeedOfAGrammarIsAScenarioOfItsOwn(String kind) throws Exception {
        Set<String> texts = new HashSet<>();
        for (long seed = 1; seed <= 50; seed++) {
            String text = RandomScenarios.of(kind, seed);
            assertThat(text).isEqualTo(RandomScenarios.of(kind, seed)).doesNotContain("<", ">");
            Scenario.parse(kind + "/random-" + seed, text).kinds();
            texts.add(text.substring(text.indexOf("steps:")));
        }
        assertThat(texts).hasSizeGreaterThan(45);
    }

    @Test
    @EnabledIfSystemProperty(named = "random", matches = ".+")
    void theControllersReachTheStatesOfTheRealManager(@TempDir Path directory) throws Exception {
        String kinds = System.getProperty("random");
        List<Scenario> all = new ArrayList<>();
        for (String kind : kinds.split(",", -1)) {
            for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
                all.add(Scenario.parse(kind + "/random-" + seed, RandomScenarios.of(kind, seed)));
            }
        }
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
        System.out.println(SEEDS + " random scenarios of each of " + kinds + " from " + FIRST + ": " + different.size()
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
