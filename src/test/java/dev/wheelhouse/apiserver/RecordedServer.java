package dev.wheelhouse.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.apiserver.protocol.WatchFeed;

/**
 * Replays a recorded transcript on a server, entry by entry, including actions of the recorder that are not entries.
 */
final class RecordedServer implements AutoCloseable {
    private static final Map<String, User> TOKENS = Map.of(
            "admin-token", new User("admin", "admin", List.of(User.MASTERS, "system:authenticated"), Map.of()),
            "nobody-token", new User("nobody", "nobody", List.of("g1", "g2", "system:authenticated"), Map.of()));
    private static final Credentials ADMIN = Credentials.of(Map.of("Authorization", List.of("Bearer admin-token")),
            null);

    private static final JsonNode ACTIONS = Resources.yaml("/golden/api/actions.yaml");

    private final String file;
    private final ApiServer first = secured();
    private ApiServer server = first;
    private final RecordedComparison comparison = new RecordedComparison();

    private static ApiServer secured() {
        return new ApiServer(ApiServerOptions.defaults()
                .withSecurity(
                        Security.of(AuthorizationMode.RBAC, TOKENS, ServerKeys.inMemory()).withPodAccounts(true)));
    }

    RecordedServer(String file) {
        this.file = file;
        call("DELETE", "/api/v1/namespaces/kube-system/configmaps/"
                + "kube-apiserver-legacy-service-account-token-tracking", "", "");
        List.of("default", "kube-system", "kube-public", "kube-node-lease").forEach(this::fill);
        makeNamespace();
    }

