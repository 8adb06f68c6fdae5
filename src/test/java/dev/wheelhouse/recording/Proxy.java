package dev.wheelhouse.recording;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Stands between clients and a real kube-apiserver: plain HTTP without credentials on 127.0.0.1, TLS and the
 * administrator's token behind. It passes everything on, watches as they come. It counts the writes of all clients but
 * the one whose User-Agent is {@value #USER}, and answers some of them as the scenario's faults say.
 */
final class Proxy implements AutoCloseable {
    static final String USER = "user";
    private static final Pattern PATH = Pattern.compile(
            "/apis?/(?:[^/]+/)?v[^/]+(?:/namespaces/(?<namespace>[^/]+)(?=/))?"
                    + "/(?<resource>[^/]+)(?:/(?<name>[^/]+)(?:/(?<sub>[^/]+))?)?");
    private static final String CLAIMS = "/api/v1/persistentvolumeclaims";
    private static final Set<String> NOT_PASSED_ON = Set.of("host", "connection", "content-length", "accept-encoding",
            "authorization", "transfer-encoding", "upgrade");
    private static final Map<String, String> REASONS = Map.of("403", "Forbidden", "404", "NotFound", "409", "Conflict",
            "422", "Invalid", "429", "TooManyRequests", "500", "InternalError", "503", "ServiceUnavailable", "504",
            "Timeout");

    private final HttpServer server;
    private final HttpClient behind;
    private final String target;
    private final String token;
    private final Map<String, Traffic> byNamespace = new ConcurrentHashMap<>();
    private final Map<String, Metrics> metrics = new ConcurrentHashMap<>();
    private volatile @Nullable Traffic ofTheCluster;
    private volatile Instant synced = Instant.EPOCH;

    Proxy(int port, String token, Path certificate) throws IOException, GeneralSecurityException {
        this.target = "https://127.0.0.1:" + port;
        this.token = token;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "1000");
        behind = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(trusting(certificate)).build();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    private static SSLContext trusting(Path certificate) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            int i = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("server-" + i++, each);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /**
     * Counts a scenario's writes from now on.
     *
     * @param alone whether those without a namespace are this scenario's
     */
    void open(Scenario scenario, Traffic traffic, Metrics itsMetrics) {
        byNamespace.put(scenario.namespace(), traffic);
        metrics.put(scenario.namespace(), itsMetrics);
        ofTheCluster = scenario.isAlone() ? traffic : null;
    }

    void close(Scenario scenario) {
        byNamespace.remove(scenario.namespace());
        metrics.remove(scenario.namespace());
        ofTheCluster = null;
    }

    /** A user's requests. */
    Wire user() {
        return (method, path, contentType, body) -> {
            // The alias of an object that does not exist is sent as its name.
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target + path.replace("^", "%5E")))
                    .header("Authorization", "Bearer " + token).header("User-Agent", USER)
                    .header("Accept", "application/json")
                    .method(method, body == null
                            ? HttpRequest.BodyPublishers.noBody()
                            : HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)));
            if (!contentType.isEmpty()) {
                request.header("Content-Type", contentType);
            }
            try {
                HttpResponse<byte[]> response = behind.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                byte[] content = response.body();
                boolean json = response.headers().firstValue("Content-Type").orElse("").startsWith("application/json");
                return new Wire.Answer(response.statusCode(), json
                        ? Json.read(content)
                        : Json.object().put("text", new String(content, StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw new IllegalStateException(method + " " + path, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(method + " " + path, e);
            }
        };
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            URI uri = exchange.getRequestURI();
            Matcher path = PATH.matcher(uri.getRawPath());
            String verb = verb(exchange, path);
            Traffic traffic = verb == null ? null : traffic(path);
            if (traffic == null) {
                read(exchange, uri, body);
                return;
            }
            String write = verb + " " + path.group("resource")
                    + (path.group("sub") == null ? "" : "/" + path.group("sub"))
                    + (path.group("name") == null ? "" : " " + path.group("name"));
            write(exchange, body, traffic, write, path);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The time of the last watch of all claims. A manager that has begun starts its periodic work about then. */
    Instant synced() {
        return synced;
    }

    private void read(HttpExchange exchange, URI uri, byte[] body) throws IOException, InterruptedException {
        String path = uri.getPath();
        if (path.equals(CLAIMS) && uri.getRawQuery() != null && uri.getRawQuery().contains("watch=true")) {
            synced = Instant.now();
        }
        String namespace = Metrics.namespace(path);
        Metrics answering = namespace == null ? null : metrics.get(namespace);
        JsonNode document = Metrics.discovery(path);
        if (answering != null) {
            Wire.Answer answer = answering.answer(path, query(uri));
            send(exchange, answer.code(), answer.body());
        } else if (document != null) {
            send(exchange, 200, document);
        } else if (path.equals("/apis")) {
            ObjectNode groups = (ObjectNode) user().get(path).expected();
            Metrics.GROUPS.keySet().forEach(g -> groups.withArray("groups").add(Metrics.group(g)));
            send(exchange, 200, groups);
        } else {
            pass(exchange, body);
        }
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new HashMap<>();
        for (String pair : uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                query.put(pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return query;
    }

    private static void send(HttpExchange exchange, int code, JsonNode body) throws IOException {
        byte[] bytes = Json.bytes(body);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static @Nullable String verb(HttpExchange exchange, Matcher path) {
        if (!path.matches()) {
            return null;
        }
        boolean one = path.group("name") != null;
        return switch (exchange.getRequestMethod()) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> one ? "delete" : "deletecollection";
            default -> null;
        };
    }

    private @Nullable Traffic traffic(Matcher path) {
        String namespace = path.group("namespace");
        return namespace == null ? ofTheCluster : byNamespace.get(namespace);
    }

    private void write(HttpExchange exchange, byte[] body, Traffic traffic, String write, Matcher path)
            throws IOException, InterruptedException {
        int code = 0;
        JsonNode created = null;
        String target = path.group("sub") == null
                ? path.group()
                : path.group().substring(0, path.start("sub") - 1);
        String fault = traffic.begin(write, patch -> user().patch(target, "merge", patch).expected());
        try {
            if (fault != null && !fault.equals(Traffic.LOST)) {
                code = Integer.parseInt(fault);
                refuse(exchange, fault);
                return;
            }
            HttpResponse<byte[]> answer = behind.send(request(exchange, body), HttpResponse.BodyHandlers.ofByteArray());
            code = answer.statusCode();
            if (code == 201 && answer.headers().firstValue("Content-Type").orElse("").contains("json")) {
                created = Json.read(answer.body());
            }
            if (fault == null) {
                head(exchange, answer);
                exchange.sendResponseHeaders(code, answer.body().length == 0 ? -1 : answer.body().length);
                exchange.getResponseBody().write(answer.body());
            }
        } finally {
            traffic.end(write, code, created);
        }
    }

    private static void refuse(HttpExchange exchange, String code) throws IOException {
        if (code.equals("429")) {
            exchange.getResponseHeaders().set("Retry-After", "1");
        }
        send(exchange, Integer.parseInt(code),
                Json.object().put("kind", "Status").put("apiVersion", "v1").put("status", "Failure")
                        .put("message", message(code)).put("reason", REASONS.getOrDefault(code, "Unknown"))
                        .put("code", Integer.parseInt(code)));
    }

    /** The message of an answer that a fault gives. */
    static String message(String code) {
        return "the scenario says " + code;
    }

    static String reason(String code) {
        return REASONS.getOrDefault(code, "Unknown");
    }

    private void pass(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = behind.send(request(exchange, body),
                HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = answer.body()) {
            head(exchange, answer);
            exchange.sendResponseHeaders(answer.statusCode(), 0);
            OutputStream out = exchange.getResponseBody();
            byte[] buffer = new byte[16 * 1024];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                out.flush();
            }
        }
    }

    private HttpRequest request(HttpExchange exchange, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
                .method(exchange.getRequestMethod(), body.length == 0
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!NOT_PASSED_ON.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.header("Authorization", "Bearer " + token).build();
    }

    private static void head(HttpExchange exchange, HttpResponse<?> answer) {
        for (String name : List.of("Content-Type", "Retry-After", "Warning")) {
            answer.headers().allValues(name).forEach(value -> exchange.getResponseHeaders().add(name, value));
        }
    }

    @Override
    public void close() {
        server.stop(0);
        behind.shutdownNow();
    }
}
