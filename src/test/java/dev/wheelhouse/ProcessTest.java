package dev.wheelhouse;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The service as a process: how it starts, refuses to, and ends. */
@Timeout(120)
class ProcessTest {
    @TempDir
    private Path directory;

    @Test
    void sigtermEndsItWithinFiveSeconds() throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0")
                .awaitReady()) {
            process.terminate();

            assertThat(process.awaitExit(Duration.ofSeconds(5))).as(process.output()).isIn(0, 143);
            assertThat(process.output()).doesNotContain("did not end").doesNotContain("Exception");
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --wheelhouse.nodes.cuont=3                       | there is no option wheelhouse.nodes.cuont
            --wheelhouse.mode=clustered \
                | wheelhouse.mode is "clustered": it must be one of auto, embedded, kubeconfig
            --wheelhouse.nodes.memory=lots                   | wheelhouse.nodes.memory is "lots": it must be a quantity
            --wheelhouse.apiserver.address=192.0.2.1 \
                | wheelhouse.apiserver.address is 192.0.2.1, which others can reach, so it takes TLS: add \
            wheelhouse.apiserver.tls-self-signed=true
            --wheelhouse.apiserver.tls-cert-file=a.crt \
                | wheelhouse.apiserver.tls-cert-file is set without wheelhouse.apiserver.tls-private-key-file
            --wheelhouse.apiserver.token-auth-file=no/such   | the token file no/such cannot be read
            --wheelhouse.controllers=deploymnet              | there is no controller "deploymnet"
            --wheelhouse.workers-of.deploymnet=3 \
                | wheelhouse.workers-of.deploymnet: there is no controller "deploymnet"
            --wheelhouse.kubeconfig=no/such/file             | there is no such file
            --wheelhouse.node.config=no/such/file \
                | wheelhouse.node.config: no/such/file cannot be read: there is no such file
            --port=1                                         | there is no option --port
            """)
    void aBadOptionIsOneClearSentenceAndExitCode1(String option, String sentence) throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", option)) {
            assertRefused(process, sentence);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --server.port            | --wheelhouse.apiserver.port
            --wheelhouse.apiserver.port | --server.port
            """)
    void aPortThatIsTakenIsOneClearSentenceAndExitCode1(String taken, String free) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                WheelhouseProcess process = new WheelhouseProcess(directory, taken + "=" + socket.getLocalPort(),
                        free + "=0",
                        "--server.address=127.0.0.1")) {
            assertRefused(process, String.valueOf(socket.getLocalPort()));
        }
    }

    private static void assertRefused(WheelhouseProcess process, String sentence) throws Exception {
        assertThat(process.awaitExit(Duration.ofSeconds(60))).as(process.output()).isEqualTo(1);
        assertThat(process.output()).contains("wheelhouse: cannot start: ").contains(sentence).doesNotContain("\tat ")
                .doesNotContain("Exception:");
        assertThat(process.output().lines().filter(line -> line.contains("cannot start"))).hasSize(1);
    }

    @Test
    void helpListsTheOptions() throws Exception {
        try (WheelhouseProcess process = new WheelhouseProcess(directory, "--help")) {
            assertThat(process.awaitExit(Duration.ofSeconds(30))).isZero();
            assertThat(process.output()).contains("--wheelhouse.kubeconfig=FILE");
        }
    }
}
