package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.cel.AuthorizerFunctions;
import dev.wheelhouse.cel.AuthorizerFunctions.Answer;
import dev.wheelhouse.cel.AuthorizerFunctions.Question;
import dev.wheelhouse.cel.CelExpression;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * A write or a connection that is to be admitted (upstream: {@code admission.Attributes}).
 *
 * @param operation {@code CREATE}, {@code UPDATE}, {@code DELETE} or {@code CONNECT}
 * @param object the new state, or what is sent to a subresource, such as a Scale; null for a deletion
 * @param old the present state; null for a creation and a connection
 * @param options the options of the request, without kind and apiVersion
 * @param warnings receives the warnings of policies and webhooks
 */
public record Attributes(Target target, String operation, @Nullable ObjectNode object, @Nullable ObjectNode old,
        User user, boolean dryRun, ObjectNode options, List<String> warnings) {
    private static final Map<String, String> OPTIONS = Map.of("CREATE", "CreateOptions", "UPDATE", "UpdateOptions",
            "DELETE", "DeleteOptions");

    /** @param old null for a creation */
    public static Attributes of(Target target, ObjectNode object, @Nullable ObjectNode old, WriteContext context) {
        return new Attributes(target, old == null ? "CREATE" : "UPDATE", object, old, context.user(), context.dryRun(),
                context.options(), context.warnings());
    }

    ResourceType type() {
        return target.type();
    }

    /** The kind of the objects, if the resource is in that version. */
    ResourceInfo body(ResourceInfo as) {
        return as.bodyOf(target.subresource());
    }

    Attributes withObject(@Nullable ObjectNode other, @Nullable ObjectNode otherOld) {
        return new Attributes(target, operation, other, otherOld, user, dryRun, options, warnings);
    }

    /**
     * The write as {@code AdmissionRequest}, without the objects.
     *
     * @param as the resource, in the version that the reader of the request wants
     */
    ObjectNode request(ResourceInfo as) {
        ObjectNode request = Json.object();
        request.set("kind", kind(body(as).type()));
        request.set("resource", resource(as.type()));
        put(request, "subResource", target.subresource());
        request.set("requestKind", kind(body(target.info()).type()));
        request.set("requestResource", resource(type()));
        put(request, "requestSubResource", target.subresource());
        put(request, "name", objectName());
        put(request, "namespace", type().equals(ResourceType.NAMESPACES) ? objectName() : target.namespace());
        request.put("operation", operation).put("dryRun", dryRun);
        request.set("userInfo", user.toJson());
        String kind = OPTIONS.get(operation);
        if (kind == null) {
            request.putNull("options");
        } else {
            request.putObject("options").put("kind", kind).put("apiVersion", "meta.k8s.io/v1").setAll(options);
        }
        return request;
    }

    /** The name in the path; for a new object its own. The deletion of a collection has none. */
    private String objectName() {
        return operation.equals("DELETE") || !target.name().isEmpty() ? target.name() : Meta.name(subject());
    }

    /** Puts a field that upstream leaves out if it is empty. */
    private static void put(ObjectNode request, String field, String value) {
        if (!value.isEmpty()) {
            request.put(field, value);
        }
    }

    private static ObjectNode kind(ResourceType type) {
        return Json.object().put("group", type.group()).put("version", type.version()).put("kind", type.kind());
    }

    private static ObjectNode resource(ResourceType type) {
        return Json.object().put("group", type.group()).put("version", type.version()).put("resource", type.plural());
    }

    /**
     * The variables of expressions.
     *
     * @param namespace of the object; null for none
     * @param authorizer answers what expressions ask about rights
     */
    Map<String, Object> variables(ResourceInfo as, @Nullable ObjectNode namespace, Authorizer authorizer) {
        Function<Question, Answer> rights = question -> answer(question, authorizer);
        return Map.of("object", value(object), "oldObject", value(old), "namespaceObject", value(namespace), "request",
                CelExpression.value(request(as)), "authorizer", AuthorizerFunctions.authorizer(rights),
                "authorizer.requestResource", AuthorizerFunctions.requestResource(rights, Question.of(type().group(),
                        type().plural(), target.subresource(), target.namespace(), objectName())));
    }

    private Answer answer(Question question, Authorizer authorizer) {
        User asked = question.account().isEmpty()
                ? user
                : User.serviceAccount(question.accountNamespace(), question.account());
        AuthorizationDecision decision = authorizer.authorize(asked, question.path().isEmpty()
                ? RequestInfo.ofResource(question.verb(), question.group(), question.resource(),
                        question.subresource(), question.namespace(), question.name())
                : RequestInfo.ofPath(question.verb(), question.path()));
        return new Answer(decision.allowed(), decision.reason());
    }

    private static Object value(@Nullable JsonNode json) {
        return CelExpression.value(json == null ? NullNode.getInstance() : json);
    }

    /** The name for error messages, which may be the base of the generated one. */
    String name() {
        String name = objectName();
        return name.isEmpty() ? Json.text(subject(), "metadata", "generateName") : name;
    }

    /** The new state of the object; for a deletion the present one. */
    ObjectNode subject() {
        ObjectNode subject = object != null ? object : old;
        return subject != null ? subject : Json.object();
    }
}
