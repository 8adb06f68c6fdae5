package dev.wheelhouse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Secrets do not appear in logs, pages and endpoints of the service. */
@Tag("processes")
@Tag("full")
class SecretsTest {
    @TempDir
    private Path directory;

    @Test
    @Timeout(900)
    void itPrintsNoTokenAndNoKeyHoweverMuchItLogs() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens.csv"), "token-of-jane,jane,j1\n");
        String output;
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", "--wheelhouse.apiserver.authorization-mode=rbac",
                "--wheelhouse.apiserver.data-dir=data", "--wheelhouse.apiserver.token-auth-file=" + tokens,
                "--wheelhouse.node.manifest-url=http://user:token-in-a-url@127.0.0.1:1/pods?key=token-in-a-query",
                "--wheelhouse.node.manifest-url-headers=Authorization:token-in-a-header", "--debug=true",
                "--logging.level.root=debug", "--logging.level.dev.wheelhouse=debug").awaitReady()) {
            process.awaitOutput("pods could not be read from http://127.0.0.1:1/pods");
            output = process.output();
        }
        Matcher admin = Pattern.compile("token: \"([^\"]+)\"")
                .matcher(Files.readString(directory.resolve("wheelhouse.kubeconfig")));
        assertThat(admin.find()).isTrue();
        assertThat(output).hasSizeGreaterThan(10_000).doesNotContain(admin.group(1), "token-of-jane", "token-in-a-url",
                "token-in-a-query", "token-in-a-header", "PRIVATE KEY", "Bearer ");
        try (Stream<Path> files = Files.walk(directory.resolve("data"))) {
            for (Path key : files.filter(file -> file.toString().endsWith(".key")).toList()) {
                List<String> lines = Files.readAllLines(key);
                assertThat(output).doesNotContain(lines.get(1));
            }
        }
    }
}
