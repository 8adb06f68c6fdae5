package dev.wheelhouse;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The service as a process: how it starts, refuses to, and ends. */
@Timeout(900)
@Tag("processes")
@Execution(ExecutionMode.CONCURRENT)
class ProcessTest {
    private static final Duration SOON = Duration.ofMinutes(4);

    @TempDir
    private Path directory;

    @Test
    void sigtermEndsIt() throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0")
                .awaitReady()) {
            process.terminate();

            assertThat(process.awaitExit(SOON)).as(process.output()).isIn(0, 143);
            assertThat(process.output()).doesNotContain("did not end").doesNotContain("Exception")
                    .contains("Its objects are in memory and gone when it ends: --wheelhouse.apiserver.data-dir=")
                    .endsWith("Wheelhouse has ended. Its objects were in memory and are gone.");
        }
    }

    @Test
    @Tag("full")
    void theLastLineNamesTheDirectoryThatKeepsTheObjects() throws Exception {
        Path data = directory.resolve("data");
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", "--wheelhouse.apiserver.data-dir=data").awaitReady()) {
            process.terminate();

            assertThat(process.awaitExit(SOON)).as(process.output()).isIn(0, 143);
            assertThat(process.output()).contains("Its objects are kept in " + data + ".\n")
                    .endsWith("Wheelhouse has ended. Its objects are kept in " + data + ".");
        }
    }

    /** The ports and the kubeconfig of a running service are its own; the port of health sends kubectl to the other. */
    @Test
    @Tag("full")
    void aSecondServiceLearnsWhatTheFirstOneHas() throws Exception {
        try (RunningService first = RunningService.start(directory)) {
            String kubeconfig = Files.readString(first.kubeconfig());
            URI api = URI.create(first.api().getBasePath());
            URI health = URI.create(first.actuator()).resolve("/");

            assertSecondIsRefused("port " + health.getPort() + " (health and metrics) is taken by another Wheelhouse:"
                    + " end that one, or choose another port with --server.port=PORT",
                    "--server.port=" + health.getPort(),
                    "--wheelhouse.apiserver.port=0", "--wheelhouse.apiserver.kubeconfig=other");
            assertSecondIsRefused("port " + api.getPort() + " (the API server) is taken by another Wheelhouse",
                    "--server.port=0", "--wheelhouse.apiserver.port=" + api.getPort());
            assertSecondIsRefused("wheelhouse.kubeconfig belongs to the API server at " + api + ", which is running",
                    "--server.port=0", "--wheelhouse.apiserver.port=0");

            assertThat(Files.readString(first.kubeconfig())).isEqualTo(kubeconfig);
            String hint = "export KUBECONFIG=" + first.kubeconfig();
            assertThat(get(health.resolve("/api"), "curl/8")).contains("\"kind\":\"Status\"").contains(hint);
            assertThat(get(health.resolve("/apis"), "kubectl/v1.36.0 (linux/amd64)")).startsWith("this is the port of")
                    .endsWith(hint);
        }
    }

    private void assertSecondIsRefused(String sentence, String... options) throws Exception {
        try (WheelhouseProcess second = new WheelhouseProcess(directory, options)) {
            assertRefused(second, sentence);
        }
    }

    private static String get(URI uri, String userAgent) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).header("User-Agent", userAgent).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    /** {@code RefusedOptionsTest} has more of them. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --wheelhouse.nodes.cuont=3 \
                | there is no option wheelhouse.nodes.cuont: did you mean wheelhouse.nodes.count? --help lists
            --wheelhouse.apiserver.token-auth-file=no/such   | the token file no/such cannot be read
            --port=1 \
                | there is no option --port: did you mean server.port? --help
            """)
    void aBadOptionIsOneClearSentenceAndExitCode1(String option, String sentence) throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", option)) {
            assertRefused(process, sentence);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --server.port               | --wheelhouse.apiserver.port
            --wheelhouse.apiserver.port | --server.port
            """)
    @Tag("full")
    void aPortThatIsTakenIsOneClearSentenceAndExitCode1(String taken, String free) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                WheelhouseProcess process = new WheelhouseProcess(directory, taken + "=" + socket.getLocalPort(),
                        free + "=0",
                        "--server.address=127.0.0.1")) {
            assertRefused(process, "is taken by another process: end that one, or choose another port with " + taken);
        }
    }

    private static void assertRefused(WheelhouseProcess process, String sentence) throws Exception {
        assertThat(process.awaitExit(SOON)).as(process.output()).isEqualTo(1);
        assertThat(process.output()).contains("wheelhouse: cannot start: ").contains(sentence).doesNotContain("\tat ")
                .doesNotContain("Exception:");
        assertThat(process.output().lines().filter(line -> line.contains("cannot start"))).hasSize(1);
    }

    @Test
    void versionIsOneLine() throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--version")) {
            assertThat(process.awaitExit(SOON)).isZero();
            assertThat(process.output()).matches("Wheelhouse .+, for Kubernetes 1\\.36, on Java .+");
        }
    }

    @Test
    void helpListsTheOptions() throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--help")) {
            assertThat(process.awaitExit(SOON)).isZero();
            assertThat(process.output()).contains("--wheelhouse.kubeconfig=TEXT",
                    "--wheelhouse.apiserver.port=7443\n      the port");
        }
    }
}
