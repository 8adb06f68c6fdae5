package dev.wheelhouse;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Every command line of the page about access. */
class AccessPageTest {
    @TempDir
    private Path home;

    @Test
    @Timeout(300)
    void theCommandLinesOfThePageDoWhatTheirCommentsSay() throws Exception {
        try (TypedPage page = new TypedPage(Path.of("docs/access.md"), home)) {
            assertThat(page.type()).isGreaterThan(18);
        }
    }
}
