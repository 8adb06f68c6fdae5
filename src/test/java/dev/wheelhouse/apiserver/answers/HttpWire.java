package dev.wheelhouse.apiserver.answers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.SafeYaml;

/** Sends {@link Probe}s over one connection that is kept while the server keeps it. */
final class HttpWire implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 120_000;
    private static final Pattern PLACE = Pattern.compile("\\$\\{(uid|rv|continue) ([^}]+)}");

    private final int port;
    private final String token;
    private final RawHttp connection;

    HttpWire(int port, boolean tls, String token) {
        this.port = port;
        this.token = token;
        this.connection = new RawHttp("127.0.0.1", port, tls, TIMEOUT_MILLIS);
    }

    /** The server on 127.0.0.1 that is the only one of a kubeconfig, with the token of its only user. */
    static HttpWire of(Path kubeconfig) throws IOException {
        JsonNode config = Json.mapper().valueToTree(SafeYaml.load(Files.readAllBytes(kubeconfig)));
        URI server = URI.create(Json.text(config.path("clusters").path(0), "cluster", "server"));
        return new HttpWire(server.getPort(), server.getScheme().equals("https"),
                Json.text(config.path("users").path(0), "user", "token"));
    }

    Answer send(Probe probe) throws IOException {
        return Answer.of(probe, exchange(filled(probe)));
    }

    /** The request with values of this server in it. */
    Probe filled(Probe probe) throws IOException {
        return new Probe(probe.method(), fill(probe.target()), probe.accept(), probe.type(), fill(probe.body()));
    }

    private String fill(String text) throws IOException {
        Matcher matcher = PLACE.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            JsonNode object = Json.read(exchange(Probe.get(matcher.group(2))).body());
            String value = switch (matcher.group(1)) {
                case "uid" -> Json.text(object, "metadata", "uid");
                case "rv" -> Json.text(object, "metadata", "resourceVersion");
                default -> Json.text(object, "metadata", "continue");
            };
            matcher.appendReplacement(filled, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(filled).toString();
    }

    RawHttp.Answer exchange(Probe probe) throws IOException {
        byte[] body = probe.body().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(probe.method()).append(' ').append(probe.target())
                .append(" HTTP/1.1\r\nHost: 127.0.0.1:").append(port)
                .append("\r\nUser-Agent: probe/1\r\n");
        if (!token.isEmpty()) {
            head.append("Authorization: Bearer ").append(token).append("\r\n");
        }
        if (!probe.accept().isEmpty()) {
            head.append("Accept: ").append(probe.accept()).append("\r\n");
        }
        if (!probe.type().isEmpty()) {
            head.append("Content-Type: ").append(probe.type()).append("\r\n");
        }
        if (body.length > 0 || !List.of("GET", "HEAD", "OPTIONS", "TRACE", "DELETE").contains(probe.method())) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        request.writeBytes(body);
        return connection.exchange(probe.method(), request.toByteArray(), false);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