    private void makeNamespace() {
        post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"api\"}}");
        fill("api");
    }

    /** Makes the objects that the controllers of the recorded server made in each namespace. */
    private void fill(String namespace) {
        post("/api/v1/namespaces/" + namespace + "/serviceaccounts", "{\"metadata\": {\"name\": \"default\"}}");
        publish(namespace);
    }

    private void publish(String namespace) {
        post("/api/v1/namespaces/" + namespace + "/configmaps",
                "{\"metadata\": {\"name\": \"kube-root-ca.crt\"}, \"data\": {\"ca.crt\": \"\"}}");
    }

    private JsonNode call(String method, String path, String contentType, String body) {
        ApiResponse answer = server.rest()
                .handle(ApiRequest.of(method, path, contentType, body.getBytes(StandardCharsets.UTF_8))
                        .withCredentials(ADMIN));
        ApiResponse.Content content = (ApiResponse.Content) answer;
        if (content.code() >= 300) {
            throw new AssertionError(method + " " + path + ": " + new String(content.body(), StandardCharsets.UTF_8));
        }
        return Json.read(content.body());
    }

    private JsonNode post(String path, String body) {
        return call("POST", path, "application/json", body);
    }

    private void deployment(String name) {
        post("/apis/apps/v1/namespaces/api/deployments", """
                {"metadata": {"name": "%1$s"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "%1$s"}},
                 "template": {"metadata": {"labels": {"app": "%1$s"}},
                  "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name));
    }

    /** Repeats the recorder's actions before an entry or during its watch, which are no entries themselves. */
    private void repeat(String when, int entry) {
        for (JsonNode action : ACTIONS.path(when).path(file + " " + entry)) {
            Map.Entry<String, JsonNode> step = action.properties().iterator().next();
            String[] request = step.getKey().split(" ");
            switch (request[0]) {
                case "LEARN" -> comparison.learn(step.getValue().asString(), Long.toString(server.store().version()));
                case "COMPACT" -> server.store().compact();
                case "FRESH" -> fresh();
                case "BACK" -> {
                    server.close();
                    server = first;
                }
                case "DEPLOYMENT" -> deployment(step.getValue().asString());
                case "DELETE" -> call("DELETE", request[1], "", "");
                case "MERGE" -> patch(request[1], step.getValue().toString());
                default -> post(request[1], step.getValue().toString());
            }
        }
        if (when.equals("before") && (file + " " + entry).equals("discovery 21")) {
            comparison.learn(
                    "1FA1EEE5F8852AEE40EC1ACB99D1CBEEAE6674477BE84EEE5A82F56567B0E44EF0EC0DEEE8B0A2BCC0593242A6B2030"
                            + "FC3A0E129CA72A89B8A28A6DE66C585F1",
                    Json.text(call("GET", "/openapi/v3", "", ""), "paths", "apis/apps/v1", "serverRelativeURL")
                            .replaceFirst(".*hash=", ""));
        }
    }

    /** Replaces the server by a new one. The recorder had just started its server before two of the entries. */
    private void fresh() {
        server = secured();
        makeNamespace();
        post("/api/v1/namespaces/api/configmaps", "{\"metadata\": {\"name\": \"a\"}, \"data\": {\"k\": \"v\"}}");
        patch("/api/v1/namespaces/api/configmaps/a", "{\"data\": {\"k\": \"v2\"}}");
    }

    private void patch(String path, String patch) {
        call("PATCH", path, "application/merge-patch+json", patch);
    }

    /** Replays one entry. @return the differences from the recorded answer */
    List<String> replay(int index, JsonNode entry) {
        repeat("before", index);
        if (!(entry.get("request") instanceof ObjectNode request)) {
            if (Json.text(entry, "out").startsWith("compacted")) {
                server.store().compact();
            }
            return List.of();
        }
        JsonNode recorded = entry.get("response");
        String path = comparison.path(Json.text(request, "path"));
        int mark = path.indexOf('?');
        ApiResponse answer = server.rest().handle(new ApiRequest(Json.text(request, "method"),
                mark < 0 ? path : path.substring(0, mark),
                QueryParameters.parse(mark < 0 ? null : path.substring(mark + 1)),
                Json.text(request, "headers", "Accept"), Json.text(request, "headers", "Content-Type"), "",
                body(index, request), credentials(request), User.ANONYMOUS));
        return switch (answer) {
            case ApiResponse.Stream stream -> watch(index, path, stream.feed(), recorded);
            case ApiResponse.Content content -> content(index, entry, path, content, recorded);
        };
    }

    /** The credentials of an entry: the administrator's, unless the entry has its own. */
    private static Credentials credentials(ObjectNode request) {
        Map<String, List<String>> headers = new LinkedHashMap<>(
                Map.of("Authorization", List.of("Bearer admin-token")));
        if (request.get("headers") instanceof ObjectNode recorded) {
            recorded.properties().forEach(header -> headers.put(header.getKey(),
                    List.of(header.getValue().asString())));
        }
        headers.computeIfPresent("Authorization", (name, values) -> values.contains("(none)") ? List.of() : values);
        return Credentials.of(headers, null);
    }

    private byte[] body(int index, ObjectNode request) {
        JsonNode body = request.get("body");
        if (body != null) {
            JsonNode sent = comparison.body(body);
            // The recorder changed these two bodies after it had sent them.
            if ((file + " " + index).equals("status_generation_scale 16")) {
                Json.child((ObjectNode) sent, "spec").put("replicas", 3);
            } else if ((file + " " + index).equals("status_generation_scale 17")) {
                Json.child((ObjectNode) sent, "metadata").put("resourceVersion", "1");
            }
            return Json.bytes(sent);
        }
        return Json.text(request, "raw").getBytes(StandardCharsets.UTF_8);
    }

    private List<String> content(int index, JsonNode entry, String path, ApiResponse.Content content,
            JsonNode recorded) {
        List<String> differences = new ArrayList<>();
        String text = new String(content.body(), StandardCharsets.UTF_8);
        if (content.code() != Json.number(recorded, 0, "status")) {
            differences.add("status " + Json.number(recorded, 0, "status") + " recorded, " + content.code()
                    + " found: " + text);
            return differences;
        }
        JsonNode body = recorded.get("body");
        if (body instanceof ObjectNode && body.has("podspec")) {
            differences.addAll(comparison.compare(body, digest((ObjectNode) Json.read(text))));
        } else if (body != null && body.isContainer()) {
            JsonNode found = Json.read(text);
            if ((file + " " + index).equals("status_generation_scale 15")) {
                // The recorder turned this answer into its next request, before it was written to the transcript.
                Json.child((ObjectNode) found, "metadata").remove("resourceVersion");
                Json.child((ObjectNode) found, "spec").put("replicas", 4);
            }
            differences.addAll(comparison.compare(body, found));
        } else if (recorded.has("text") && !recorded.get("text").asString().startsWith("k8s")
                && !recorded.get("text").asString().startsWith("apiVersion")
                && !comparison.path(recorded.get("text").asString()).equals(text)
                && !Json.text(entry, "request", "method").equals("HEAD")) {
            differences.add("recorded the text " + recorded.get("text") + ", found " + text);
        }
        if (entry.get("after") instanceof ObjectNode after) {
            differences.addAll(comparison.compare(after.deepCopy().without("status"), after(path)));
        }
        return differences;
    }

    /** The parts of a patched Deployment that the recorder kept. */
    private static ObjectNode digest(ObjectNode deployment) {
        ObjectNode digest = Json.object();
        ObjectNode meta = Json.child(deployment, "metadata");
        set(digest, "generation", meta.get("generation"));
        set(digest, "strategy", Json.at(deployment, "spec", "strategy"));
        for (String field : List.of("annotations", "finalizers", "labels")) {
            set(digest, field, meta.get(field));
        }
        ObjectNode podSpec = digest.putObject("podspec");
        JsonNode spec = Json.at(deployment, "spec", "template", "spec");
        for (String field : List.of("containers", "volumes", "tolerations", "imagePullSecrets", "hostAliases",
                "nodeSelector", "initContainers", "securityContext")) {
            if (spec != null && List.of("containers", "volumes", "tolerations", "imagePullSecrets", "hostAliases")
                    .contains(field)) {
                set(podSpec, field, spec.get(field));
            }
        }
        return digest;
    }

    /** The parts of a changed Deployment that the recorder read, without those that controllers write. */
    private ObjectNode after(String path) {
        String object = path.replaceAll("/(status|scale)$", "");
        JsonNode deployment = call("GET", object, "", "");
        ObjectNode after = Json.object();
        set(after, "generation", Json.at(deployment, "metadata", "generation"));
        set(after, "replicas", Json.at(deployment, "spec", "replicas"));
        set(after, "paused", Json.at(deployment, "spec", "paused"));
        set(after, "labels", Json.at(deployment, "metadata", "labels"));
        set(after, "annotations", Json.at(deployment, "metadata", "annotations"));
        return after;
    }

    private static void set(ObjectNode object, String field, @Nullable JsonNode value) {
        if (value != null) {
            object.set(field, value);
        }
    }

    private List<String> watch(int index, String path, WatchFeed feed, JsonNode recorded) {
        repeat("during", index);
        List<String> differences = new ArrayList<>();
        List<WatchFeed.Event> events = new ArrayList<>();
        try (feed) {
            for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                events.add(event);
            }
        }
        if (!(recorded.get("watch") instanceof ArrayNode expected)) {
            return List.of("recorded no watch but " + recorded);
        }
        List<JsonNode> wanted = new ArrayList<>();
        expected.forEach(event -> {
            if (!Json.text(event, "type").equals("BOOKMARK")) {
                wanted.add(event);
            }
        });
        if (!path.contains("resourceVersion=") || path.contains("resourceVersion=0")) {
            wanted.sort(Comparator.comparing(event -> name(event.get("object"))));
            events.sort(Comparator.comparing(event -> name(Json.read(event.object()))));
        }
        if (wanted.size() != events.size()) {
            differences.add(wanted.size() + " events recorded, " + events.size() + " found: "
                    + events.stream().map(WatchFeed.Event::type).toList());
        }
        for (int i = 0; i < Math.min(wanted.size(), events.size()); i++) {
            if (!Json.text(wanted.get(i), "type").equals(events.get(i).type())) {
                differences.add("event " + i + ": " + Json.text(wanted.get(i), "type") + " recorded, "
                        + events.get(i).type() + " found");
            }
            for (String difference : comparison.compare(wanted.get(i).get("object"),
                    Json.read(events.get(i).object()))) {
                differences.add("event " + i + difference);
            }
        }
        return differences;
    }

    private static String name(JsonNode object) {
        JsonNode row = object.path("rows").path(0).path("object");
        return Json.text(row.isObject() ? row : object, "metadata", "name");
    }

    @Override
    public void close() {
        server.close();
    }
}
