package dev.wheelhouse.apiserver.error;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;

/** Failures in upstream's words (upstream: {@code apimachinery/pkg/api/errors}). */
public final class Errors {
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final String MEDIA = "application/json, application/yaml, " + PROTOBUF;

    private Errors() {}

    public static ObjectNode status(int code, String reason, String message, @Nullable ObjectNode details) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Failure").put("message", message);
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        if (details != null) {
            status.set("details", details);
        }
        return status.put("code", code);
    }

    private static ApiException error(int code, String reason, String message, @Nullable ObjectNode details) {
        return new ApiException(status(code, reason, message, details));
    }

    private static ObjectNode details(String name, String group, String kind) {
        ObjectNode details = Json.object();
        if (!name.isEmpty()) {
            details.put("name", name);
        }
        if (!group.isEmpty()) {
            details.put("group", group);
        }
        return kind.isEmpty() ? details : details.put("kind", kind);
    }

    private static ObjectNode details(ResourceType type, String name) {
        return details(name, type.group(), type.plural());
    }

    public static ApiException notFound(ResourceType type, String name) {
        return error(404, "NotFound", type.groupResource() + " \"" + name + "\" not found", details(type, name));
    }

    public static ApiException subresourceNotFound(ResourceType type, String subresource, String name) {
        String kind = type.plural() + "/" + subresource;
        return error(404, "NotFound",
                kind + (type.group().isEmpty() ? "" : "." + type.group()) + " \"" + name + "\" not found",
                details(name, type.group(), kind));
    }

    /** Upstream: {@code apiserver/pkg/server/filters/timeout.go}. */
    public static ApiException timeout() {
        return error(504, "Timeout", "Timeout: request did not complete within the allotted timeout", Json.object());
    }

    public static ApiException noSuchResource() {
        return error(404, "NotFound", "the server could not find the requested resource", Json.object());
    }

    public static ApiException methodNotAllowed() {
        return error(405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
                Json.object());
    }

    public static ApiException alreadyExists(ResourceType type, String name, boolean deleting) {
        return error(409, "AlreadyExists", (deleting ? "object is being deleted: " : "") + type.groupResource() + " \""
                + name + "\" already exists", details(type, name));
    }

    public static ApiException generateNameConflict(ResourceType type, String name) {
        return error(409, "AlreadyExists", "the server was not able to generate a unique name for the object: "
                + type.groupResource() + " \"" + name + "\" already exists", details(type, name));
    }

    public static ApiException conflict(ResourceType type, String name, String why) {
        return error(409, "Conflict",
                "Operation cannot be fulfilled on " + type.groupResource() + " \"" + name + "\": " + why,
                details(type, name));
    }

    public static ApiException modified(ResourceType type, String name) {
        return conflict(type, name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    /** A precondition of a deletion failed; upstream names the kind here, not the resource. */
    public static ApiException precondition(ResourceType type, String name, String why) {
        return error(409, "Conflict", "Operation cannot be fulfilled on " + qualifiedKind(type) + " \"" + name + "\": "
                + why, details(name, type.group(), type.kind()));
    }

    public static ApiException conflicts(List<Cause> causes, String message) {
        ObjectNode details = Json.object();
        details.set("causes", causes(causes));
        return error(409, "Conflict", message, details);
    }

    public static ApiException badRequest(String message) {
        return error(400, "BadRequest", message, null);
    }

    public static ApiException foreignNamespace() {
        return badRequest("the namespace of the provided object does not match the namespace sent on the request");
    }

    public static ApiException forbidden(ResourceType type, String name, String why, List<Cause> causes) {
        ObjectNode details = details(type, name);
        if (!causes.isEmpty()) {
            details.set("causes", causes(causes));
        }
        return error(403, "Forbidden", type.groupResource() + " \"" + name + "\" is forbidden: " + why, details);
    }

    /** A policy's refusal. @param reason of {@code Unauthorized}, {@code Forbidden}, {@code RequestEntityTooLarge}; else it is invalid */
    public static ApiException denied(ResourceType type, String name, String why, String reason) {
        ObjectNode details = details(type, name);
        details.putArray("causes").addObject().put("message", why);
        int code = switch (reason) {
            case "Unauthorized" -> 401;
            case "Forbidden" -> 403;
            case "RequestEntityTooLarge" -> 413;
            default -> 422;
        };
        return error(code, code == 422 ? "Invalid" : reason,
                type.groupResource() + " \"" + name + "\" is forbidden: " + why, details);
    }

    public static ApiException unauthorized() {
        return error(401, "Unauthorized", "Unauthorized", null);
    }

    /** In upstream's words ({@code handlers/responsewriters/errors.go}). @param reason why, or empty */
    public static ApiException forbidden(RequestInfo request, User user, String reason) {
        String why = "User \"" + user.name() + "\" cannot " + request.describe()
                + (reason.isEmpty() ? "" : ": " + reason);
        if (!request.isResource()) {
            return error(403, "Forbidden", "forbidden: " + why, Json.object());
        }
        String resource = request.resource() + (request.group().isEmpty() ? "" : "." + request.group());
        return error(403, "Forbidden", resource + (request.name().isEmpty() ? "" : " \"" + request.name() + "\"")
                + " is forbidden: " + why, details(request.name(), request.group(), request.resource()));
    }

    static String qualifiedKind(ResourceType type) {
        return type.group().isEmpty() ? type.kind() : type.kind() + "." + type.group();
    }

    public static ApiException invalid(ResourceType type, String name, List<Cause> causes) {
        return invalid(type.group(), type.kind(), name, causes);
    }

    public static ApiException invalid(String group, String kind, String name, List<Cause> causes) {
        ObjectNode details = details(name, group, kind);
        details.set("causes", causes(causes));
        Set<String> parts = new LinkedHashSet<>();
        causes.forEach(cause -> parts.add(cause.toString()));
        String all = parts.size() == 1 ? parts.iterator().next() : "[" + String.join(", ", parts) + "]";
        return error(422, "Invalid",
                (group.isEmpty() ? kind : kind + "." + group) + " \"" + name + "\" is invalid: " + all, details);
    }

    /** An update without a version, of a type whose updates need one; upstream names the resource here, not the kind. */
    public static ApiException unconditional(ResourceType type, String name) {
        return invalid(type.group(), type.plural(), name, one("metadata.resourceVersion", "FieldValueInvalid",
                "Invalid value: 0: must be specified for an update"));
    }

    private static ArrayNode causes(List<Cause> causes) {
        ArrayNode out = Json.array();
        for (Cause cause : causes) {
            ObjectNode node = out.addObject();
            node.put("reason", cause.reason()).put("message", cause.message());
            if (!cause.field().isEmpty()) {
                node.put("field", cause.field());
            }
        }
        return out;
    }

    public static ApiException unsupportedMediaType(String message) {
        return error(415, "UnsupportedMediaType", message, null);
    }

    public static ApiException unsupportedPatch() {
        return error(415, "UnsupportedMediaType", "415: Unsupported Media Type", Json.object());
    }

    /** An Accept header without any media type of the path. @param watchable whether the path can be watched */
    public static ApiException unroutableAccept(boolean watchable) {
        return error(406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: " + MEDIA
                + (watchable ? ", application/json;stream=watch, " + PROTOBUF + ";stream=watch" : ""),
                Json.object());
    }

    /** An Accept header that asks of a media type what it has not. */
    public static ApiException notAcceptable() {
        return notAcceptable("only the following media types are accepted: " + MEDIA);
    }

    public static ApiException notAcceptable(String message) {
        return error(406, "NotAcceptable", message, null);
    }

    public static ApiException tooLarge(long limit) {
        return error(413, "RequestEntityTooLarge", "Request entity too large: limit is " + limit, null);
    }

    /** The server has enough memory for a request, but not at the moment. */
    public static ApiException tooManyRequests() {
        return tooManyRequests("Too many requests, please try again later.", "", 1);
    }

    public static ApiException answerTooLarge(long bytes) {
        return error(413, "RequestEntityTooLarge", "the answer would take some " + bytes / 1_000_000
                + " MB of memory, more than there is for it: ask for a part of it with limit=500, or for JSON", null);
    }

    public static ApiException tooManyRequests(String message, String cause, int retryAfter) {
        ObjectNode details = Json.object();
        if (!cause.isEmpty()) {
            details.set("causes", causes(List.of(new Cause("", "DisruptionBudget", cause))));
        }
        if (retryAfter > 0) {
            details.put("retryAfterSeconds", retryAfter);
        }
        return error(429, "TooManyRequests", message, details);
    }

    public static ApiException expired(String message, @Nullable String continueToken) {
        ObjectNode status = status(410, "Expired", message, null);
        if (continueToken != null) {
            Json.child(status, "metadata").put("continue", continueToken);
        }
        return new ApiException(status);
    }

    public static ApiException tooLargeVersion(long asked, long current) {
        ObjectNode details = Json.object();
        details.set("causes", causes(List.of(new Cause("", "ResourceVersionTooLarge", "Too large resource version"))));
        details.put("retryAfterSeconds", 1);
        return error(504, "Timeout", "Timeout: Too large resource version: " + asked + ", current: " + current,
                details);
    }

    public static ApiException shuttingDown() {
        return error(503, "ServiceUnavailable", "the API server is shutting down", null);
    }

    /** The storage takes no writes for now. */
    public static ApiException writesRefused(String message) {
        ObjectNode details = Json.object().put("retryAfterSeconds", 1);
        return error(503, "ServiceUnavailable", message, details);
    }

    public static ApiException internal(String message) {
        return error(500, "", message, null);
    }

    /** A failure of a patch, by code. */
    public static ApiException patch(int code, String message) {
        return switch (code) {
            case 400 -> badRequest(message);
            case 422 -> error(422, "Invalid", message, Json.object());
            default -> error(code, "", message, null);
        };
    }

    public static ObjectNode success(ResourceType type, String name, String uid) {
        ObjectNode status = success();
        ObjectNode details = details(type, name);
        details.put("uid", uid);
        status.set("details", details);
        return status;
    }

    public static ObjectNode success() {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return status.put("status", "Success");
    }

    public static List<Cause> one(String field, String reason, String message) {
        return new ArrayList<>(List.of(new Cause(field, reason, message)));
    }
}
