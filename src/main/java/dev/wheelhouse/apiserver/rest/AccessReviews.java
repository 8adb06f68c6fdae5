package dev.wheelhouse.apiserver.rest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.Authenticator;
import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.ServiceAccountTokens;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.patch.FieldManagement;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.runtime.Clock;

/**
 * Reviews, which are answered and never stored: the own user, the user of a token, the rights of a user (upstream:
 * {@code pkg/registry/authentication}, {@code pkg/registry/authorization}).
 */
record AccessReviews(Writes writes, Authenticator authenticator, Authorizer authorizer, Renderer renderer,
        Clock clock) {
    ApiResponse review(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ObjectNode asked = writes.admit(target, Bodies.object(request, target.type()), request);
        Json.child(asked, "metadata");
        asked.remove("status");
        ObjectNode review = FieldManagement.updated(null, asked, request.fieldManager(), "", clock.now());
        ObjectNode spec = Json.child(review, "spec");
        switch (target.type().plural()) {
            case "selfsubjectrulesreviews" -> rules(review, spec, request.user());
            case "selfsubjectreviews" -> self(review, request.user());
            case "tokenreviews" -> token(review, spec);
            case "selfsubjectaccessreviews" -> access(review, spec, request.user());
            default -> {
                if (target.type().namespaced()) {
                    local(spec, target.namespace());
                }
                access(review, spec, subject(spec));
            }
        }
        ApiResponse.Content answer = renderer.response(201, review, accept);
        // The transport charges answers to reads only. A small review can ask for the rules of many roles.
        Allowance.coverAnswer(answer.body().length);
        return answer;
    }

    private void self(ObjectNode review, User user) {
        review.remove("spec");
        Meta.of(review).put("creationTimestamp", Meta.time(clock.now()));
        review.putObject("status").set("userInfo", user.toJson());
    }

    private void token(ObjectNode review, ObjectNode spec) {
        String token = Json.text(spec, "token");
        if (token.isEmpty()) {
            throw Errors.badRequest("token is required for TokenReview in authentication");
        }
        List<String> audiences = Json.texts(spec.path("audiences"));
        ObjectNode status = review.putObject("status");
        try {
            User user = authenticator.ofToken(token, audiences);
            status.put("authenticated", true).set("user", user.toJson());
            ArrayNode meant = status.putArray("audiences");
            (audiences.isEmpty() ? List.of(ServiceAccountTokens.ISSUER) : audiences).forEach(meant::add);
        } catch (UnauthorizedException e) {
            status.putObject("user");
            status.put("error", "invalid bearer token");
        }
    }

    private static void local(ObjectNode spec, String namespace) {
        JsonNode paths = Json.at(spec, "nonResourceAttributes");
        if (paths != null) {
            throw invalid("spec.nonResourceAttributes", "Invalid value: " + shown(paths)
                    + ": disallowed on this kind of request");
        }
        String asked = Json.text(spec, "resourceAttributes", "namespace");
        if (!asked.equals(namespace)) {
            throw invalid("spec.resourceAttributes.namespace",
                    "Invalid value: \"" + asked + "\": must match metadata.namespace");
        }
    }

    private static User subject(ObjectNode spec) {
        User user = new User(Json.text(spec, "user"), Json.text(spec, "uid"), Json.texts(spec.path("groups")),
                extra(spec.path("extra")));
        if (user.name().isEmpty() && user.groups().isEmpty()) {
            throw invalid("spec.user", "Invalid value: \"\": at least one of user or group must be specified");
        }
        return user;
    }

    private void access(ObjectNode review, ObjectNode spec, User user) {
        AuthorizationDecision decision = authorizer.authorize(user, question(spec));
        ObjectNode status = review.putObject("status").put("allowed", decision.allowed());
        if (decision.denied()) {
            status.put("denied", true);
        }
        if (!decision.reason().isEmpty()) {
            status.put("reason", decision.reason());
        }
    }

    private static RequestInfo question(ObjectNode spec) {
        JsonNode resource = Json.at(spec, "resourceAttributes");
        JsonNode path = Json.at(spec, "nonResourceAttributes");
        if (resource != null && path != null) {
            throw invalid("spec.nonResourceAttributes", "Invalid value: " + shown(path)
                    + ": cannot be specified in combination with resourceAttributes");
        }
        if (path != null) {
            return RequestInfo.ofPath(Json.text(path, "verb"), Json.text(path, "path"));
        }
        if (resource == null) {
            throw invalid("spec.resourceAttributes", "Invalid value: null: exactly one of nonResourceAttributes or "
                    + "resourceAttributes must be specified");
        }
        return RequestInfo.ofResource(Json.text(resource, "verb"), Json.text(resource, "group"),
                Json.text(resource, "resource"), Json.text(resource, "subresource"),
                Json.text(resource, "namespace"), Json.text(resource, "name"));
    }

    private static String shown(JsonNode path) {
        return "{\"Path\":\"" + Json.text(path, "path") + "\",\"Verb\":\"" + Json.text(path, "verb") + "\"}";
    }

    private void rules(ObjectNode review, ObjectNode spec, User user) {
        String namespace = Json.text(spec, "namespace");
        if (namespace.isEmpty()) {
            throw Errors.badRequest("no namespace on request");
        }
        review.putObject("spec");
        Meta.of(review).remove("managedFields");
        ObjectNode status = review.putObject("status");
        ArrayNode resources = status.putArray("resourceRules");
        ArrayNode paths = status.putArray("nonResourceRules");
        authorizer.rules(user, namespace).forEach(rule -> (rule.isNonResource() ? paths : resources)
                .add(rule.toJson()));
        status.put("incomplete", false);
    }

    private static StatusException invalid(String field, String message) {
        return Errors.invalid("authorization.k8s.io", "", "", Errors.one(field, "FieldValueInvalid", message));
    }

    private static Map<String, List<String>> extra(JsonNode object) {
        Map<String, List<String>> extra = new HashMap<>();
        object.properties().forEach(field -> extra.put(field.getKey(), Json.texts(field.getValue())));
        return extra;
    }
}
