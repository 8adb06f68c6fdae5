package dev.wheelhouse.apiserver.error;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;

/**
 * Creates failures in upstream's words. Most methods correspond to a constructor of the same name in upstream's
 * {@code apimachinery/pkg/api/errors}.
 */
public final class Errors {
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final String MEDIA = "application/json, application/yaml, " + PROTOBUF;

    private Errors() {}

    /**
     * A {@code Status} of failure.
     *
     * @param reason left out if empty
     * @param details left out if null
     */
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

    private static StatusException error(int code, String reason, String message, @Nullable ObjectNode details) {
        return new StatusException(status(code, reason, message, details));
    }

    /** The failure that a Status tells. */
    public static StatusException of(ObjectNode status) {
        return new StatusException(status);
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

    public static StatusException notFound(ResourceType type, String name) {
        return error(404, "NotFound", type.groupResource() + " \"" + name + "\" not found", details(type, name));
    }

    public static StatusException subresourceNotFound(ResourceType type, String subresource, String name) {
        String kind = type.plural() + "/" + subresource;
        return error(404, "NotFound",
                kind + (type.group().isEmpty() ? "" : "." + type.group()) + " \"" + name + "\" not found",
                details(name, type.group(), kind));
    }

    /** 504 at the deadline of a request (upstream: {@code apiserver/pkg/server/filters/timeout.go}). */
    public static StatusException timeout() {
        return error(504, "Timeout", "Timeout: request did not complete within the allotted timeout", Json.object());
    }

    /** 404 for a path that names no resource. */
    public static StatusException noSuchResource() {
        return error(404, "NotFound", "the server could not find the requested resource", Json.object());
    }

    /** 405 for a method that the resource does not support. */
    public static StatusException methodNotAllowed() {
        return error(405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
                Json.object());
    }

    /**
     * 409 for a name in use.
     *
     * @param deleting whether the present object is being deleted
     */
    public static StatusException alreadyExists(ResourceType type, String name, boolean deleting) {
        return error(409, "AlreadyExists", (deleting ? "object is being deleted: " : "") + type.groupResource() + " \""
                + name + "\" already exists", details(type, name));
    }

    public static StatusException generateNameConflict(ResourceType type, String name) {
        return error(409, "AlreadyExists", "the server was not able to generate a unique name for the object: "
                + type.groupResource() + " \"" + name + "\" already exists", details(type, name));
    }

    /** 409 for a write that does not fit the present object. */
    public static StatusException conflict(ResourceType type, String name, String why) {
        return error(409, "Conflict",
                "Operation cannot be fulfilled on " + type.groupResource() + " \"" + name + "\": " + why,
                details(type, name));
    }

    /** 409 for a resourceVersion that is not the present one. */
    public static StatusException modified(ResourceType type, String name) {
        return conflict(type, name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    /** 409 for a failed precondition of a deletion. Upstream names the kind here, not the resource. */
    public static StatusException precondition(ResourceType type, String name, String why) {
        return error(409, "Conflict", "Operation cannot be fulfilled on " + qualifiedKind(type) + " \"" + name + "\": "
                + why, details(name, type.group(), type.kind()));
    }

    /** 409 for an apply that would change fields of other managers. */
    public static StatusException conflicts(List<StatusCause> causes, String message) {
        return error(409, "Conflict", message, Json.object().set("causes", causes(causes)));
    }

    public static StatusException badRequest(String message) {
        return error(400, "BadRequest", message, null);
    }

    /** 400 for an object whose namespace is not that of the URL. */
    public static StatusException foreignNamespace() {
        return badRequest("the namespace of the provided object does not match the namespace sent on the request");
    }

    /** 403 by a rule of admission. */
    public static StatusException forbidden(ResourceType type, String name, String why) {
        return forbidden(type, name, why, List.of());
    }

    /** The same, of an object that has no name if one is to be generated: then its base is shown. */
    public static StatusException forbidden(ResourceType type, ObjectNode object, String why) {
        return forbidden(type, Meta.nameOrBase(object), why);
    }

    public static StatusException forbidden(ResourceType type, String name, String why, List<StatusCause> causes) {
        ObjectNode details = details(type, name);
        if (!causes.isEmpty()) {
            details.set("causes", causes(causes));
        }
        return error(403, "Forbidden", type.groupResource() + " \"" + name + "\" is forbidden: " + why, details);
    }

    /**
     * The refusal of an admission policy.
     *
     * @param reason {@code Unauthorized}, {@code Forbidden} or {@code RequestEntityTooLarge}; else the code is 422
     */
    public static StatusException denied(ResourceType type, String name, String why, String reason) {
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

    /**
     * The refusal of mutating policies that cannot be applied.
     *
     * @param messages one for each policy; not empty
     */
    public static StatusException deniedByPolicies(ResourceType type, String name, String reason,
            List<String> messages) {
        ObjectNode details = details(type, name);
        ArrayNode causes = details.putArray("causes");
        messages.forEach(message -> causes.addObject().put("message", message));
        return error(403, reason, messages.getFirst(), details);
    }

    public static StatusException unauthorized() {
        return error(401, "Unauthorized", "Unauthorized", null);
    }

    /**
     * 403 by authorization (upstream: {@code handlers/responsewriters/errors.go}).
     *
     * @param reason why, or empty
     */
    public static StatusException forbidden(RequestInfo request, User user, String reason) {
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

    /** 422 for an object that breaks rules. Events have the kind of the core in both groups, as upstream. */
    public static StatusException invalid(ResourceType type, String name, List<StatusCause> causes) {
        return invalid(type.group().equals("events.k8s.io") ? "" : type.group(), type.kind(), name, causes);
    }

    /** @throws StatusException 422 for the object of that kind and name, if it has problems */
    public static void refuse(Problems problems, String group, String kind, String name) {
        if (!problems.isEmpty()) {
            throw invalid(group, kind, name, problems.causes());
        }
    }

    public static StatusException invalid(String group, String kind, String name, List<StatusCause> causes) {
        ObjectNode details = details(name, group, kind);
        details.set("causes", causes(causes));
        return error(422, "Invalid", (group.isEmpty() ? kind : kind + "." + group) + " \"" + name + "\" is invalid: "
                + all(causes.stream().map(StatusCause::toString).distinct().toList()), details);
    }

    /** Problems as upstream joins them: several are in brackets. */
    public static String all(List<String> problems) {
        return problems.size() == 1 ? problems.getFirst() : "[" + String.join(", ", problems) + "]";
    }

    /**
     * 422 for an update without resourceVersion, if the type requires one. Upstream names the resource here, not the
     * kind.
     */
    public static StatusException unconditional(ResourceType type, String name) {
        return invalid(type.group(), type.plural(), name, one("metadata.resourceVersion", "FieldValueInvalid",
                "Invalid value: 0: must be specified for an update"));
    }

    private static ArrayNode causes(List<StatusCause> causes) {
        ArrayNode out = Json.array();
        for (StatusCause cause : causes) {
            ObjectNode node = out.addObject();
            node.put("reason", cause.reason()).put("message", cause.message());
            if (!cause.field().isEmpty()) {
                node.put("field", cause.field());
            }
        }
        return out;
    }

    public static StatusException unsupportedMediaType(String message) {
        return error(415, "UnsupportedMediaType", message, null);
    }

    /** 415 for a media type in which objects of the type cannot be patched. */
    public static StatusException unsupportedPatch() {
        return error(415, "UnsupportedMediaType", "415: Unsupported Media Type", Json.object());
    }

    /**
     * 406 for an Accept header that names no media type of the path.
     *
     * @param watchable whether the path can be watched
     */
    public static StatusException unroutableAccept(boolean watchable) {
        return error(406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: " + MEDIA
                + (watchable ? ", application/json;stream=watch, " + PROTOBUF + ";stream=watch" : ""),
                Json.object());
    }

    /** 406 for an Accept header whose media types cannot be served with the given parameters. */
    public static StatusException notAcceptable() {
        return notAcceptable("only the following media types are accepted: " + MEDIA);
    }

    public static StatusException notAcceptable(String message) {
        return error(406, "NotAcceptable", message, null);
    }

    /** 413 for a body above the limit, in bytes. */
    public static StatusException tooLarge(long limit) {
        return error(413, "RequestEntityTooLarge", "Request entity too large: limit is " + limit, null);
    }

    /** 429 while other requests use the memory that this one needs. */
    public static StatusException tooManyRequests() {
        return tooManyRequests("Too many requests, please try again later.", "", 1);
    }

    /** 413 for an answer that needs more memory than any request may take, in bytes. */
    public static StatusException answerTooLarge(long bytes) {
        return error(413, "RequestEntityTooLarge", "the answer would take about " + bytes / 1_000_000
                + " MB of memory, more than a request may use: ask for pages with limit=500, or for JSON", null);
    }

    /**
     * 429 for an eviction.
     *
     * @param cause detail about the disruption budget, or empty
     * @param retryAfter seconds; 0 for none
     */
    public static StatusException tooManyRequests(String message, String cause, int retryAfter) {
        ObjectNode details = Json.object();
        if (!cause.isEmpty()) {
            details.set("causes", causes(List.of(new StatusCause("", "DisruptionBudget", cause))));
        }
        if (retryAfter > 0) {
            details.put("retryAfterSeconds", retryAfter);
        }
        return error(429, "TooManyRequests", message, details);
    }

    /**
     * 410 for a version that the store no longer has.
     *
     * @param continueToken to continue a list at the present version, or null
     */
    public static StatusException expired(String message, @Nullable String continueToken) {
        ObjectNode status = status(410, "Expired", message, null);
        if (continueToken != null) {
            Json.child(status, "metadata").put("continue", continueToken);
        }
        return new StatusException(status);
    }

    /** 504 for a resourceVersion that the store has not reached. */
    public static StatusException tooLargeVersion(long asked, long current) {
        ObjectNode details = Json.object();
        details.set("causes",
                causes(List.of(new StatusCause("", "ResourceVersionTooLarge", "Too large resource version"))));
        details.put("retryAfterSeconds", 1);
        return error(504, "Timeout", "Timeout: Too large resource version: " + asked + ", current: " + current,
                details);
    }

    /** 503 while the server closes. */
    public static StatusException shuttingDown() {
        return error(503, "ServiceUnavailable", "the API server is shutting down", null);
    }

    /** 503 while the storage refuses writes. */
    public static StatusException writesRefused(String message) {
        ObjectNode details = Json.object().put("retryAfterSeconds", 1);
        return error(503, "ServiceUnavailable", message, details);
    }

    /** 500 with the message of an error that upstream does not convert to a Status. */
    public static StatusException internal(String message) {
        return error(500, "", message, null);
    }

    /** 503 for a request that leads to something that is not there at present. */
    public static StatusException unavailable(String message) {
        return error(503, "ServiceUnavailable", message, null);
    }

    /** 500 for a failure on the server's side, such as that of a webhook (upstream: {@code NewInternalError}). */
    public static StatusException internalError(String message) {
        ObjectNode details = Json.object();
        details.putArray("causes").addObject().put("message", message);
        return error(500, "InternalError", "Internal error occurred: " + message, details);
    }

    /** A patch that failed with the HTTP status {@code code}. */
    public static StatusException patch(int code, String message) {
        return switch (code) {
            case 400 -> badRequest(message);
            case 413 -> error(413, "RequestEntityTooLarge", message, null);
            case 422 -> error(422, "Invalid", message, Json.object());
            default -> error(code, "", message, null);
        };
    }

    /** The {@code Status} that answers the deletion of an object. */
    public static ObjectNode success(ResourceType type, String name, String uid) {
        ObjectNode status = success();
        ObjectNode details = details(type, name);
        if (!uid.isEmpty()) {
            details.put("uid", uid);
        }
        status.set("details", details);
        return status;
    }

    /** A {@code Status} of success without details. */
    public static ObjectNode success() {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return status.put("status", "Success");
    }

    /** A mutable list of one cause. */
    public static List<StatusCause> one(String field, String reason, String message) {
        return new ArrayList<>(List.of(new StatusCause(field, reason, message)));
    }
}
