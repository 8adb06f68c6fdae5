package dev.wheelhouse.operator.webhook;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;

/** Turns reviews into calls of methods, and the results of the methods into answers. Thread safe. */
final class AdmissionReviews {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private AdmissionReviews() {}

    /** Says that the body of a request is not the expected review. */
    static final class UnreadableException extends Exception {
        UnreadableException(String message) {
            super(message);
        }
    }

    private static ObjectNode request(byte[] body, String apiVersion, String kind) throws UnreadableException {
        JsonNode review;
        try {
            review = ModelJson.mapperForModels().readTree(body);
        } catch (JacksonException e) {
            throw new UnreadableException("the body is not JSON: " + e.getOriginalMessage());
        }
        if (!review.path("apiVersion").asString("").equals(apiVersion)
                || !review.path("kind").asString("").equals(kind)
                || !(review.get("request") instanceof ObjectNode request)) {
            throw new UnreadableException("the body is no " + kind + " of " + apiVersion + " with a request");
        }
        return request;
    }

    private static byte[] answer(String apiVersion, String kind, ObjectNode request, ObjectNode response) {
        ObjectNode review = NODES.objectNode().put("kind", kind).put("apiVersion", apiVersion);
        response.put("uid", text(request, "uid"));
        review.set("response", response);
        return ModelJson.writeBytes(review);
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asString("");
    }

    /**
     * Answers an {@code AdmissionReview} by a validating or mutating method.
     *
     * @throws RuntimeException the exception of the method, other than {@link Refused}
     */
    static byte[] admit(Hook hook, byte[] body) throws UnreadableException {
        ObjectNode request = request(body, "admission.k8s.io/v1", "AdmissionReview");
        return answer("admission.k8s.io/v1", "AdmissionReview", request, admit(hook, request));
    }

    private static ObjectNode admit(Hook hook, ObjectNode request) throws UnreadableException {
        JsonNode sent = request.path("object").isObject() ? request.path("object") : request.path("oldObject");
        if (!(sent instanceof ObjectNode original)) {
            throw new UnreadableException("the request has no object");
        }
        Object object;
        Object before = null;
        try {
            object = ModelJson.read(original, hook.from());
            if (request.path("oldObject").isObject()) {
                before = ModelJson.read(request.path("oldObject"), hook.from());
            }
        } catch (JacksonException e) {
            return refusal(List.of(new Verdict.Problem("", "the object cannot be read as "
                    + hook.from().getSimpleName() + ": " + e.getOriginalMessage())), List.of());
        }
        try {
            if (hook.kind() == Hook.Kind.VALIDATE) {
                Verdict verdict = (Verdict) hook.call(object, before, admission(request));
                if (verdict == null) {
                    throw new IllegalStateException(hook.method().getName() + " returned null: return Verdict.allow()");
                }
                return verdict.isAllowed()
                        ? allowed(verdict.warnings())
                        : refusal(verdict.problems(), verdict.warnings());
            }
            JsonNode seen = ModelJson.tree(object);
            Object wanted = hook.call(object, before, admission(request));
            ArrayNode patch = JsonDiff.patch(original, seen, ModelJson.tree(wanted == null ? object : wanted));
            ObjectNode response = allowed(List.of());
            if (!patch.isEmpty()) {
                response.put("patchType", "JSONPatch").put("patch",
                        Base64.getEncoder().encodeToString(ModelJson.writeBytes(patch)));
            }
            return response;
        } catch (Refused e) {
            return refusal(List.of(new Verdict.Problem("", String.valueOf(e.getMessage()))), List.of());
        }
    }

    private static Admission admission(ObjectNode request) {
        List<String> groups = request.path("userInfo").path("groups").valueStream().map(group -> group.asString(""))
                .toList();
        return new Admission(Operation.valueOf(text(request, "operation")), text(request, "namespace"),
                text(request, "name"), text(request.path("userInfo"), "username"), groups,
                request.path("dryRun").asBoolean(false));
    }

    private static ObjectNode allowed(List<String> warnings) {
        return warned(NODES.objectNode().put("allowed", true), warnings);
    }

    private static ObjectNode warned(ObjectNode response, List<String> warnings) {
        if (!warnings.isEmpty()) {
            warnings.forEach(response.putArray("warnings")::add);
        }
        return response;
    }

