package dev.wheelhouse.apiserver.discovery;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Tables;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

/** Serves discovery, OpenAPI and some constant objects: the parts of an API server that kubectl needs for reading. */
final class DocumentServer implements AutoCloseable {
    private static final String PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    private static final String AGGREGATED = "as=APIGroupDiscoveryList";

    private final HttpServer http;
    private final Instant now;
    private final Discovery discovery;
    private final OpenApi openApi;
    private final ResourceRegistry registry;
    private final Map<String, ObjectNode> objects = new ConcurrentHashMap<>();
    private final List<String> patches = new CopyOnWriteArrayList<>();
    private volatile boolean aggregated = true;
    private volatile boolean v3 = true;

    DocumentServer(ResourceRegistry registry, Instant now) throws IOException {
        this.registry = registry;
        this.now = now;
        this.discovery = new Discovery(registry, List.of());
        this.openApi = new OpenApi(registry);
        this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", this::handle);
        http.start();
    }

    String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Serves plain discovery only, as an old server does. */
    void withoutAggregatedDiscovery() {
        aggregated = false;
    }

    /** Serves OpenAPI v2 only, as an old server does. */
    void withoutV3() {
        v3 = false;
    }

    /** Serves an object. @param collection its path, as {@code apis/apps/v1/namespaces/default/deployments} */
    void put(String collection, ObjectNode object) {
        objects.put("/" + collection + "/" + Json.text(object, "metadata", "name"), object);
    }

    /** The content type and body of each patch that was received. */
    List<String> patches() {
        return List.copyOf(patches);
    }

    @Override
    public void close() {
        http.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String accept = String.valueOf(exchange.getRequestHeaders().getFirst("Accept"));
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (exchange.getRequestMethod().equals("PATCH")) {
                patches.add(exchange.getRequestHeaders().getFirst("Content-Type") + " " + body);
            }
            if (path.equals("/openapi/v2") && accept.contains(PROTOBUF)) {
                send(exchange, 200, "application/octet-stream", openApi.v2Protobuf());
                return;
            }
            boolean inOne = aggregated && accept.contains(AGGREGATED);
            JsonNode answer = answer(path, accept, inOne);
            String type = "application/json"
                    + (inOne && path.startsWith("/api") ? ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" : "");
            if (answer == null) {
                send(exchange, 404, type, Json.bytes(Json.object().put("kind", "Status").put("apiVersion", "v1")
                        .put("status", "Failure").put("reason", "NotFound").put("message", "not found: " + path)
                        .put("code", 404)));
            } else {
                send(exchange, 200, type, Json.bytes(answer));
            }
        }
    }

    private @Nullable JsonNode answer(String path, String accept, boolean inOne) {
        String[] parts = path.substring(1).split("/");
        return switch (parts[0]) {
            case "version" -> Json.object().put("major", "1").put("minor", "36").put("gitVersion", "v1.36.0");
            case "openapi" -> openApi(path);
            case "api" -> parts.length == 1
                    ? (inOne ? discovery.aggregated(true).document() : Discovery.apiVersions(""))
                    : parts.length == 2
                            ? discovery.apiResourceList("", parts[1])
                            : objects(path, accept, "", parts[1], parts);
            case "apis" -> switch (parts.length) {
                case 1 -> inOne ? discovery.aggregated(false).document() : discovery.apiGroupList();
                case 2 -> discovery.apiGroup(parts[1]);
                case 3 -> discovery.apiResourceList(parts[1], parts[2]);
                default -> objects(path, accept, parts[1], parts[2], parts);
            };
            default -> null;
        };
    }

    private @Nullable JsonNode openApi(String path) {
        if (path.equals("/openapi/v2")) {
            return openApi.v2();
        }
        if (!v3) {
            return null;
        }
        return path.equals("/openapi/v3") ? openApi.v3Index() : openApi.v3(path.substring("/openapi/v3/".length()));
    }

    private @Nullable JsonNode objects(String path, String accept, String group, String version, String[] parts) {
        ObjectNode object = objects.get(path);
        String plural = object == null ? parts[parts.length - 1] : parts[parts.length - 2];
        ResourceInfo resource = registry.find(group, version, plural);
        if (resource == null) {
            return null;
        }
        List<ObjectNode> found = new ArrayList<>();
        if (object != null) {
            found.add(object);
        } else {
            objects.forEach((key, value) -> {
                if (key.startsWith(path + "/")) {
                    found.add(value);
                }
            });
        }
        ObjectNode meta = Json.object().put("resourceVersion", "7");
        if (accept.contains("as=Table")) {
            return Tables.table(resource, found, Tables.IncludeObject.METADATA, true, meta, now);
        }
        if (object != null) {
            return object;
        }
        ObjectNode list = Json.object().put("kind", resource.type().kind() + "List").put("apiVersion",
                resource.type().apiVersion());
        list.set("metadata", meta);
        found.forEach(Dialect.array(list, "items")::add);
        return list;
    }

    private static void send(HttpExchange exchange, int code, String type, byte[] bytes) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    /** For trying kubectl by hand. */
    public static void main(String[] args) throws IOException {
        DocumentServer server = new DocumentServer(ResourceRegistry.builtIn(), Instant.parse("2026-03-01T12:00:00Z"));
        System.out.println(server.url());
    }
}
