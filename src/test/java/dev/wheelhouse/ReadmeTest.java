package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Types the commands of the README. */
class ReadmeTest {
    @TempDir
    private Path home;

    @Test
    @Timeout(300)
    void theReadmesKubectlLinesWorkAsTheyAreWritten() throws IOException {
        List<String> lines = kubectlLines();
        assertThat(lines).hasSizeGreaterThan(12);
        try (RunningService service = RunningService.start(home)) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), home);
            for (String line : lines) {
                kubectl.shell(line).succeeded();
            }
            assertThat(kubectl.run("get", "deployments", "-A", "--no-headers").output().lines())
                    .allMatch(line -> line.matches(".*\\s(\\d+)/\\1\\s.*"), "every replica is ready");
        }
    }

    private static List<String> kubectlLines() throws IOException {
        List<String> lines = new ArrayList<>();
        boolean shell = false;
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("```")) {
                shell = line.equals("```sh");
            } else if (shell && line.startsWith("kubectl")) {
                lines.add(line);
            }
        }
        return lines;
    }
}