    /** If every problem names a field, the object is invalid (422); otherwise the write is forbidden (403). */
    private static ObjectNode refusal(List<Verdict.Problem> problems, List<String> warnings) {
        boolean invalid = problems.stream().noneMatch(problem -> problem.field().isEmpty());
        ObjectNode response = warned(NODES.objectNode().put("allowed", false), warnings);
        ObjectNode status = response.putObject("status").put("status", "Failure").put("code", invalid ? 422 : 403)
                .put("reason", invalid ? "Invalid" : "Forbidden")
                .put("message", problems.stream().map(Verdict.Problem::toString).collect(Collectors.joining("; ")));
        if (invalid) {
            ArrayNode causes = status.putObject("details").putArray("causes");
            problems.forEach(problem -> causes.addObject().put("reason", "FieldValueInvalid")
                    .put("message", problem.message()).put("field", problem.field()));
        }
        return response;
    }

    /**
     * Answers a {@code ConversionReview} by the conversions of one type.
     *
     * @throws RuntimeException the exception of a method, other than {@link Refused}
     */
    static byte[] convert(List<Hook> conversions, byte[] body) throws UnreadableException {
        ObjectNode request = request(body, "apiextensions.k8s.io/v1", "ConversionReview");
        ObjectNode response = NODES.objectNode();
        try {
            ArrayNode converted = NODES.arrayNode();
            for (JsonNode object : request.path("objects")) {
                if (object instanceof ObjectNode original) {
                    converted.add(convert(conversions, original, text(request, "desiredAPIVersion")));
                }
            }
            response.set("convertedObjects", converted);
            response.putObject("result").put("status", "Success");
        } catch (Refused e) {
            response.putArray("convertedObjects");
            response.putObject("result").put("status", "Failure").put("message", String.valueOf(e.getMessage()));
        }
        return answer("apiextensions.k8s.io/v1", "ConversionReview", request, response);
    }

    private static JsonNode convert(List<Hook> conversions, ObjectNode original, String apiVersion) {
        String from = text(original, "apiVersion");
        if (from.equals(apiVersion)) {
            return original;
        }
        List<Hook> steps = route(conversions, from, apiVersion);
        Object object;
        try {
            object = ModelJson.read(original, steps.getFirst().from());
        } catch (JacksonException e) {
            throw new Refused(text(original.path("metadata"), "name") + " cannot be read as "
                    + steps.getFirst().from().getSimpleName() + ": " + e.getOriginalMessage());
        }
        V1ObjectMeta read = ((KubernetesObject) object).getMetadata();
        for (Hook step : steps) {
            object = step.call(object, null, null);
            if (object == null) {
                throw new IllegalStateException(step.name() + " returned null");
            }
        }
        ObjectNode result = (ObjectNode) ModelJson.tree(object);
        ObjectNode metadata = original.path("metadata") instanceof ObjectNode given
                ? given.deepCopy()
                : NODES.objectNode();
        for (String field : List.of("labels", "annotations")) {
            JsonNode set = result.path("metadata").path(field);
            if (!set.isEmpty()) {
                metadata.set(field, set);
            } else if (read != null && ((KubernetesObject) object).getMetadata() == read) {
                metadata.remove(field);
            }
        }
        result.put("apiVersion", apiVersion).put("kind", text(original, "kind")).set("metadata", metadata);
        return result;
    }

    /** The shortest way from one version to another. @throws Refused if there is none */
    static List<Hook> route(List<Hook> conversions, String from, String to) {
        Map<String, List<Hook>> routes = new HashMap<>(Map.of(from, List.of()));
        Deque<String> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty()) {
            String at = open.remove();
            for (Hook hook : conversions) {
                String next = hook.result();
                if (hook.type().apiVersion().equals(at) && !routes.containsKey(next)) {
                    List<Hook> route = new ArrayList<>(routes.getOrDefault(at, List.of()));
                    route.add(hook);
                    routes.put(next, route);
                    open.add(next);
                }
            }
        }
        @Nullable
        List<Hook> found = routes.get(to);
        if (found == null) {
            throw new Refused("there is no @Converts method that leads from " + from + " to " + to);
        }
        return found;
    }
}
