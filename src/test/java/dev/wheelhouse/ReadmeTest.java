package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Types the commands of the README. */
@Tag("processes")
class ReadmeTest {
    @TempDir
    private Path home;

    @Test
    @Timeout(1800)
    void theReadmesLinesWorkAsTheyAreWritten() throws IOException {
        List<String> lines = lines();
        assertThat(lines).hasSizeGreaterThan(12);
        try (RunningService service = RunningService.start(home)) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), home);
            for (String line : lines) {
                if (line.startsWith("helm")) {
                    HelmLine.run(line, service.kubeconfig());
                } else {
                    kubectl.shell(line).succeeded();
                }
            }
            eventually("every replica is ready", Duration.ofMinutes(4),
                    () -> kubectl.run("get", "deployments", "-A", "--no-headers").output().lines()
                            .allMatch(line -> line.matches(".*\\s(\\d+)/\\1\\s.*")));
        }
    }

    private static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        boolean shell = false;
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("```")) {
                shell = line.equals("```sh");
            } else if (shell && (line.startsWith("kubectl") || line.startsWith("helm install bookshop"))) {
                lines.add(line);
            }
        }
        return lines;
    }
}
