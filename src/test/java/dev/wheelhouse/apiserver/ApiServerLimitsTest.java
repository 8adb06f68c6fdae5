package dev.wheelhouse.apiserver;

import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The limits of clients: for each, a client exceeds it. */
class ApiServerLimitsTest {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withLimits(
            TestLimits.withBody(100_000,
                    TestLimits.withWatches(6,
                            TestLimits.withRequests(8,
                                    TestLimits.withIo(Duration.ofSeconds(1), ApiServerLimits.standard()))))))
            .start();

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> post(String contentType, String body) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(server.url() + CONFIG_MAPS))
                .timeout(Duration.ofMinutes(2)).header("Content-Type", contentType)
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private void assertServes() throws Exception {
        assertThat(post("application/json", "{\"metadata\": {\"generateName\": \"ok-\"}}").statusCode())
                .isEqualTo(201);
    }

    @Test
    void aBodyOfUnknownFieldsIsStoredAndAnsweredWithAsManyWarningsAsAHeaderHolds() throws Exception {
        StringBuilder body = new StringBuilder("{");
        for (int i = 0; i < 5_000; i++) {
            body.append("\"").append(Integer.toString(i, 36)).append("\": 1, ");
        }
        HttpResponse<String> answer = post("application/json", body + "\"metadata\": {\"name\": \"unknown\"}}");
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.body()).contains("\"name\":\"unknown\"");
        assertThat(answer.headers().allValues("Warning")).contains("299 - \"unknown field \\\"0\\\"\"")
                .hasSizeBetween(100, 300);
    }

    @Test
    void aBodyThatIsTooLongIsRefusedWhetherItsLengthIsToldOrNot() throws Exception {
        assertThat(post("application/json", "{\"data\": {\"k\": \"" + "x".repeat(200_000) + "\"}}").statusCode())
                .isEqualTo(413);
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("POST " + CONFIG_MAPS + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n");
            String answer;
            try {
                for (int i = 0; i < 200; i++) {
                    raw.send("400\r\n" + "x".repeat(1024) + "\r\n");
                }
                answer = raw.answer();
            } catch (SocketException e) {
                // The server answered and closed the connection before all was sent.
                answer = "HTTP/1.1 413 ";
            }
            assertThat(RawHttp.code(answer)).isEqualTo(413);
        }
        assertServes();
    }

    @Test
    void aWatchOverAWebSocketEndsWhenItsClientReadsNothing() throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("GET " + CONFIG_MAPS + "?watch=1&timeoutSeconds=3600 HTTP/1.1\r\nHost: localhost\r\n"
                    + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
            Eventually.eventually("the watch is open", Duration.ofMinutes(2), () -> server.store().watchers() == 1);
            String body = "{\"metadata\": {\"generateName\": \"large-\"}, \"data\": {\"x\": \"" + "x".repeat(90_000)
                    + "\"}}";
            Eventually.eventually("the watch has ended", Duration.ofMinutes(2),
                    () -> post("application/json", body).statusCode() != 201 || server.store().watchers() == 0);
            assertServes();
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            not masked             | 81 01 41                | 03EA
            a ping in parts        | 09 80 00 00 00 00       | 03EA
            an extension's bit     | F1 80 00 00 00 00       | 03EA
            an unknown kind        | 8F 80 00 00 00 00       | 03EA
            a long ping            | 89 FE 00 7E 00 00 00 00 | 03EA
            more than events need  | 82 FE 00 7E 00 00 00 00 | 03F1
            an end without a code  | 88 80 00 00 00 00       | 03E8
            """)
    void aFrameThatIsNotAllowedEndsAWatchAndTheClientIsTold(String what, String frame, String code) throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("GET " + CONFIG_MAPS + "?watch=1 HTTP/1.1\r\nHost: localhost\r\n"
                    + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
            Eventually.eventually("the watch is open", Duration.ofMinutes(2), () -> server.store().watchers() == 1);
            raw.send(HexFormat.ofDelimiter(" ").parseHex(frame));
            byte[] all = raw.socket().getInputStream().readAllBytes();
            assertThat(HexFormat.of().withUpperCase().formatHex(all)).endsWith("8802" + code);
            Eventually.eventually("the watch has ended", Duration.ofMinutes(2), () -> server.store().watchers() == 0);
        }
    }

    @Test
    void jsonInAnotherEncodingThanUtf8IsABadRequest() throws Exception {
        String body = "{\"metadata\": {\"name\": \"encoded\"}}";
        for (String encoding : List.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE")) {
            HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create(server.url() + CONFIG_MAPS))
                    .timeout(Duration.ofMinutes(2)).header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body.getBytes(Charset.forName(encoding)))).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(encoding).isEqualTo(400);
            assertThat(answer.body()).contains("json parse error: invalid JSON");
        }
        assertThat(post("application/json", body).statusCode()).isEqualTo(201);
    }

    @Test
    void aBodyThatIsNestedTooDeeplyIsABadRequest() throws Exception {
        String deep = "{\"a\":".repeat(10_000) + "1" + "}".repeat(10_000);
        assertThat(post("application/json", deep).statusCode()).isEqualTo(400);
        assertThat(post("application/yaml", "[".repeat(10_000)).statusCode()).isEqualTo(400);
        assertServes();
    }

    @Test
    void aliasesThatMakeADocumentEndlessOrHugeAreABadRequest() throws Exception {
        assertThat(post("application/yaml", "a: &a [*a]").statusCode()).isEqualTo(400);
        StringBuilder bomb = new StringBuilder("l0: &l0 [" + "x,".repeat(20_000) + "x]\n");
        for (int i = 1; i <= 6; i++) {
            bomb.append("l%d: &l%d [*l%d, *l%d, *l%d]\n".formatted(i, i, i - 1, i - 1, i - 1));
        }
        assertThat(post("application/yaml", bomb.toString()).statusCode()).isEqualTo(400);
        assertServes();
    }

    @Test
    void headersThatAreTooLongAreRefusedWithoutAPageAboutTheServer() throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("GET /version HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(70_000) + "\r\n\r\n");
            String answer = raw.answer();
            assertThat(RawHttp.code(answer)).isIn(400, 431);
            assertThat(answer).contains("\"kind\":\"Status\"").doesNotContain("Tomcat", "\tat ", "<html");
        }
        assertServes();
    }

    @Test
    void aSenderHasHalfOfTheWatchesAndOneMoreIsToldToComeLater() throws Exception {
        HttpRequest watch = HttpRequest.newBuilder(URI.create(server.url() + CONFIG_MAPS + "?watch=1"))
                .timeout(Duration.ofMinutes(2)).build();
        HttpResponse<java.io.InputStream> first = null;
        for (int i = 0; i < 3; i++) {
            HttpResponse<java.io.InputStream> open = http.send(watch, HttpResponse.BodyHandlers.ofInputStream());
            assertThat(open.statusCode()).isEqualTo(200);
            first = first == null ? open : first;
        }
        HttpResponse<String> refused = http.send(watch, HttpResponse.BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(Json.text(Json.read(refused.body()), "reason")).isEqualTo("TooManyRequests");
        assertThat(server.store().watchers()).isEqualTo(3);
        HttpRequest other = HttpRequest.newBuilder(watch.uri()).header("User-Agent", "honest/1").build();
        HttpResponse<java.io.InputStream> served = http.send(other, HttpResponse.BodyHandlers.ofInputStream());
        assertThat(served.statusCode()).isEqualTo(200);
        served.body().close();
        server.faults().cutWatches();
        Eventually.eventually("the watches have ended", Duration.ofMinutes(2), () -> server.store().watchers() == 0);
        Eventually.eventually("a watch is served again", Duration.ofMinutes(2), () -> {
            HttpResponse<java.io.InputStream> again = http.send(watch, HttpResponse.BodyHandlers.ofInputStream());
            try (java.io.InputStream body = again.body()) {
                return again.statusCode() == 200;
            }
        });
    }

    @Test
    void aSenderHasHalfOfTheRequestsAndOneMoreIsToldToComeLater() throws Exception {
        Faults.Rule slowness = server.faults().on("create", "configmaps").times(4).delay(Duration.ofMinutes(1));
        List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            slow.add(http.sendAsync(HttpRequest.newBuilder(URI.create(server.url() + CONFIG_MAPS))
                    .timeout(Duration.ofMinutes(2)).header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"metadata\": {\"generateName\": \"s-\"}}")).build(),
                    HttpResponse.BodyHandlers.ofString()));
        }
        HttpRequest list = HttpRequest.newBuilder(URI.create(server.url() + CONFIG_MAPS))
                .timeout(Duration.ofMinutes(2)).build();
        HttpRequest health = HttpRequest.newBuilder(URI.create(server.url() + "/livez"))
                .timeout(Duration.ofMinutes(2)).build();
        Eventually.eventually("four requests are being answered", Duration.ofMinutes(2), () -> slowness.hits() == 4);
        HttpResponse<String> refused = http.send(list, HttpResponse.BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(http.send(health, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        slowness.end();
        for (CompletableFuture<HttpResponse<String>> each : slow) {
            assertThat(each.get().statusCode()).isEqualTo(201);
        }
        // A client may have an answer before the server has taken its seat back.
        Eventually.eventually("the sender has a seat again", Duration.ofMinutes(2),
                () -> http.send(list, HttpResponse.BodyHandlers.ofString()).statusCode() == 200);
        String metrics = http.send(HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString()).body();
        assertThat(metrics).containsPattern("apiserver_rejected_requests_total [1-9]").contains(
                "apiserver_request_total{code=\"201\",component=\"apiserver\",dry_run=\"\",group=\"\","
                        + "resource=\"configmaps\",scope=\"namespace\",subresource=\"\",verb=\"POST\","
                        + "version=\"v1\"} 4");
    }

    @Test
    void headersThatTrickleInHaveADeadlineTogether() throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("GET /version HTTP/1.1\r\nX-Slow: ");
            Eventually.eventually("the trickle is cut off", Duration.ofMinutes(2), () -> {
                try {
                    raw.send("x");
                } catch (SocketException e) {
                    return true;
                }
                return false;
            });
        }
        assertServes();
    }

    @Test
    void aQuietWatchNoticesThatItsClientHasGone() throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("GET " + CONFIG_MAPS + "?watch=1&resourceVersion=" + server.store().version()
                    + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Eventually.eventually("the watch is open", Duration.ofMinutes(2),
                    () -> server.store().watchers() == 1);
        }
        Eventually.eventually("the watch is closed, though nothing happened", Duration.ofMinutes(2),
                () -> server.store().watchers() == 0);
    }

    @Test
    void aQuietWatchKeepsItsClientAndWhatThatSendsNextIsAnswered() throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
            raw.send("GET " + CONFIG_MAPS + "?watch=1&timeoutSeconds=2&resourceVersion=" + server.store().version()
                    + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            raw.send("GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            String watch = raw.answer();
            String all = watch.contains("gitVersion") ? watch : watch + raw.answer();
            assertThat(all).contains("200", "gitVersion");
        }
    }

    @Test
    void aClientThatDoesNotSendWhatItAnnouncedIsCutOff() throws Exception {
        try (RawHttp headers = RawHttp.connect(server.port(), 120_000);
                RawHttp body = RawHttp.connect(server.port(), 120_000)) {
            headers.send("GET /version HTTP/1.1\r\nHost:");
            body.send("POST " + CONFIG_MAPS
                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                    + "1000\r\n\r\n{");
            assertThat(RawHttp.code(headers.answer())).isIn(0, 400, 408);
            assertThat(RawHttp.code(body.answer())).isIn(0, 400, 408);
        }
        assertServes();
    }

    @Test
    void aWatcherThatDoesNotReadIsDroppedAndOthersAreServed() throws Exception {
        try (RawHttp slow = RawHttp.connect(server.port(), 120_000)) {
            slow.socket().setReceiveBufferSize(4096);
            slow.send("GET " + CONFIG_MAPS + "?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Eventually.eventually("the watch is open", Duration.ofMinutes(2),
                    () -> server.store().watchers() == 1);
            ObjectNode object = Json.object();
            object.putObject("data").put("k", "x".repeat(50_000));
            Eventually.eventually("the watch is dropped", Duration.ofMinutes(2), () -> {
                for (int i = 0; i < 20; i++) {
                    assertThat(post("application/json", object.deepCopy()
                            .set("metadata", Json.object().put("generateName", "n-")).toString())
                            .statusCode()).isEqualTo(201);
                }
                return server.store().watchers() == 0;
            });
        }
        assertServes();
    }
}
