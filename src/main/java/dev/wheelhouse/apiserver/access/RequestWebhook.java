package dev.wheelhouse.apiserver.access;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.cel.CelExpression.EvaluationException;

/**
 * Asks a service about requests by SubjectAccessReviews (upstream:
 * {@code apiserver/plugin/pkg/authorizer/webhook/webhook.go}). Thread safe.
 *
 * @param denies whether a request is denied if the service does not answer. If not, the next authorizer decides
 * @param conditions if one is false, the service is not asked
 */
record RequestWebhook(RemoteService service, Duration timeout, Duration keepAllowed,
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
        String key = spec.toString();
        JsonNode status = answers.get(key);
        if (status == null && problem.isEmpty()) {
            try {
                status = ask(spec);
                answers.put(key, status, status.path("allowed").asBoolean(false) ? keepAllowed : keepOthers);
            } catch (IOException e) {
                problem = String.valueOf(e.getMessage());
            }
        }
        if (status == null || !problem.isEmpty()) {
            return new AuthorizationDecision(false, denies, problem);
        }
        boolean denied = status.path("denied").asBoolean(false);
        return new AuthorizationDecision(status.path("allowed").asBoolean(false) && !denied, denied,
                Json.text(status, "reason"));
    }

    private JsonNode ask(ObjectNode spec) throws IOException {
        ObjectNode review = Json.object().put("kind", "SubjectAccessReview").put("apiVersion",
                "authorization.k8s.io/v1");
        review.putObject("metadata");
        ObjectNode sent = spec.deepCopy();
        for (JsonNode part : List.of(sent.path("resourceAttributes"), sent)) {
            if (part instanceof ObjectNode fields) {
                fields.removeIf(value -> value.isContainer() ? value.isEmpty() : value.asString().isEmpty());
            }
        }
        review.set("spec", sent);
        review.putObject("status").put("allowed", false);
        return service.post(Json.bytes(review), timeout).path("status");
    }

    /** Has the fields without a value, too, which conditions may name. */
    private static ObjectNode spec(User user, RequestInfo request) {
        ObjectNode spec = Json.object();
        if (request.isResource()) {
            ObjectNode about = spec.putObject("resourceAttributes").put("namespace", request.namespace())
                    .put("verb", request.verb()).put("group", request.group()).put("version", request.version())
                    .put("resource", request.resource()).put("subresource", request.subresource())
                    .put("name", request.name());
            request.fields().requirements().forEach(each -> about.withObject("fieldSelector").withArray("requirements")
                    .addObject().put("key", each.field()).put("operator", each.negated() ? "NotIn" : "In")
                    .putArray("values").add(each.value()));
        } else {
            spec.putObject("nonResourceAttributes").put("path", request.path()).put("verb", request.verb());
        }
        spec.put("user", user.name());
        return spec.setAll(Expression.value(user).without("username"));
    }
}
