package dev.wheelhouse.spring;

import java.io.IOException;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.ObjectProvider;

import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.facts.Release;

/**
 * Answers kubectl on the port of health and metrics. Without a kubeconfig kubectl asks {@code localhost:8080}, which is
 * this port by default. The answer is a Status, whose message kubectl prints: it names the kubeconfig to use.
 */
final class NotTheApiServer extends HttpServlet {
    static final String[] PATHS = {"/api", "/api/*", "/apis", "/apis/*", "/openapi/*", "/version"};
    private static final long serialVersionUID = 1;

    /** The status 421 of HTTP: the request was sent to a server that does not have what it asks for. */
    private static final int MISDIRECTED = 421;

    private final transient ObjectProvider<ApiServerConnection> connections;

    NotTheApiServer(ObjectProvider<ApiServerConnection> connections) {
        this.connections = connections;
    }

    private record Status(String kind, String apiVersion, String status, String message, String reason, int code) {}

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ApiServerConnection connection = connections.getObject();
        ApiServerConnection.Embedded embedded = connection.embedded();
        response.setStatus(MISDIRECTED);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-cache, private");
        response.getOutputStream().write(JsonMapper.shared().writeValueAsBytes(new Status("Status", "v1", "Failure",
                "this is the port of health and metrics of Wheelhouse (" + Release.VERSION + "), and the API server is "
                        + (embedded == null
                                ? connection.client().server()
                                : "another: export KUBECONFIG=" + embedded.kubeconfig()),
                "Misdirected", MISDIRECTED)));
    }
}
