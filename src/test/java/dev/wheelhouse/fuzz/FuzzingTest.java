package dev.wheelhouse.fuzz;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.Sizes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mutations of the inputs that the repository keeps, the same in every build. An input that fails is kept in
 * {@code target/fuzz}.
 */
@Tag("sized")
@Isolated
class FuzzingTest {
    private static final int MUTATIONS = Sizes.of("fuzz.mutations", 100, 1000, 10_000);

    static List<String> targets() {
        return FuzzTargets.names();
    }

    @ParameterizedTest
    @MethodSource("targets")
    @Timeout(900)
    void noInputFailsOrTakesTooLong(String name) throws Exception {
        FuzzTarget target = FuzzTargets.named(name);
        Mutations mutations = new Mutations(Corpus.of(name), Integer.getInteger("fuzz.seed", 1));
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] input = mutations.next();
            try {
                Cost.run(target, input);
            } catch (Throwable e) {
                Path file = Files.createDirectories(Path.of("target", "fuzz", name)).resolve("mutation-" + i);
                Files.write(file, input);
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).as("%s fails", file).isEmpty();
            }
        }
    }
}
