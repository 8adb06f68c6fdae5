package dev.wheelhouse.console;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RunningService;

import static org.assertj.core.api.Assertions.assertThat;

/** Types the lines of the page about the console, in its order. */
class ConsoleDocumentTest {
    @TempDir
    private Path home;

    @Test
    @Timeout(900)
    void eachLineOfThePageWorks() throws IOException {
        List<String> lines = lines();
        assertThat(lines).hasSizeGreaterThan(12);
        try (RunningService service = RunningService.start(home)) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), home);
            String port = String.valueOf(URI.create(service.actuator()).getPort());
            for (String line : lines) {
                kubectl.shell(line.replace("127.0.0.1:8080", "127.0.0.1:" + port)).succeeded();
            }
        }
    }

    private static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        Matcher fenced = Pattern.compile("(?ms)^```sh\\n(.*?)^```$")
                .matcher(Files.readString(Path.of("docs/monitoring.md")));
        while (fenced.find()) {
            lines.addAll(fenced.group(1).lines().toList());
        }
        return lines;
    }
}
