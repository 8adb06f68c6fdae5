package dev.wheelhouse.apiserver.access;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.PolicyRule;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.cel.CelExpression.EvaluationException;

/**
 * Asks a service about requests by SubjectAccessReviews (upstream:
 * {@code apiserver/plugin/pkg/authorizer/webhook/webhook.go}). Thread safe.
 *
 * @param version of the reviews: {@code v1} or {@code v1beta1}
 * @param denies whether a request is denied if the service does not answer. If not, the next authorizer decides
 * @param conditions if one is false, the service is not asked
 */
record RequestWebhook(RemoteService service, String version, Duration timeout, Duration keepAllowed,
        Duration keepOthers, boolean denies, List<Expression> conditions,
        Answers<JsonNode> answers) implements Authorizer {
    @Override
    public AuthorizationDecision authorize(User user, RequestInfo request) {
        ObjectNode spec = spec(user, request);
        String problem = "";
        for (Expression condition : conditions) {
            try {
                if (!Boolean.TRUE.equals(condition.of(spec))) {
                    return AuthorizationDecision.NO_OPINION;
                }
            } catch (EvaluationException e) {
                problem = String.valueOf(e.getMessage());
            }
        }
        if (!problem.isEmpty()) {
            return new AuthorizationDecision(false, denies, "", problem);
        }
        String key = spec.toString();
        JsonNode status = answers.get(key);
        if (status == null) {
            try {
                status = ask(spec);
            } catch (IOException e) {
                return new AuthorizationDecision(false, denies, "", String.valueOf(e.getMessage()));
            }
            answers.put(key, status, status.path("allowed").asBoolean(false) ? keepAllowed : keepOthers);
        }
        boolean allowed = status.path("allowed").asBoolean(false);
        boolean denied = status.path("denied").asBoolean(false);
        return new AuthorizationDecision(allowed && !denied, denied, Json.text(status, "reason"),
                allowed && denied ? "webhook subject access review returned both allow and deny response" : "");
    }

    private JsonNode ask(ObjectNode spec) throws IOException {
        ObjectNode review = Json.object().put("kind", "SubjectAccessReview").put("apiVersion",
                "authorization.k8s.io/" + version);
        review.putObject("metadata");
        ObjectNode sent = spec.deepCopy();
        JsonNode groups = version.equals("v1beta1") ? sent.remove("groups") : null;
        if (groups != null) {
            sent.set("group", groups);
        }
        review.set("spec", sent);
        review.putObject("status").put("allowed", false);
        return service.post(Json.bytes(review), timeout).path("status");
    }

    private static ObjectNode spec(User user, RequestInfo request) {
        ObjectNode spec = Json.object();
        if (request.isResource()) {
            ObjectNode about = spec.putObject("resourceAttributes");
            put(about, "namespace", request.namespace());
            put(about, "verb", request.verb());
            put(about, "group", request.group());
            put(about, "version", request.version());
            put(about, "resource", request.resource());
            put(about, "subresource", request.subresource());
            put(about, "name", request.name());
            ArrayNode requirements = Json.array();
            request.fields().requirements().forEach(each -> requirements.addObject().put("key", each.field())
                    .put("operator", each.negated() ? "NotIn" : "In").putArray("values").add(each.value()));
            if (!requirements.isEmpty()) {
                about.putObject("fieldSelector").set("requirements", requirements);
            }
        } else {
            spec.putObject("nonResourceAttributes").put("path", request.path()).put("verb", request.verb());
        }
        put(spec, "user", user.name());
        Json.putTexts(spec, "groups", user.groups());
        if (!user.extra().isEmpty()) {
            spec.set("extra", user.extraToJson());
        }
        put(spec, "uid", user.uid());
        return spec;
    }

    private static void put(ObjectNode to, String field, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            to.put(field, value);
        }
    }

    /** A service cannot be asked for all rights of a user. */
    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        return List.of();
    }
}
