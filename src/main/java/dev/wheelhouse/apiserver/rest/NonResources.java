package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.aggregation.Aggregator;
import dev.wheelhouse.apiserver.auth.ServiceAccountTokens;
import dev.wheelhouse.apiserver.discovery.Discovery;
import dev.wheelhouse.apiserver.discovery.OpenApi;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.Release;

/** Requests for paths that name no resource: version, health, metrics, discovery, OpenAPI. */
record NonResources(ResourceRegistry registry, Discovery discovery, OpenApi openApi, Aggregator aggregator,
        Renderer renderer, ServerInfo info,
        Health health, ServiceAccountTokens tokens) {
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=values";
    private static final String JSON = "application/json";
    private static final String OPENAPI_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    /** The first parts of paths that are not found if they end with a slash. */
    private static final Set<String> STRICT = Set.of("healthz", "livez", "readyz", "metrics", "openapi");

    /** The first parts of paths that are answered for any method. Their handlers change nothing. */
    private static final Set<String> ANY_METHOD = Set.of("", "healthz", "livez", "readyz", "metrics", "openapi");

    /**
     * Answers the request; null if the path is none of these.
     *
     * @throws ApiException 404, 405, 406
     */
    @Nullable
    ApiResponse handle(List<String> path, ApiRequest request) {
        String asked = request.about().path();
        if (asked.startsWith("//") || asked.endsWith("/") && STRICT.contains(path.getFirst())) {
            return notFound();
        }
        ApiResponse answer = answer(path, request);
        boolean any = ANY_METHOD.contains(path.getFirst()) || path.equals(List.of("apis"));
        if (any || answer == null || answer instanceof ApiResponse.Content content && content.code() == 404) {
            return answer;
        }
        if (!request.method().equals("GET")) {
            throw Errors.methodNotAllowed();
        }
        if (path.getFirst().equals("version")) {
            Accept.checkNamed(request, true);
        }
        return answer;
    }

    private @Nullable ApiResponse answer(List<String> path, ApiRequest request) {
        return switch (path.getFirst()) {
            case "" -> text(index());
            case "healthz", "livez", "readyz" -> health.answer(path, request);
            case "metrics" -> path.size() == 1 ? metrics() : notFound();
            case "version" -> path.size() == 1 ? text(version()) : notFound();
            case "api" -> path.size() == 1
                    ? discovery(request, true)
                    : path.size() == 2 ? resources(request, "", path.get(1)) : null;
            case "apis" -> switch (path.size()) {
                case 1 -> discovery(request, false);
                case 2 -> {
                    ObjectNode group = discovery.apiGroup(path.get(1));
                    yield group == null ? notFound() : json(request, group, false);
                }
                case 3 -> resources(request, path.get(1), path.get(2));
                default -> null;
            };
            case ".well-known" -> path.equals(List.of(".well-known", "openid-configuration"))
                    ? openId("application/json", Json.object().put("issuer", ServiceAccountTokens.ISSUER)
                            .put("jwks_uri", info.url().get() + "/openid/v1/jwks")
                            .set("response_types_supported", Json.list("id_token"))
                            .set("subject_types_supported", Json.list("public"))
                            .set("id_token_signing_alg_values_supported", Json.list(ServiceAccountTokens.ALGORITHM)))
                    : notFound();
            case "openid" -> path.equals(List.of("openid", "v1", "jwks"))
                    ? openId("application/jwk-set+json", tokens.publicKeys())
                    : notFound();
            case "openapi" -> request.about().path().endsWith("/") ? notFound() : openApi(path, request);
            default -> notFound();
        };
    }

    static ApiResponse notFound() {
        return ApiResponse.text(404, "404 page not found\n");
    }

    /** An answer for verifiers of service accounts' tokens (upstream: {@code pkg/routes/openidmetadata.go}). */
    private static ApiResponse openId(String type, JsonNode body) {
        return new ApiResponse.Content(200, type, Json.bytes(body), List.of(), null,
                Map.of("Cache-Control", "public, max-age=3600"));
    }

    private ApiResponse metrics() {
        return new ApiResponse.Content(200, METRICS_TYPE,
                info.metrics().get().getBytes(StandardCharsets.UTF_8), List.of(), null);
    }

    static ObjectNode version() {
        return Json.object().put("major", Release.MAJOR).put("minor", Release.MINOR)
                .put("emulationMajor", Release.MAJOR).put("emulationMinor", Release.MINOR)
                .put("minCompatibilityMajor", Release.MAJOR)
                .put("minCompatibilityMinor", String.valueOf(Integer.parseInt(Release.MINOR) - 1))
                .put("gitVersion", Release.VERSION).put("gitCommit", "").put("gitTreeState", "clean")
                .put("buildDate", "1970-01-01T00:00:00Z")
                .put("goVersion", "none; Java " + Runtime.version().feature()).put("compiler", "javac")
                .put("platform", "jvm/any");
    }

    private ApiResponse resources(ApiRequest request, String group, String version) {
        ObjectNode list = discovery.apiResourceList(group, version);
        if (list != null) {
            return json(request, list, true);
        }
        if (registry.isKnown(group, version, "")) {
            throw Errors.noSuchResource();
        }
        return notFound();
    }

    private ApiResponse discovery(ApiRequest request, boolean core) {
        Accept aggregated = Accept.aggregated(request);
        if (aggregated == null) {
            String address = info.url().get().replaceFirst("^[a-z]*://", "");
            return json(request, core ? Discovery.apiVersions(address) : discovery.apiGroupList(), core);
        }
        Discovery.Aggregated list = discovery.aggregated(core);
        ApiResponse.Content plain = renderer.response(200, list.document(), aggregated);
        return new ApiResponse.Content(200,
                plain.contentType() + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", plain.body(), List.of(),
                null, Map.of("Cache-Control", "public", "ETag", list.tag(), "Vary", "Accept"), null, plain.line(),
                null);
    }

    private ApiResponse openApi(List<String> path, ApiRequest request) {
        if (path.size() == 2 && path.get(1).equals("v2")) {
            String type = Accept.first(request, JSON, OPENAPI_PROTOBUF.replace('@', '.'), OPENAPI_PROTOBUF);
            boolean protobuf = type != null && !type.equals(JSON);
            return type == null
                    ? new ApiResponse.Content(406, "", new byte[0], List.of(), null, Map.of("Vary", "Accept"))
                    : new ApiResponse.Content(200, type.replace('@', '.'),
                            protobuf ? openApi.v2Protobuf() : Json.bytes(openApi.v2()), List.of(), null,
                            Map.of("ETag", "\"" + (protobuf ? "P-" : "") + openApi.v2Hash() + "\"", "Vary", "Accept"));
        }
        if (path.size() == 2 && path.get(1).equals("v3")) {
            return ApiResponse.text(200, openApi.v3Index().toString());
        }
        return path.size() > 2 && path.get(1).equals("v3")
                ? document(String.join("/", path.subList(2, path.size())), request)
                : notFound();
    }

    /**
     * A document under its hash never changes and may be cached. A request with an outdated hash is redirected to the
     * present one.
     */
    private ApiResponse document(String path, ApiRequest request) {
        ApiResponse remote = openApi.isElsewhere(path) ? aggregator.openApi(path, request) : null;
        if (remote != null) {
            return remote;
        }
        String hash = request.query().get("hash");
        ObjectNode document = openApi.v3(path);
        String now = openApi.v3Hash(path);
        if (document == null || now == null) {
            return notFound();
        }
        if (!hash.isEmpty() && !hash.equals(now)) {
            String right = "/openapi/v3/" + path + "?hash=" + now;
            return new ApiResponse.Content(301, "text/html; charset=utf-8",
                    ("<a href=\"" + right + "\">Moved Permanently</a>.\n\n").getBytes(StandardCharsets.UTF_8),
                    List.of(), null, Map.of("Location", right));
        }
        Map<String, String> headers = hash.isEmpty()
                ? Map.of("ETag", "\"" + now + "\"")
                : Map.of("ETag", "\"" + now + "\"", "Cache-Control", "public, immutable", "Vary", "Accept");
        return new ApiResponse.Content(200, "application/json", Json.bytes(document), List.of(), null, headers);
    }

    /** An answer for people, whatever form is asked for. */
    private static ApiResponse text(ObjectNode body) {
        return new ApiResponse.Content(200, "application/json", Json.pretty(body), List.of(), null);
    }

    /** @param routed whether upstream's router looks at the request before its handler does */
    private ApiResponse json(ApiRequest request, ObjectNode body, boolean routed) {
        if (routed) {
            Accept.checkNamed(request, false);
        }
        return renderer.response(200, body, Accept.discovery(request));
    }

    private ObjectNode index() {
        Set<String> paths = new TreeSet<>(
                List.of("/.well-known/openid-configuration", "/api", "/apis", "/healthz", "/livez", "/metrics",
                        "/readyz", "/version", "/openapi/v2",
                        "/openapi/v3", "/openid/v1/jwks"));
        registry.all().forEach(resource -> {
            String group = resource.type().group();
            if (!group.isEmpty()) {
                paths.add("/apis/" + group);
            }
            paths.add((group.isEmpty() ? "/api/" : "/apis/") + resource.type().apiVersion());
        });
        ObjectNode index = Json.object();
        ArrayNode array = index.putArray("paths");
        paths.forEach(array::add);
        return index;
    }

}
