package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.ObjectProvider;

import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.facts.Release;

/**
 * Answers kubectl on the port of health and metrics. Without a kubeconfig kubectl asks {@code localhost:8080}, which is
 * this port by default. The answer is a Status, whose message names the kubeconfig to use. Clients in Go get the
 * message as plain text, because it is the only body of a refused discovery that they print (upstream: client-go
 * {@code rest/request.go}, {@code newUnstructuredResponseError}).
 */
final class NotTheApiServer extends HttpServlet {
    static final String[] PATHS = {"/api", "/api/*", "/apis", "/apis/*", "/openapi/*", "/version"};
    private static final Pattern IN_GO = Pattern.compile("(kubectl|Helm)/.*|.* kubernetes/.*");

    private final transient ObjectProvider<ApiServerConnection> connections;

    NotTheApiServer(ObjectProvider<ApiServerConnection> connections) {
        this.connections = connections;
    }

    private record Status(String kind, String apiVersion, String status, String message, String reason, int code) {}

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean text = IN_GO.matcher(String.valueOf(request.getHeader("User-Agent"))).matches();
        String message = message(connections.getObject());
        response.setStatus(HttpServletResponse.SC_FORBIDDEN);
        response.setContentType(text ? "text/plain;charset=utf-8" : "application/json");
        response.setHeader("Cache-Control", "no-cache, private");
        response.getOutputStream().write(text
                ? message.getBytes(StandardCharsets.UTF_8)
                : JsonMapper.shared().writeValueAsBytes(new Status("Status", "v1", "Failure", message, "Forbidden",
                        HttpServletResponse.SC_FORBIDDEN)));
    }

    private static String message(ApiServerConnection connection) {
        ApiServerConnection.Embedded embedded = connection.embedded();
        return "this is the port of health and metrics of Wheelhouse (" + Release.VERSION + "), not the API server: "
                + (embedded != null
                        ? "export KUBECONFIG=" + embedded.kubeconfig()
                        : connection.absent() == null
                                ? "that is " + connection.client().server()
                                : "there is none, because " + connection.absent());
    }
}
