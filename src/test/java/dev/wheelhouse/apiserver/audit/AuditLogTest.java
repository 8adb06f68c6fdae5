package dev.wheelhouse.apiserver.audit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.sun.net.httpserver.HttpServer;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The audit log: its policy, its file, its webhook, and what it tells of requests. */
class AuditLogTest {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitManagedFields: true
            omitStages: [RequestReceived]
            rules:
            - {level: None, users: [quiet], userGroups: [mice, cats]}
            - {level: None, nonResourceURLs: [/healthz, '/livez*']}
            - {level: Request, verbs: [create], resources: [{group: '', resources: [pods, pods/log, '*/scale']}]}
            - {level: Metadata, namespaces: [kube-system], omitStages: [ResponseStarted]}
            - {level: RequestResponse, resources: [{group: '', resources: [configmaps], resourceNames: [one, '']}]}
            - {level: Metadata, resources: [{group: apps}, {group: '*', resources: [serviceaccounts/*, pods/exec]}]}
            - {level: Metadata, nonResourceURLs: ['*'], omitManagedFields: false}
            """;

    @TempDir
    private Path directory;

    private Path file(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text);
    }

    private AuditPolicy policy(String text) throws Exception {
        return AuditPolicy.read(file("policy.yaml", text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
            // user | groups | verb | resource or path | subresource | namespace | name | group | level
            "quiet | cats  | get  | pods          | - | - | -   | -    | None",
            "quiet | dogs  | get  | /version      | - | - | -   | -    | Metadata",
            "-     | -     | get  | /version      | - | - | -   | -    | Metadata",
            "jane  | -     | get  | /healthz      | - | - | -   | -    | None",
            "jane  | -     | get  | /healthz/ping | - | - | -   | -    | Metadata",
            "jane  | -     | get  | /livez/ping   | - | - | -   | -    | None",
            "jane  | -     | create | pods        | - | - | -   | -    | Request",
            "jane  | -     | get  | pods          | - | - | -   | -    | None",
            "jane  | -     | create | pods       | log | - | a  | -    | Request",
            "jane  | -     | create | pods     | status | - | a | -    | None",
            "jane  | -     | create | replicationcontrollers | scale | - | a | - | Request",
            "jane  | -     | get  | secrets  | - | kube-system | a | - | Metadata",
            "jane  | -     | get  | configmaps    | - | x | one | -    | RequestResponse",
            "jane  | -     | list | configmaps    | - | x | -   | -    | RequestResponse",
            "jane  | -     | get  | configmaps    | - | x | two | -    | None",
            "jane  | -     | get  | deployments   | - | x | two | apps | Metadata",
            "jane  | -     | get  | deployments   | scale | x | two | apps | Metadata",
            "jane  | -     | get  | serviceaccounts | token | x | a | - | Metadata",
            "jane  | -     | get  | pods          | exec | x | a | -   | Metadata",
            "jane  | -     | get  | serviceaccounts | - | x | a | b.io | Metadata"})
    void theFirstRuleThatMatchesSaysTheLevel(String user, String group, String verb, String resource,
            String subresource, String namespace, String name, String apiGroup, String level) throws Exception {
        RequestInfo about = resource.startsWith("/")
                ? RequestInfo.ofPath(verb, resource)
                : new RequestInfo(true, "", verb, empty(apiGroup), "v1", empty(namespace), resource,
                        empty(subresource), empty(name), FieldSelector.everything());
        User sender = user == null
                ? null
                : new User(user, "", group == null ? List.of() : List.of(group), Map.of());

        assertThat(policy(POLICY).decide(sender, about).levelName()).isEqualTo(level);
    }

    private static String empty(String cell) {
        return cell == null ? "" : cell;
    }

    @Test
    void aRuleAddsToTheStagesThatThePolicyOmits() throws Exception {
        AuditPolicy.Decision decision = policy(POLICY).decide(User.ANONYMOUS, new RequestInfo(true, "", "watch", "",
                "v1", "kube-system", "secrets", "", "", FieldSelector.everything()));

        assertThat(decision.omittedStages()).containsExactlyInAnyOrder("RequestReceived", "ResponseStarted");
        assertThat(decision.omitManagedFields()).isTrue();
        assertThat(policy(POLICY).decide(null, RequestInfo.ofPath("get", "/x")).omitManagedFields()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{kind: Policy} | there are no rules",
            "{kind: Pod} | kind is \"Pod\" instead of Policy",
            "{kind: Policy, apiVersion: audit.k8s.io/v2} | instead of one that begins with audit.k8s.io/v1",
            "{kind: Policy, rules: [{level: Some}]} | rules[0].level is \"Some\"",
            "{kind: Policy, rules: [{level: None, user: [a]}]} | the field rules[0].user is unknown",
            "{kind: Policy, rules: [{level: None, users: a}]} | the field rules[0].users is unknown, or its value has",
            "{kind: Policy, omitStages: [End], rules: [{level: None}]} | omitStages is [End]",
            "{kind: Policy, rules: [{level: None, nonResourceURLs: [a]}]} | a path begins with /",
            "{kind: Policy, rules: [{level: None, nonResourceURLs: [/*/a]}]} | a path begins with /",
            "{kind: Policy, rules: [{level: None, namespaces: [a], nonResourceURLs: [/a]}]} | make two rules of it"})
    void aPolicyThatIsNoneIsRefusedWithItsField(String text, String why) {
        assertThatThrownBy(() -> policy(text)).isInstanceOf(AuthConfigException.class).hasMessageContaining(why);
    }

    @Test
    void aFileThatSomebodyHasTakenAwayIsMadeAgain() throws Exception {
        Path log = directory.resolve("audit.log");
        Instant now = Instant.parse("2026-01-02T03:04:05Z");
        try (AuditFile file = new AuditFile(log.toString(), 10, 0, 0)) {
            file.write(new byte[9], now);
            Files.delete(log);
            assertThatThrownBy(() -> file.write(new byte[9], now)).as("it cannot be renamed")
                    .isInstanceOf(NoSuchFileException.class);
            file.write("next".getBytes(StandardCharsets.UTF_8), now);
            assertThat(log).hasContent("next");
        }
    }

    @Test
    void aFullFileIsRenamedAndOldOnesAreDeleted() throws Exception {
        Path log = directory.resolve("logs/audit.log");
        byte[] line = "x".repeat(40).getBytes(StandardCharsets.UTF_8);
        Instant now = Instant.parse("2026-01-02T03:04:05.678Z");
        try (AuditFile file = new AuditFile(log.toString(), 100, 2, 0)) {
            for (int i = 0; i < 9; i++) {
                file.write(line, now.plusSeconds(i));
            }
        }
        try (AuditFile again = new AuditFile(log.toString(), 100, 2, 0)) {
            again.write(line, now);
        }

        try (Stream<Path> files = Files.list(log.getParent())) {
            assertThat(files.map(each -> each.getFileName().toString())).containsExactlyInAnyOrder("audit.log",
                    "audit-2026-01-02T03-04-11.678.log", "audit-2026-01-02T03-04-13.678.log");
        }
        assertThat(Files.readAllLines(log)).hasSize(2);
    }

    /** A service that keeps what it is sent, and answers with a code. */
    private HttpServer service(List<JsonNode> received, AtomicInteger code) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/events", exchange -> {
            JsonNode sent = Json.read(exchange.getRequestBody().readAllBytes());
            if (code.get() == 200) {
                received.add(sent);
            }
            exchange.sendResponseHeaders(code.get(), -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    private RemoteService remote(HttpServer server) throws Exception {
        return RemoteService.of(file("kubeconfig", """
                apiVersion: v1
                kind: Config
                current-context: it
                clusters: [{name: it, cluster: {server: "http://127.0.0.1:%d/events"}}]
                users: [{name: it, user: {}}]
                contexts: [{name: it, context: {cluster: it, user: it}}]
                """.formatted(server.getAddress().getPort())), Clock.system());
    }

    @Test
    void theWebhookGetsBatchesAndWhatItDoesNotTakeIsCounted() throws Exception {
        List<JsonNode> received = new CopyOnWriteArrayList<>();
        AtomicInteger code = new AtomicInteger(200);
        HttpServer server = service(received, code);
        ManualClock clock = new ManualClock();
        AuditWebhook webhook = new AuditWebhook(remote(server), Duration.ofSeconds(30), clock);
        try {
            webhook.add("{\"auditID\":\"1\"}".getBytes(StandardCharsets.UTF_8));
            webhook.add("{\"auditID\":\"2\"}".getBytes(StandardCharsets.UTF_8));
            assertThat(webhook.step()).isEqualTo(Duration.ofSeconds(30).toNanos());
            assertThat(received).isEmpty();

            clock.advance(Duration.ofSeconds(30));
            webhook.step();
            assertThat(Json.text(received.getFirst(), "kind")).isEqualTo("EventList");
            assertThat(received.getFirst().path("items").valueStream().map(each -> Json.text(each, "auditID")))
                    .containsExactly("1", "2");

            code.set(503);
            for (int i = 0; i < 400; i++) {
                webhook.add("{}".getBytes(StandardCharsets.UTF_8));
            }
            for (int attempt = 1; attempt < 5; attempt++) {
                long wait = webhook.step();
                assertThat(wait).isGreaterThanOrEqualTo(Duration.ofSeconds(10).toNanos());
                clock.advance(Duration.ofNanos(wait));
            }
            assertThat(webhook.dropped()).isZero();
            webhook.step();
            assertThat(webhook.dropped()).isEqualTo(400);

            for (int i = 0; i < 10_001; i++) {
                webhook.add("{}".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(webhook.dropped()).isEqualTo(401);
            code.set(200);
            webhook.flush();
            assertThat(received.stream().skip(1).mapToInt(list -> list.path("items").size()).sum()).isEqualTo(10_000);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void requestsAreLoggedAsKubeApiserverLogsThem() throws Exception {
        Path log = directory.resolve("audit.log");
        Path policy = file("all.yaml", "{kind: Policy, omitManagedFields: true, rules: [{level: RequestResponse, "
                + "resources: [{group: ''}]}, {level: Metadata}]}");
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults().withAudit(new AuditLog(policy,
                new AuditFile(log.toString(), 1_000_000, 0, 0), null, Clock.system()))).start();
                HttpClient http = HttpClient.newHttpClient()) {
            send(http, server, "POST", CONFIG_MAPS + "?fieldManager=me", "{\"metadata\":{\"name\":\"a\"}}");
            send(http, server, "PATCH", CONFIG_MAPS + "/a", "{\"data\":{\"k\":\"v\"}}");
            send(http, server, "GET", CONFIG_MAPS + "?watch=true&timeoutSeconds=1", null);
            send(http, server, "DELETE", CONFIG_MAPS + "/b", "{\"propagationPolicy\":\"Orphan\"}");
            send(http, server, "GET", "/version", null);
        }

        List<JsonNode> events = new ArrayList<>();
        Files.readAllLines(log).forEach(line -> events.add(Json.read(line)));
        String named = "{\"resource\":\"configmaps\",\"namespace\":\"default\",\"name\":\"%s\",\"apiVersion\":\"v1\"}";
        String all = "{\"resource\":\"configmaps\",\"namespace\":\"default\",\"apiVersion\":\"v1\"}";
        String created = all.replace("}", ",\"name\":\"a\"}");
        String object = "{\"metadata\":{\"name\":\"a\"},\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"}";
        assertThat(events.stream().map(AuditLogTest::summary)).containsExactly(
                "RequestReceived create " + all + " null null",
                "ResponseComplete create " + created + " {\"metadata\":{},\"code\":201} " + object,
                "RequestReceived patch " + named.formatted("a") + " null null",
                "ResponseComplete patch " + named.formatted("a")
                        + " {\"metadata\":{},\"code\":200} {\"data\":{\"k\":\"v\"}}",
                "RequestReceived watch " + all + " null null",
                "ResponseStarted watch " + all + " {\"metadata\":{},\"code\":200} null",
                "ResponseComplete watch " + all + " {\"metadata\":{},\"code\":200} null",
                "RequestReceived delete " + named.formatted("b") + " null null",
                "ResponseComplete delete " + named.formatted("b")
                        + " {\"metadata\":{},\"status\":\"Failure\",\"message\":"
                        + "\"configmaps \\\"b\\\" not found\",\"reason\":\"NotFound\",\"details\":"
                        + "{\"name\":\"b\",\"kind\":\"configmaps\"},"
                        + "\"code\":404} {\"kind\":\"DeleteOptions\",\"apiVersion\":"
                        + "\"meta.k8s.io/__internal\",\"propagationPolicy\":\"Orphan\"}",
                "RequestReceived get null null null", "ResponseComplete get null {\"metadata\":{},\"code\":200} null");
        JsonNode creation = events.get(1);
        assertThat(creation.at("/responseObject/metadata/uid").asString()).isNotEmpty();
        assertThat(creation.at("/responseObject/metadata").has("managedFields")).isFalse();
        assertThat(creation.at("/user/username").asString()).isEqualTo("system:admin");
        assertThat(creation.at("/sourceIPs").toString()).isEqualTo("[\"10.0.0.7\",\"127.0.0.1\"]");
        assertThat(creation.at("/requestURI").asString()).isEqualTo(CONFIG_MAPS + "?fieldManager=me");
        assertThat(creation.at("/annotations").toString())
                .isEqualTo("{\"authorization.k8s.io/decision\":\"allow\",\"authorization.k8s.io/reason\":\"\"}");
        assertThat(creation.at("/auditID")).isEqualTo(events.getFirst().at("/auditID"));
        assertThat(creation.at("/stageTimestamp").asString()).matches("\\d{4}-.*\\.\\d{6}Z");
    }

    private static String summary(JsonNode event) {
        return event.path("stage").asString() + " " + event.path("verb").asString() + " " + event.get("objectRef") + " "
                + event.get("responseStatus") + " " + event.get("requestObject");
    }

    private static void send(HttpClient http, ApiServer server, String method, String path, String body)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(
                Duration.ofSeconds(60)).method(method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("X-Forwarded-For", "10.0.0.7, nonsense").header("Content-Type", method.equals("PATCH")
                    ? "application/merge-patch+json"
                    : "application/json");
        }
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
