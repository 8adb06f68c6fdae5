package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.runtime.Clock;

/** Resources that are asked and not stored: access reviews, self subject reviews, token requests. */
final class Reviews {
    private static final Set<String> KINDS = Set.of("selfsubjectaccessreviews", "subjectaccessreviews",
            "localsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews", "tokenreviews");

    private final ObjectStore store;
    private final Renderer renderer;
    private final Clock clock;

    Reviews(ObjectStore store, Renderer renderer, Clock clock) {
        this.store = store;
        this.renderer = renderer;
        this.clock = clock;
    }

    static boolean isReview(Target target) {
        String group = target.type().group();
        return (group.equals("authorization.k8s.io") || group.equals("authentication.k8s.io"))
                && KINDS.contains(target.type().plural());
    }

    ApiResponse review(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        List<String> warnings = Bodies.newWarnings();
        ObjectNode review = Bodies.object(request, target.type(), warnings);
        Json.child(review, "metadata");
        ObjectNode status = review.putObject("status");
        switch (target.type().plural()) {
            case "selfsubjectrulesreviews" -> {
                status.putArray("resourceRules").add(rule().set("resources", Json.array().add("*")));
                status.putArray("nonResourceRules").addObject().set("verbs", Json.array().add("*"))
                        .set("nonResourceURLs", Json.array().add("*"));
                status.put("incomplete", false);
            }
            case "selfsubjectreviews" -> status.set("userInfo", user());
            case "tokenreviews" -> {
                status.put("authenticated", true);
                status.set("user", user());
            }
            default -> status.put("allowed", true).put("reason", "every request is allowed by this server");
        }
        return renderer.response(201, review, accept, warnings);
    }

    private static ObjectNode rule() {
        ObjectNode rule = Json.object();
        rule.putArray("verbs").add("*");
        rule.putArray("apiGroups").add("*");
        return rule;
    }

    private static ObjectNode user() {
        ObjectNode user = Json.object().put("username", "system:admin");
        ArrayNode groups = user.putArray("groups");
        groups.add("system:masters").add("system:authenticated");
        return user;
    }

    /** A token that says whose it is; it opens nothing. */
    ApiResponse token(Target target, ApiRequest request) {
        var account = store.get("serviceaccounts", target.namespace(), target.name());
        if (account == null) {
            throw Errors.notFound(target.type(), target.name());
        }
        ObjectNode body = PodSubresources.body(request);
        body.put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        ObjectNode meta = Json.child(body, "metadata");
        meta.put("name", target.name()).put("namespace", target.namespace())
                .put("creationTimestamp", Meta.time(clock.now()));
        ObjectNode spec = Json.child(body, "spec");
        long seconds = Json.number(spec, 3600, "expirationSeconds");
        spec.put("expirationSeconds", seconds);
        Instant end = clock.now().plusSeconds(seconds);
        ObjectNode claims = Json.object().put("iss", "https://kubernetes.default.svc")
                .put("sub", "system:serviceaccount:" + target.namespace() + ":" + target.name())
                .put("iat", clock.now().getEpochSecond()).put("exp", end.getEpochSecond());
        body.putObject("status").put("token", base64("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "."
                + base64(claims.toString()) + ".").put("expirationTimestamp", Meta.time(end));
        return renderer.response(201, body, Accept.JSON, List.of());
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
