package dev.wheelhouse.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Every input that the repository keeps, among them all that ever failed, for every target. */
class FuzzCorpusTest {
    /** An input whose name begins so is run made long as well. */
    private static final String LONG = "long-";
    private static final int LONG_LENGTH = 256 * 1024;

    static List<String> targets() {
        return FuzzTargets.names();
    }

    @ParameterizedTest
    @MethodSource("targets")
    @Timeout(120)
    void whatIsKnownToBeDifficultIsReadOrRefused(String name) throws IOException {
        FuzzTarget target = FuzzTargets.named(name);
        List<Corpus.Input> inputs = Corpus.of(name);
        assertThat(inputs).isNotEmpty();
        for (Corpus.Input input : inputs) {
            try {
                Cost.run(target, input.bytes());
                if (input.name().startsWith(LONG)) {
                    Cost.run(target, Stretch.to(LONG_LENGTH, input.bytes()));
                }
            } catch (Throwable e) {
                throw new AssertionError(Corpus.directory(name).resolve(input.name()) + ": "
                        + new String(input.bytes(), StandardCharsets.UTF_8), e);
            }
        }
    }
}
