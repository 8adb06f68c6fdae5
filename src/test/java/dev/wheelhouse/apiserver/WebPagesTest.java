package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that a browser sends for a foreign page are refused; those of other clients are answered. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebPagesTest {
    private static final String CONFIG_MAP = "{\"metadata\":{\"generateName\":\"by-a-page-\"}}";
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

    private ApiServer server;
    private ApiServer guarded;
    private ServerKeys keys;

    @BeforeAll
    void start() {
        keys = ServerKeys.inMemory();
        server = new ApiServer(ApiServerOptions.defaults().withExternalHost("build-7.example.com")).start();
        guarded = new ApiServer(ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.RBAC, Map.of(), keys))).start();
    }

    @AfterAll
    void stop() {
        server.close();
        guarded.close();
    }

    private static String ask(ApiServer asked, String method, String path, String host, String body,
            String... headers) throws IOException {
        try (RawHttp client = RawHttp.connect(asked.port(), 10_000)) {
            StringBuilder text = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n");
            for (String header : headers) {
                text.append(header.replace("PORT", String.valueOf(asked.port()))).append("\r\n");
            }
            if (!body.isEmpty()) {
                text.append("Content-Length: ").append(body.length()).append("\r\n");
            }
            return client.send(text.append("\r\n").append(body).toString()).answer();
        }
    }

    private String get(String... headers) throws IOException {
        return ask(server, "GET", CONFIG_MAPS, "127.0.0.1:" + server.port(), "", headers);
    }

    private long writes() {
        return server.store().version();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Origin: http://evil.example", "Origin: https://127.0.0.1", "Origin: null",
            "Origin: http://127.0.0.1:1", "Origin: http://localhost:PORT", "Origin: chrome-extension://abc",
            "Origin: http://127.0.0.1:PORT.evil.example", "Origin:", "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: ", "Sec-Fetch-Site: something-new"})
    void aRequestOfAForeignPageIsRefusedWhateverItsMethodAndNoHeaderInvitesIt(String header) throws IOException {
        long before = writes();
        for (String method : List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")) {
            String answer = ask(server, method, CONFIG_MAPS, "127.0.0.1:" + server.port(),
                    method.equals("POST") ? CONFIG_MAP : "", header, "Content-Type: application/json",
                    "Connection: close");
            assertThat(RawHttp.code(answer)).as(method + "\n" + answer).isEqualTo(403);
            assertThat(answer.toLowerCase(java.util.Locale.ROOT)).doesNotContain("access-control");
        }
        assertThat(writes()).isEqualTo(before);
    }

    @Test
    void theRefusalNamesTheHeaderAndSaysWhatToDo() throws IOException {
        assertThat(get("Origin: http://evil.example")).contains("\"reason\":\"Forbidden\"",
                "the request's Origin is \\\"http://evil.example\\\", and web pages may not use this server");
        assertThat(ask(server, "GET", "/api", "evil.example", "")).contains(
                "this server is not called \\\"evil.example\\\"", "--wheelhouse.apiserver.external-hostname=HOST");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Sec-Fetch-Site: none", "Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:PORT",
            "Accept: */*"})
    void whatAPersonTypesAndWhatClientsSendIsAnswered(String header) throws IOException {
        assertThat(RawHttp.code(get(header))).isEqualTo(200);
    }

    @Test
    void aWebSocketOfAForeignPageIsNotOpened() throws IOException {
        String[] handshake = {"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: http://evil.example"};
        assertThat(RawHttp.code(ask(server, "GET", CONFIG_MAPS + "?watch=true", "127.0.0.1:" + server.port(), "",
                handshake))).isEqualTo(403);
        handshake[4] = "Origin: http://127.0.0.1:PORT";
        try (RawHttp client = RawHttp.connect(server.port(), 10_000)) {
            client.send("GET " + CONFIG_MAPS + "?watch=true HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\n"
                    + String.join("\r\n", handshake).replace("PORT", String.valueOf(server.port())) + "\r\n\r\n");
            byte[] first = client.socket().getInputStream().readNBytes(12);
            assertThat(new String(first, java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 101");
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({"127.0.0.1, 200", "127.0.0.1:7, 200", "127.8.9.1, 200", "localhost, 200", "LocalHost:80, 200",
            "[::1]:80, 200", "build-7.example.com, 200", "BUILD-7.example.com:7443, 200", "evil.example, 403",
            "evil.example:PORT, 403", "localhost.evil.example, 403", "127.0.0.1.evil.example, 403", "0.0.0.0, 403",
            "192.0.2.1, 403", "[::2], 403", "localhost., 403", "x.localhost, 403", "'', 403"})
    void theServerIsCalledByTheNamesOfLoopbackAndItsOwnAlone(String host, int code) throws IOException {
        assertThat(RawHttp.code(ask(server, "GET", "/api", host.replace("PORT", "" + server.port()), "")))
                .isEqualTo(code);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Accept: */*", "Content-Type:", "Content-Type: text/plain", "Content-Type: TEXT/plain ;a=b",
            "Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data; boundary=x"})
    void aBodyThatAPageMaySendUnaskedIsOfAnUnknownFormat(String type) throws IOException {
        long before = writes();
        for (String method : List.of("POST", "DELETE")) {
            String answer = ask(server, method, CONFIG_MAPS, "localhost", CONFIG_MAP, type);
            assertThat(RawHttp.code(answer)).isEqualTo(415);
            assertThat(answer).contains("\"reason\":\"UnsupportedMediaType\"",
                    "the body of the request was in an unknown format - accepted media types include: "
                            + "application/json");
        }
        assertThat(writes()).isEqualTo(before);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"kubectl/v1.36.2 (linux/amd64), 201", "OpenAPI-Generator/37.0.2/python, 201",
            "Mozilla/5.0 (X11; Linux x86_64), 415"})
    void anUntypedBodyIsTakenFromWhoIsNoBrowser(String agent, int code) throws IOException {
        assertThat(RawHttp.code(ask(server, "POST", CONFIG_MAPS + "?dryRun=All", "localhost", CONFIG_MAP,
                "User-Agent: " + agent))).isEqualTo(code);
    }

    @Test
    void aServerThatAsksForATokenAnswersWhoeverShowsOneAndPagesGetNotEvenItsHealth() throws IOException {
        String token = "Authorization: Bearer " + keys.adminToken();
        assertThat(RawHttp.code(ask(guarded, "GET", CONFIG_MAPS, "any.example", "", token,
                "Origin: https://dashboard.example"))).isEqualTo(200);
        assertThat(RawHttp.code(ask(guarded, "POST", CONFIG_MAPS, "any.example", CONFIG_MAP, token))).isEqualTo(201);
        assertThat(RawHttp.code(ask(guarded, "GET", "/healthz", "any.example", ""))).isEqualTo(200);
        assertThat(RawHttp.code(ask(guarded, "GET", "/healthz", "any.example", "",
                "Origin: https://dashboard.example"))).isEqualTo(403);
        assertThat(RawHttp.code(ask(guarded, "GET", "/healthz", "any.example", "", "Sec-Fetch-Site: cross-site")))
                .isEqualTo(403);
    }

    @Test
    void aSessionCookieMeansNothing() throws IOException {
        String answer = ask(guarded, "GET", CONFIG_MAPS, "127.0.0.1", "", "Cookie: token=" + keys.adminToken());
        assertThat(RawHttp.code(answer)).isEqualTo(403);
        assertThat(answer).doesNotContain("Set-Cookie").doesNotContain("WWW-Authenticate: Basic");
    }
}
