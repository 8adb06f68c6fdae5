package dev.wheelhouse.apiserver;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.RawHttp;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Fails if an upgrade of Tomcat changes the internals that {@link ApiProtocol} builds on. */
@Timeout(900)
class ApiProtocolTest {
    private static final int MILLIS = 20_000;
    private static final String WATCH = "GET /api/v1/pods?watch=true&timeoutSeconds=%d HTTP/1.1\r\nHost: "
            + "localhost\r\n\r\n";

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()
            .withLimits(TestLimits.withIo(Duration.ofSeconds(1), ApiServerLimits.standard()))).start();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aQuietWatchEndsWhenItsClientHasClosedTheConnection() throws Exception {
        try (RawHttp http = RawHttp.connect(server.port(), MILLIS)) {
            http.send(WATCH.formatted(60));
            assertThat(http.socket().getInputStream().read()).isEqualTo('H');
            assertThat(server.openConnections()).isEqualTo(1);
        }
        eventually("the connection is no longer counted", Duration.ofMinutes(2), () -> server.openConnections() == 0);
    }

    /** The look at the client during the watch reads a byte of the next request, and gives it back. */
    @Test
    void aRequestThatWaitsBehindAQuietWatchIsAnsweredAsAWhole() throws Exception {
        try (RawHttp http = RawHttp.connect(server.port(), MILLIS)) {
            http.send(WATCH.formatted(3));
            assertThat(http.socket().getInputStream().read()).isEqualTo('H');
            http.send("GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

            byte[] rest = http.socket().getInputStream().readAllBytes();
            String answers = "H" + new String(rest, StandardCharsets.ISO_8859_1);

            assertThat(answers.split("HTTP/1.1 200 OK\r\n", -1)).hasSize(3);
            assertThat(answers).contains("\"gitVersion\"");
        }
    }
}
