package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.marcnuri.helm.Helm;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Types the commands of the README. */
class ReadmeTest {
    @TempDir
    private Path home;

    @Test
    @Timeout(300)
    void theReadmesLinesWorkAsTheyAreWritten() throws IOException {
        List<String> lines = lines();
        assertThat(lines).hasSizeGreaterThan(12);
        try (RunningService service = RunningService.start(home)) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), home);
            for (String line : lines) {
                if (line.startsWith("helm")) {
                    install(line.split(" "), service.kubeconfig());
                } else {
                    kubectl.shell(line).succeeded();
                }
            }
            eventually("every replica is ready", Duration.ofSeconds(60),
                    () -> kubectl.run("get", "deployments", "-A", "--no-headers").output().lines()
                            .allMatch(line -> line.matches(".*\\s(\\d+)/\\1\\s.*")));
        }
    }

    /** Runs {@code helm install NAME CHART --namespace NAMESPACE --create-namespace --wait}. */
    private static void install(String[] words, Path kubeconfig) {
        assertThat(words).containsExactly("helm", "install", words[2], words[3], "--namespace", words[5],
                "--create-namespace", "--wait");
        assertThat(new Helm(Path.of(words[3])).install().withName(words[2]).withNamespace(words[5]).createNamespace()
                .withKubeConfig(kubeconfig).waitReady().withTimeout(120).call().getStatus()).isEqualTo("deployed");
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
