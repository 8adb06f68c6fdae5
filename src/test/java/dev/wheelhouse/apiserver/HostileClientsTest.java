package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients that hold shared resources as long as they can. None of them blocks health checks or honest clients. */
@Isolated
class HostileClientsTest {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String HEAD = "POST " + CONFIG_MAPS
            + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<RawHttp> hostile = new ArrayList<>();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()
            .withLimits(TestLimits.withRequests(10, TestLimits.withConnections(320, ApiServerLimits.standard())))
            .withSecurity(Security.of(AuthorizationMode.ALWAYS_ALLOW, Map.of("secret-a", user("alice"), "secret-b",
                    user("bob")), ServerKeys.inMemory())))
            .start();

    private static User user(String name) {
        return new User(name, "", List.of("system:authenticated"), Map.of());
    }

    @AfterEach
    void stop() throws Exception {
        for (RawHttp each : hostile) {
            each.close();
        }
        server.close();
    }

    private RawHttp connect() throws Exception {
        RawHttp raw = RawHttp.connect(server.port(), 120_000);
        hostile.add(raw);
        return raw;
    }

    private HttpResponse<String> call(String token, String method, String path, String body) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofMinutes(2))
                .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private void assertServesTheHonest() throws Exception {
        assertThat(call("secret-b", "POST", CONFIG_MAPS, "{\"metadata\": {\"generateName\": \"ok-\"}}").statusCode())
                .isEqualTo(201);
        HttpResponse<String> health = call("secret-b", "GET", "/livez", "");
        assertThat(health.body()).isEqualTo("ok");
    }

    @Test
    void aStrangerIsRefusedBeforeTheBodyIsSentAndWithoutBeingAskedForIt() throws Exception {
        RawHttp announces = connect().send(HEAD + "Content-Length: 3000000\r\n\r\n");
        assertThat(RawHttp.code(announces.answer())).isEqualTo(401);
        RawHttp asks = connect().send(HEAD + "Expect: 100-continue\r\nContent-Length: 3000000\r\n\r\n");
        assertThat(RawHttp.code(asks.answer())).isEqualTo(401);
        RawHttp known = connect().send(HEAD + "Authorization: Bearer secret-a\r\nExpect: 100-continue\r\n"
                + "Connection: close\r\nContent-Length: 2\r\n\r\n");
        String asked = new String(known.socket().getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
        assertThat(asked).as("the body is asked for").isEqualTo("HTTP/1.1 100");
        known.send("{}");
        assertThat(known.answer()).contains("HTTP/1.1 422 ");
    }

    @Test
    void aRefusedRequestsSmallBodyIsReadSoThatTheConnectionServesTheNext() throws Exception {
        RawHttp raw = connect().send(HEAD + "Content-Length: 2\r\n\r\n{}");
        assertThat(RawHttp.code(raw.answer())).isEqualTo(401);
        raw.send("GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret-a\r\n\r\n");
        assertThat(RawHttp.code(raw.answer())).isEqualTo(200);
    }

    @Test
    void bodiesThatDoNotComeKeepNobodyOut() throws Exception {
        for (int i = 0; i < 40; i++) {
            connect().send(HEAD + "Authorization: Bearer secret-a\r\nContent-Length: 3000000\r\n\r\n{");
        }
        Eventually.eventually("all are counted as open", Duration.ofMinutes(2),
                () -> server.openConnections() >= 40);
        assertServesTheHonest();
    }

    @Test
    void connectionsThatSayNothingKeepNobodyOut() throws Exception {
        for (int i = 0; i < 400; i++) {
            connect();
            if (i % 40 == 0) {
                assertServesTheHonest();
            }
        }
        assertServesTheHonest();
        Eventually.eventually("those that have waited for longest are closed", Duration.ofMinutes(2),
                () -> server.openConnections() <= 320 / 4 + 20);
    }

    @Test
    void theLongestIdleOfKnownClientsMakeRoomForTheNext() throws Exception {
        RawHttp watch = connect().send("GET " + CONFIG_MAPS + "?watch=1 HTTP/1.1\r\nHost: x\r\n"
                + "Authorization: Bearer secret-a\r\n\r\n");
        for (int i = 0; i < 330; i++) {
            RawHttp raw = connect().send("GET /livez HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret-a\r\n\r\n");
            assertThat(RawHttp.code(raw.answer())).isEqualTo(200);
        }
        assertServesTheHonest();
        assertThat(call("secret-b", "POST", CONFIG_MAPS, "{\"metadata\": {\"name\": \"seen\"}}").statusCode())
                .isEqualTo(201);
        StringBuilder seen = new StringBuilder();
        Eventually.eventually("the watch goes on", Duration.ofMinutes(2), () -> {
            seen.append(new String(watch.socket().getInputStream().readNBytes(20), StandardCharsets.UTF_8));
            return seen.indexOf("\"name\":\"seen\"") >= 0;
        });
    }

    @Test
    void aWriteWhoseClientDoesNotWaitIsNotMade() throws Exception {
        HttpResponse<String> late = call("secret-a", "POST", CONFIG_MAPS + "?timeout=1ns",
                "{\"metadata\": {\"name\": \"late\"}}");
        assertThat(late.statusCode()).isEqualTo(504);
        assertThat(Json.text(Json.read(late.body()), "message"))
                .isEqualTo("Timeout: request did not complete within the allotted timeout");
        assertThat(Json.text(Json.read(late.body()), "reason")).isEqualTo("Timeout");
        assertThat(call("secret-a", "GET", CONFIG_MAPS + "/late", "").statusCode()).isEqualTo(404);
        assertThat(call("secret-a", "POST", CONFIG_MAPS + "?timeout=0s", "{\"metadata\": {\"name\": \"patient\"}}")
                .statusCode()).isEqualTo(201);
    }

    @Test
    void answersThatAreNotReadKeepNobodyOut() throws Exception {
        String large = "{\"metadata\": {\"generateName\": \"large-\"}, \"data\": {\"x\": \"" + "x".repeat(1_000_000)
                + "\"}}";
        for (int i = 0; i < 12; i++) {
            assertThat(call("secret-a", "POST", CONFIG_MAPS, large).statusCode()).isEqualTo(201);
        }
        for (int i = 0; i < 12; i++) {
            RawHttp raw = connect().send(
                    "GET " + CONFIG_MAPS + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret-a\r\n\r\n");
            assertThat(raw.socket().getInputStream().readNBytes(9)).isNotEmpty();
        }
        assertThat(call("secret-a", "GET", CONFIG_MAPS + "/none", "").statusCode()).as("the sender's half is used")
                .isEqualTo(429);
        assertServesTheHonest();
    }

    @Test
    void whoSendsRequestsWithoutWaitingForTheAnswersHoldsNoProcessor() throws Exception {
        byte[] many = "GET /version HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200).getBytes(StandardCharsets.US_ASCII);
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> floods = new ArrayList<>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            RawHttp raw = connect();
            floods.add(Thread.ofPlatform().start(() -> send(raw, many, over)));
            floods.add(Thread.ofPlatform().start(() -> read(raw, over)));
        }
        endAfterServingTheHonest(floods, over);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Authorization: Bearer secret-a\r\n"})
    void bodiesOfTinyChunksHoldNoProcessorWhetherTheyAreRefusedOrRead(String credentials) throws Exception {
        byte[] chunks = "1\r\nx\r\n".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> floods = new ArrayList<>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            floods.add(Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    try (RawHttp raw = RawHttp.connect(server.port(), 120_000)) {
                        raw.send(HEAD + credentials + "Transfer-Encoding: chunked\r\n\r\n");
                        for (int sent = 0; sent < 100 && !over.get(); sent++) {
                            raw.send(chunks);
                        }
                    } catch (IOException e) {
                        // The server has had enough of this connection.
                    }
                }
            }));
        }
        endAfterServingTheHonest(floods, over);
    }

    private void endAfterServingTheHonest(List<Thread> floods, AtomicBoolean over) throws Exception {
        try {
            for (int i = 0; i < 10; i++) {
                assertServesTheHonest();
            }
        } finally {
            over.set(true);
            for (RawHttp each : hostile) {
                each.close();
            }
            for (Thread flood : floods) {
                flood.join();
            }
        }
    }

    @Test
    void messagesThatAWatchDoesNotExpectHoldNoProcessor() throws Exception {
        byte[] pings = new byte[6 * 1_000];
        for (int i = 0; i < pings.length; i += 6) {
            pings[i] = (byte) 0x89;
            pings[i + 1] = (byte) 0x80;
        }
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> floods = new ArrayList<>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            RawHttp raw = connect();
            assertThat(raw.send("GET " + CONFIG_MAPS + "?watch=1 HTTP/1.1\r\nHost: x\r\n"
                    + "Authorization: Bearer secret-a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                    .socket().getInputStream().readNBytes(12)).asString(StandardCharsets.US_ASCII).endsWith("101");
            floods.add(Thread.ofPlatform().start(() -> send(raw, pings, over)));
            floods.add(Thread.ofPlatform().start(() -> read(raw, over)));
        }
        endAfterServingTheHonest(floods, over);
    }

    private static void send(RawHttp raw, byte[] requests, AtomicBoolean over) {
        try {
            while (!over.get()) {
                raw.send(requests);
            }
        } catch (IOException e) {
            over.set(true);
        }
    }

    private static void read(RawHttp raw, AtomicBoolean over) {
        try {
            byte[] buffer = new byte[1 << 16];
            while (!over.get()) {
                if (raw.socket().getInputStream().read(buffer) < 0) {
                    return;
                }
            }
        } catch (IOException e) {
            over.set(true);
        }
    }

    private RawHttp watch(String token, String more, String body) throws Exception {
        return connect()
                .send("GET " + CONFIG_MAPS + "?watch=1&" + more + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                        + token + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private int opened(String token, String query) throws Exception {
        int opened = 0;
        while (opened < 140 && startOf(watch(token, query, "")).contains(" 200 ")) {
            opened++;
        }
        return opened;
    }

    private static String startOf(RawHttp raw) throws IOException {
        return new String(raw.socket().getInputStream().readNBytes(13), StandardCharsets.ISO_8859_1);
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource(textBlock = """
            labelSelector=, '', '', 8000
            labelSelector=, '!', '', 8000
            labelSelector=x+notin+(, '', ), 8000
            fieldSelector=, metadata.name%21%3D, '', 2500
            """)
    void theSelectorsOfWatchesAreChargedToTheirSenderUntilTheWatchesEnd(String start, String before, String end,
            int terms) throws Exception {
        String query = start + IntStream.range(0, terms).mapToObj(i -> before + "k" + Integer.toString(i, 36))
                .collect(Collectors.joining(",")) + end;
        int mostTerms = (int) (Traffic.heads(Runtime.getRuntime().maxMemory()) / 2 / 100);
        assertThat(opened("secret-a", query)).isBetween(1, mostTerms / terms);
        assertThat(call("secret-a", "GET", CONFIG_MAPS + "?" + query, "").statusCode())
                .as("requests that wait are charged, too").isEqualTo(429);
        assertThat(startOf(watch("secret-b", query, ""))).as("another sender").contains(" 200 ");
        assertThat(startOf(watch("secret-a", "labelSelector=a%3Db", ""))).as("an ordinary watch").contains(" 200 ");
        hostile.getFirst().close();
        Eventually.eventually("the memory of a watch that has ended is free", Duration.ofMinutes(2),
                () -> startOf(watch("secret-a", query, "")).contains(" 200 "));
    }

    /** Tomcat hands a watch over only after it has sent the head of the answer. */
    @Test
    void aWatchOverAWebSocketWhoseClientIsGoneBeforeTheAnswerKeepsNoPlace() throws Exception {
        Faults.Rule late = server.faults().on("watch", "configmaps").delay(Duration.ofMinutes(10));
        for (int i = 0; i < 5; i++) {
            connect().send("GET " + CONFIG_MAPS + "?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret-a\r\n"
                    + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        }
        Eventually.eventually("all wait", Duration.ofMinutes(2), () -> late.hits() == 5);
        for (RawHttp raw : hostile) {
            raw.socket().setSoLinger(true, 0);
            raw.close();
        }
        server.faults().clear();
        Eventually.eventually("all have ended", Duration.ofMinutes(2), () -> server.openConnections() == 0);
        assertThat(call("secret-b", "GET", "/metrics", "").body())
                .contains("apiserver_longrunning_requests{verb=\"WATCH\"} 0.0\n");
    }

    @Test
    void theBodyOfAWatchIsForgottenWhenItBegins() throws Exception {
        long before = heapInUse();
        String body = "x".repeat(2_000_000);
        for (int i = 0; i < 60; i++) {
            assertThat(startOf(watch("secret-a", "", body))).contains(" 200 ");
        }
        assertThat(heapInUse() - before).isLessThan(60_000_000);
    }

    private static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void strangersAddNoSeriesToTheMetricsWhateverTheyAskFor() throws Exception {
        for (ResourceInfo info : server.rest().registry().all()) {
            for (String method : List.of("GET", "PUT", "DELETE", "MADEUP")) {
                assertThat(call("unknown", method, (info.type().group().isEmpty() ? "/api/" : "/apis/")
                        + info.type().apiVersion() + "/" + info.type().plural() + "?dryRun=All", "").statusCode())
                        .isEqualTo(401);
            }
        }
        String metrics = call("secret-a", "GET", "/metrics", "").body();
        assertThat(metrics.lines().filter(line -> line.startsWith("apiserver_request_total{") && line.contains("401")))
                .hasSizeBetween(1, 8);
    }

    @ParameterizedTest(name = "{0}{1}… {2}{3}…: {4}")
    @CsvSource(textBlock = """
            /, /, Accept: x, '', 414
            /, a/../, Accept: x, '', 414
            /api, ;a, Accept: x, '', 414
            /version?, %&, 'Authorization: Bearer secret-a', '', 400
            /version?, %&, Accept: x, '', 401
            /version, '', Accept: x, ',', 400
            /version, '', Content-Type: x, ;, 400
            """)
    void partsOfAHeadThatAreSlowToParseAreBoundedBeforeTheyAreParsed(String path, String ofPath, String header,
            String ofHeader, int code) throws Exception {
        String answer = connect().send("GET " + path + ofPath.repeat(12_000) + " HTTP/1.1\r\nHost: x\r\n" + header
                + ofHeader.repeat(50_000) + "\r\n\r\n").answer();
        assertThat(RawHttp.code(answer)).isEqualTo(code);
        assertThat(answer).contains("more than").contains("\"kind\":\"Status\"");
    }
}
