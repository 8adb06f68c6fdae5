package dev.wheelhouse.apiserver.admission;

import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.apiserver.webhook.WebhookException;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The call of one webhook about one write.
 *
 * @param hook the webhook's entry in its configuration
 * @param as the resource in the version that the webhook wants
 * @param seen the write in that version
 * @param timeout of the call
 */
record WebhookCall(JsonNode hook, ResourceInfo as, Attributes seen, Duration timeout) {
    private static final Base64.Decoder BASE64 = Base64.getDecoder();

    /**
     * The answer of a webhook.
     *
     * @param patch the operations of a JSON patch; empty for none
     * @param audited annotations for the audit log, without the webhook's name in their keys
     * @param refusal null if the write is allowed
     */
    record Verdict(JsonNode patch, List<String> warnings, JsonNode audited, @Nullable StatusException refusal) {
        static final Verdict NONE = new Verdict(Json.array(), List.of(), Json.object(), null);
    }

    String name() {
        return Json.text(hook, "name");
    }

    /**
     * Sends the review.
     *
     * @param mutating whether the answer may have a patch
     * @throws WebhookException if there is no answer, or if upstream would not accept it
     */
    Verdict make(WebhookClient client, boolean mutating) throws WebhookException {
        String version = Json.texts(hook.path("admissionReviewVersions")).stream()
                .filter(one -> one.equals("v1") || one.equals("v1beta1")).findFirst().orElse("v1");
        String apiVersion = "admission.k8s.io/" + version;
        String uid = UUID.randomUUID().toString();
        ObjectNode review = Json.object().put("kind", "AdmissionReview").put("apiVersion", apiVersion);
        ObjectNode request = review.putObject("request").put("uid", uid);
        request.setAll(seen.request(as));
        for (String optional : List.of("subResource", "requestSubResource", "name", "namespace")) {
            if (Json.text(request, optional).isEmpty()) {
                request.remove(optional);
            }
        }
        request.set("object", seen.object());
        request.set("oldObject", seen.old());
        ObjectNode answer;
        try {
            answer = client.call(hook.path("clientConfig"), review, timeout);
        } catch (WebhookException e) {
            throw new WebhookException("failed to call webhook: " + e.getMessage());
        }
        try {
            return verdict(answer, apiVersion, uid, mutating);
        } catch (WebhookException e) {
            throw new WebhookException("received invalid webhook response: " + e.getMessage());
        }
    }

    private Verdict verdict(ObjectNode answer, String apiVersion, String uid, boolean mutating)
            throws WebhookException {
        if (!(answer.get("response") instanceof ObjectNode response)) {
            throw new WebhookException("webhook response was absent");
        }
        if (apiVersion.endsWith("v1")) {
            check(answer, response, uid, mutating);
        }
        List<String> warnings = response.path("warnings").valueStream().filter(JsonNode::isString)
                .map(JsonNode::stringValue).toList();
        JsonNode audited = response.path("auditAnnotations");
        if (!response.path("allowed").asBoolean(false)) {
            return new Verdict(Json.array(), warnings, audited, refusal(response.get("status")));
        }
        String patch = mutating ? Json.text(response, "patch") : "";
        return new Verdict(patch.isEmpty() ? Json.array() : patch(patch, response), warnings, audited, null);
    }

    private static void check(ObjectNode answer, ObjectNode response, String uid, boolean mutating)
            throws WebhookException {
        if (!Json.text(response, "uid").equals(uid)) {
            throw new WebhookException(
                    "expected response.uid=\"" + uid + "\", got \"" + Json.text(response, "uid") + "\"");
        }
        String apiVersion = Json.text(answer, "apiVersion");
        String kind = Json.text(answer, "kind");
        if (!apiVersion.equals("admission.k8s.io/v1") || !kind.equals("AdmissionReview")) {
            throw new WebhookException("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, "
                    + "got " + (apiVersion.isEmpty() ? "/" : apiVersion) + ", Kind=" + kind);
        }
        boolean patch = !Json.text(response, "patch").isEmpty();
        boolean type = Json.at(response, "patchType") != null;
        if (!mutating && (patch || type)) {
            throw new WebhookException("validating webhook may not return response." + (patch ? "patch" : "patchType"));
        }
        if (patch && !type) {
            throw new WebhookException("webhook returned response.patch but not response.patchType");
        }
        if (type && !patch) {
            throw new WebhookException("webhook returned response.patchType but not response.patch");
        }
    }

    private static JsonNode patch(String encoded, ObjectNode response) throws WebhookException {
        String type = Json.text(response, "patchType");
        if (!type.isEmpty() && !type.equals("JSONPatch")) {
            throw new WebhookException("unsupported patch type \"" + type + "\"");
        }
        JsonNode patch;
        try {
            patch = Json.read(BASE64.decode(encoded));
        } catch (IllegalArgumentException | JacksonException e) {
            throw new WebhookException("received undecodable patch in webhook response: " + e.getMessage());
        }
        if (!(patch instanceof ArrayNode operations)) {
            throw new WebhookException("received undecodable patch in webhook response: it is no JSON array");
        }
        return operations;
    }

    /** The Status that a refused client gets (upstream: {@code webhook/errors/statuserror.go}). */
    private StatusException refusal(@Nullable JsonNode told) {
        ObjectNode given = told instanceof ObjectNode object ? object : Json.object();
        try {
            FieldValidation.prune("v1", "Status", given);
        } catch (FieldValidation.WrongTypeException e) {
            given = Json.object();
        }
        long code = Json.number(given, 400, "code");
        String message = Json.text(given, "message");
        String reason = Json.text(given, "reason");
        String why = message.isEmpty() ? reason : message;
        ObjectNode details = given.get("details") instanceof ObjectNode object ? object : null;
        return Errors.of(Errors.status(code < 400 || code > 599 ? 400 : (int) code, reason,
                "admission webhook \"" + name() + "\" denied the request" + (why.isEmpty()
                        ? " without explanation"
                        : ": " + why),
                details));
    }
}
