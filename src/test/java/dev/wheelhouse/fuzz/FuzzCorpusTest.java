package dev.wheelhouse.fuzz;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Every input that the repository keeps, among them all that ever failed, for every target. */
@Isolated
class FuzzCorpusTest {
    static List<String> targets() {
        return FuzzTargets.names();
    }

    @ParameterizedTest
    @MethodSource("targets")
    @Timeout(900)
    void whatIsKnownToBeDifficultIsReadOrRefused(String name) throws IOException {
        FuzzTarget target = FuzzTargets.named(name);
        List<Corpus.Input> inputs = Corpus.of(name);
        assertThat(inputs).isNotEmpty();
        List<String> failed = new ArrayList<>();
        for (Corpus.Input input : inputs) {
            try {
                Cost.run(target, input.bytes());
            } catch (Throwable e) {
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                failed.add(Corpus.directory(name).resolve(input.name()) + ": " + trace);
            }
        }
        assertThat(failed).isEmpty();
    }
}
