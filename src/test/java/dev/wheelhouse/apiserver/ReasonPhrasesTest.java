package dev.wheelhouse.apiserver;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.RawHttp;

import static org.assertj.core.api.Assertions.assertThat;

/** Fails if an upgrade of Tomcat keeps the buffer that {@link ReasonPhrases} replaces elsewhere. */
class ReasonPhrasesTest {
    private static final int MILLIS = 20_000;

    /** Two requests over one connection, each with an answer of its own status. */
    @Test
    void aStatusLineHasItsReasonPhrase() throws Exception {
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
                RawHttp http = RawHttp.connect(server.port(), MILLIS)) {
            assertThat(http.send("GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n").answer())
                    .startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(http.send("GET /api/v1/nodes/none HTTP/1.1\r\nHost: localhost\r\n\r\n").answer())
                    .startsWith("HTTP/1.1 404 Not Found\r\n");
        }
    }
}
