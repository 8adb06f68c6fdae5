package dev.wheelhouse.apiserver.access;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.json.Json;

/** A service over TLS on loopback that answers as a test says, and keeps what it is sent. */
final class OtherParty implements AutoCloseable {
    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<JsonNode> sent = new CopyOnWriteArrayList<>();
    private final Map<String, Function<JsonNode, String>> answers = new ConcurrentHashMap<>();
    private final HttpsServer server;
    private final ServingCertificate certificate = OwnAuthority.of(ServerKeys.inMemory(), Instant.now())
            .serving(List.of("127.0.0.1"), Instant.now());

    OtherParty() throws Exception {
        KeyManagerFactory key = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        key.init(certificate.keyStore(), ServingCertificate.PASSWORD.toCharArray());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(key.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] body = exchange.getRequestBody().readAllBytes();
        JsonNode read = body.length == 0 ? Json.object() : Json.read(body);
        asked.add(path);
        sent.add(read);
        Function<JsonNode, String> answer = answers.get(path);
        byte[] text = answer == null ? new byte[0] : answer.apply(read).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer == null ? 503 : 200, text.length == 0 ? -1 : text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    /** Answers requests for a path; without an answer the code is 503. */
    OtherParty answers(String path, Function<JsonNode, String> answer) {
        answers.put(path, answer);
        return this;
    }

    void fails(String path) {
        answers.remove(path);
    }

    String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The authority to trust, as PEM. */
    String authority() {
        return certificate.trusted();
    }

    /** Writes a kubeconfig that leads to a path of this service. */
    Path kubeconfig(Path directory, String path) throws IOException {
        Path authority = Files.writeString(directory.resolve("ca.pem"), authority());
        return Files.writeString(directory.resolve("service.kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: it
                clusters: [{name: it, cluster: {server: "%s%s", certificate-authority: "%s"}}]
                users: [{name: it, user: {token: server}}]
                contexts: [{name: it, context: {cluster: it, user: it}}]
                """.formatted(url(), path, authority));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
