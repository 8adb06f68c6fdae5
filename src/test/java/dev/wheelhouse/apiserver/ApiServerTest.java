package dev.wheelhouse.apiserver;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;

import org.jose4j.jwk.HttpsJwks;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.HttpsJwksVerificationKeyResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The API server over HTTP. */
@Isolated
class ApiServerTest {
    private ApiServer server;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void start() {
        server = new ApiServer(ApiServerOptions.defaults()).start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofMinutes(2))
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        return http.send(request(path).method(method, HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String configMap(String name) {
        return """
                {"metadata": {"name": "%s"}, "data": {"k": "v"}}""".formatted(name);
    }

    @Test
    void saysItsVersionAndItsHealth() throws Exception {
        assertThat(send("GET", "/version", "").body()).contains("v1.36.0+wheelhouse");
        assertThat(send("GET", "/readyz", "").body()).isEqualTo("ok");
    }

    @Test
    void jsonEndsWithANewlineUnlessItIsForPeople() throws Exception {
        send("POST", "/api/v1/namespaces/default/configmaps", configMap("a"));
        for (String path : List.of("/api/v1/namespaces/default/configmaps/a", "/api/v1/configmaps", "/apis", "/api/v1",
                "/api/v1/namespaces/none")) {
            assertThat(send("GET", path, "").body()).as(path).endsWith("}\n");
        }
        for (String path : List.of("/version", "/", "/api/v1/namespaces/default/configmaps/a?pretty=true")) {
            assertThat(send("GET", path, "").body()).as(path).startsWith("{\n").endsWith("\n}");
        }
    }

    @Test
    void eachAnswerHasAnAuditIdWhichTheClientMayGive() throws Exception {
        assertThat(audited("mine")).isEqualTo("mine");
        assertThat(UUID.fromString(audited("x".repeat(65))).version()).isEqualTo(4);
    }

    private String audited(String id) throws Exception {
        return http.send(request("/api").header("Audit-Id", id).build(), HttpResponse.BodyHandlers.discarding())
                .headers().firstValue("Audit-Id").orElseThrow();
    }

    @Test
    void aDocumentThatTheClientHasIsNotSentAgain() throws Exception {
        String tag = send("GET", "/openapi/v2", "").headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = http.send(request("/openapi/v2").header("If-None-Match", tag).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
    }

    @Test
    void aGroupThatNobodyServesIsNoPageAndAResourceOfAServedGroupIsNoResource() throws Exception {
        assertThat(send("GET", "/apis/example.com/v1/orders", "").body()).isEqualTo("404 page not found\n");
        assertThat(send("GET", "/apis/example.com/v1", "").body()).isEqualTo("404 page not found\n");
        assertThat(send("GET", "/apis/apps/v1/orders", "").body()).contains("could not find the requested resource");
        assertThat(send("GET", "/apis/apps/v9", "").body()).contains("could not find the requested resource");
    }

    @Test
    void tokensOfServiceAccountsCanBeVerifiedByTheKeysThatTheServerShows() throws Exception {
        JsonNode about = Json.read(send("GET", "/.well-known/openid-configuration", "").body());
        String keys = Json.text(about, "jwks_uri");
        assertThat(keys).isEqualTo(server.url() + "/openid/v1/jwks");
        send("POST", "/api/v1/namespaces/default/serviceaccounts", "{\"metadata\": {\"name\": \"reader\"}}");
        JsonNode review = Json.read(
                send("POST", "/api/v1/namespaces/default/serviceaccounts/reader/token", "{}").body());

        JwtClaims claims = new JwtConsumerBuilder().setExpectedIssuer(Json.text(about, "issuer"))
                .setSkipDefaultAudienceValidation()
                .setVerificationKeyResolver(new HttpsJwksVerificationKeyResolver(new HttpsJwks(keys))).build()
                .processToClaims(Json.text(review, "status", "token"));

        assertThat(claims.getSubject()).isEqualTo("system:serviceaccount:default:reader");
    }

    @Test
    void saysInTheClusterWhereItListens() throws Exception {
        JsonNode endpoints = Json
                .read(send("GET", "/api/v1/namespaces/default/endpoints/kubernetes", "").body());
        assertThat(endpoints.at("/subsets/0/addresses/0/ip").asString()).isEqualTo("127.0.0.1");
        assertThat(endpoints.at("/subsets/0/ports/0/port").asInt()).isEqualTo(server.port());
        JsonNode slice = Json.read(send("GET",
                "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", "").body());
        assertThat(slice.at("/endpoints/0/addresses/0").asString()).isEqualTo("127.0.0.1");
        assertThat(slice.at("/ports/0/port").asInt()).isEqualTo(server.port());
        assertThat(slice.at("/metadata/labels/kubernetes.io~1service-name").asString()).isEqualTo("kubernetes");
    }

    @Test
    void storesReadsAndDeletesAnObject() throws Exception {
        HttpResponse<String> created = send("POST", "/api/v1/namespaces/default/configmaps", configMap("a"));
        assertThat(created.statusCode()).isEqualTo(201);
        JsonNode object = Json.read(created.body());
        assertThat(Json.text(object, "metadata", "uid")).hasSize(36);
        assertThat(send("GET", "/api/v1/namespaces/default/configmaps/a", "").body()).contains("\"k\":\"v\"");
        assertThat(send("DELETE", "/api/v1/namespaces/default/configmaps/a", "").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/api/v1/namespaces/default/configmaps/a", "").statusCode()).isEqualTo(404);
    }

    @Test
    void streamsAWatchAndEndsItWhenItCloses() throws Exception {
        HttpResponse<java.io.InputStream> watch = http.send(
                request("/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dw").build(),
                HttpResponse.BodyHandlers.ofInputStream());
        send("POST", "/api/v1/namespaces/default/configmaps", configMap("w"));
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(watch.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).startsWith("{\"type\":\"ADDED\"").contains("\"name\":\"w\"");
            server.close();
            assertThat(lines.readLine()).isNull();
        }
    }

    @Test
    void streamsAWatchOverAWebSocketAnswersPingsAndSaysGoodbye() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        WebSocket socket = http.newWebSocketBuilder().buildAsync(
                URI.create(server.url().replace("http:", "ws:")
                        + "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dw"),
                new Listening(heard)).get(2, TimeUnit.MINUTES);
        send("POST", "/api/v1/namespaces/default/configmaps", configMap("w").replace("\"v\"", "\"" + "x".repeat(70_000)
                + "\""));
        JsonNode event = Json.read(heard.poll(2, TimeUnit.MINUTES));
        assertThat(Json.text(event, "type")).isEqualTo("ADDED");
        assertThat(Json.text(event, "object", "data", "k")).hasSize(70_000);
        socket.sendPing(ByteBuffer.wrap(new byte[]{1, 2, 3}));
        assertThat(heard.poll(2, TimeUnit.MINUTES)).isEqualTo("pong of 3 bytes");
        server.faults().cutWatches();
        assertThat(heard.poll(2, TimeUnit.MINUTES)).isEqualTo("closed with 1000");
    }

    @Test
    void aWebSocketThatItsClientClosesEndsTheWatch() throws Exception {
        WebSocket socket = http.newWebSocketBuilder().buildAsync(
                URI.create(server.url().replace("http:", "ws:") + "/api/v1/nodes?watch=1"),
                new Listening(new LinkedBlockingQueue<>())).get(2, TimeUnit.MINUTES);
        Eventually.eventually("the watch is open", Duration.ofMinutes(2), () -> server.store().watchers() == 1);
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "");
        Eventually.eventually("the watch has ended", Duration.ofMinutes(2), () -> server.store().watchers() == 0);
    }

    private record Listening(BlockingQueue<String> heard, StringBuilder parts) implements WebSocket.Listener {
        Listening(BlockingQueue<String> heard) {
            this(heard, new StringBuilder());
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            parts.append(data);
            if (last) {
                heard.add(parts.toString());
                parts.setLength(0);
            }
            return WebSocket.Listener.super.onText(socket, data, last);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            heard.add("pong of " + message.remaining() + " bytes");
            return WebSocket.Listener.super.onPong(socket, message);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            heard.add("closed with " + code);
            return WebSocket.Listener.super.onClose(socket, code, reason);
        }
    }

    @Test
    void endsAWatchAfterItsTimeout() throws Exception {
        HttpResponse<String> watch = send("GET", "/api/v1/nodes?watch=1&timeoutSeconds=1", "");
        assertThat(watch.statusCode()).isEqualTo(200);
        assertThat(watch.body()).isEmpty();
    }

    @Test
    void compressesWhatIsLargeWhenAsked() throws Exception {
        String body = "{\"metadata\": {\"name\": \"big\"}, \"data\": {\"k\": \"" + "x".repeat(200_000) + "\"}}";
        assertThat(send("POST", "/api/v1/namespaces/default/configmaps", body).statusCode()).isEqualTo(201);
        HttpResponse<java.io.InputStream> answer = http.send(
                request("/api/v1/namespaces/default/configmaps/big").header("Accept-Encoding", "gzip").build(),
                HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.headers().firstValue("Content-Encoding")).hasValue("gzip");
        assertThat(new GZIPInputStream(answer.body()).readAllBytes()).hasSizeGreaterThan(200_000);
    }

    @Test
    void refusesABodyThatIsTooLarge() throws Exception {
        String body = "{\"data\": {\"k\": \"" + "x".repeat(4 * 1024 * 1024) + "\"}}";
        HttpRequest request = request("/api/v1/namespaces/default/configmaps")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(413);
    }

    @Test
    void namesAddressPortAndRemedyWhenThePortIsTaken() {
        ApiServer second = new ApiServer(ApiServerOptions.defaults().withPort(server.port()));
        assertThatThrownBy(second::start).isInstanceOf(PortInUseException.class)
                .hasMessageContaining("127.0.0.1:" + server.port()).hasMessageContaining("choose another port");
        second.close();
    }

    @Test
    void leavesNoThreadBehind() {
        server.close();
        Eventually.eventually("no thread of the server is left", Duration.ofMinutes(2),
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(t -> t.getName().contains("http-nio") && t.isAlive()));
    }
}
