package dev.wheelhouse.operator.webhook;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** A webhook on 127.0.0.1 that answers each path as a test says, rightly or wrongly. */
public final class ScriptedWebhook implements AutoCloseable {
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Certificates certificates;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    /** The reviews that came, in order. */
    public final List<JsonNode> reviews = new CopyOnWriteArrayList<>();

    /** Answers a request whose body was read. */
    public interface Answer {
        void to(HttpExchange exchange, JsonNode review) throws IOException, InterruptedException;
    }

    /** It listens at all addresses of this machine. @param hosts the names in its certificate */
    public ScriptedWebhook(String... hosts) throws Exception {
        certificates = Certificates.create(List.of(hosts), Instant.now());
        RotatingKeys keys = new RotatingKeys();
        keys.use(certificates);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(new KeyManager[]{keys}, null, null);
        server = HttpsServer.create(new InetSocketAddress(0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                JsonNode review = Json.read(exchange.getRequestBody().readAllBytes());
                reviews.add(review);
                answers.get(exchange.getRequestURI().getPath()).to(exchange, review);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** The certificate that clients need to trust, as PEM in base64. */
    public String bundle() {
        return Base64.getEncoder().encodeToString(certificates.authorities().getBytes(StandardCharsets.UTF_8));
    }

    public String url(String path) {
        return "https://127.0.0.1:" + port() + path;
    }

    /** A {@code clientConfig} with the URL of a path. */
    public String client(String path) {
        return "{\"url\": \"" + url(path) + "\", \"caBundle\": \"" + bundle() + "\"}";
    }

    public ScriptedWebhook on(String path, Answer answer) {
        answers.put(path, answer);
        return this;
    }

    /** Answers with a response that has the UID of the request. */
    public ScriptedWebhook respond(String path, Function<JsonNode, String> response) {
        return on(path, (exchange, review) -> {
            ObjectNode answer = Json.object().put("kind", Json.text(review, "kind"))
                    .put("apiVersion", Json.text(review, "apiVersion"));
            ObjectNode made = (ObjectNode) Json.read(response.apply(review.path("request")));
            if (!made.has("uid")) {
                made.put("uid", Json.text(review, "request", "uid"));
            }
            answer.set("response", made);
            send(exchange, 200, Json.bytes(answer));
        });
    }

    /** @param to empty for an answer without the header Location */
    public ScriptedWebhook redirect(String path, int code, String to) {
        return on(path, (exchange, review) -> {
            if (!to.isEmpty()) {
                exchange.getResponseHeaders().set("Location", to);
            }
            send(exchange, code, new byte[0]);
        });
    }

    public ScriptedWebhook raw(String path, int code, String body) {
        return on(path, (exchange, review) -> send(exchange, code, body.getBytes(StandardCharsets.UTF_8)));
    }

    public static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    /** The allowing response with a JSON patch. */
    public static String patch(String operations) {
        return "{\"allowed\": true, \"patchType\": \"JSONPatch\", \"patch\": \""
                + Base64.getEncoder().encodeToString(operations.getBytes(StandardCharsets.UTF_8)) + "\"}";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
