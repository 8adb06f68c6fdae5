package dev.wheelhouse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A service without memory ends. One that lives on may have lost the threads that accept connections. */
@Tag("processes")
@Timeout(300)
class OutOfMemoryTest {
    private static final int EXIT_CODE = 3;
    private static final Path OPTIONS = Path.of("src", "build", "jvm.options").toAbsolutePath();

    @TempDir
    private Path directory;

    /** @return the exit code, a blank, and the output */
    private String run(List<String> options, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DyingService.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output;
    }

    @Test
    void aServiceWithTheJvmOptionsOfTheBuildEndsAtTheFirstError() throws Exception {
        assertThat(run(List.of("-Xmx32m"))).startsWith("0 ").contains("lives on");
        assertThat(run(List.of("-Xmx32m", "@" + OPTIONS))).startsWith(EXIT_CODE + " ").doesNotContain("lives on");
    }

    @Test
    void aServiceWithoutThemEndsWithASentenceWhenAThreadDiesOfIt() throws Exception {
        assertThat(run(List.of(), "--server.port=0", "--wheelhouse.apiserver.port=0")).startsWith(EXIT_CODE + " ")
                .contains("wheelhouse: ended, because memory ran out: give it a larger heap with -Xmx");
    }
}
