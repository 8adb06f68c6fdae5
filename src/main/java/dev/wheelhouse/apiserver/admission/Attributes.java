package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.cel.CelExpression;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;

/**
 * A write that is to be admitted (upstream: {@code admission.Attributes}).
 *
 * @param operation {@code CREATE}, {@code UPDATE} or {@code DELETE}
 * @param object the new state; null for a deletion
 * @param old the present state; null for a creation
 * @param options the options of the request, without kind and apiVersion
 * @param warnings receives the warnings of policies and webhooks
 */
public record Attributes(Target target, String operation, @Nullable ObjectNode object, @Nullable ObjectNode old,
        User user, boolean dryRun, ObjectNode options, List<String> warnings) {
    private static final Map<String, String> OPTIONS = Map.of("CREATE", "CreateOptions", "UPDATE", "UpdateOptions",
            "DELETE", "DeleteOptions");

    ResourceType type() {
        return target.type();
    }

    Attributes withObject(@Nullable ObjectNode other, @Nullable ObjectNode otherOld) {
        return new Attributes(target, operation, other, otherOld, user, dryRun, options, warnings);
    }

    /**
     * The write as {@code AdmissionRequest}, without the objects.
     *
     * @param as the resource, in the version that the reader of the request wants
     */
    ObjectNode request(ResourceType as) {
        ObjectNode request = Json.object();
        request.set("kind", kind(as));
        request.set("resource", resource(as));
        request.put("subResource", target.subresource());
        request.set("requestKind", kind(type()));
        request.set("requestResource", resource(type()));
        request.put("requestSubResource", target.subresource());
        request.put("name", Meta.name(subject()));
        request.put("namespace", type().equals(ResourceType.NAMESPACES)
                ? Meta.name(subject())
                : target.namespace());
        request.put("operation", operation).put("dryRun", dryRun);
        request.set("userInfo", user.toJson());
        ObjectNode shown = request.putObject("options").put("kind", OPTIONS.get(operation))
                .put("apiVersion", "meta.k8s.io/v1");
        shown.setAll(options);
        return request;
    }

    private static ObjectNode kind(ResourceType type) {
        return Json.object().put("group", type.group()).put("version", type.version()).put("kind", type.kind());
    }

    private static ObjectNode resource(ResourceType type) {
        return Json.object().put("group", type.group()).put("version", type.version()).put("resource",
                type.plural());
    }

    /** The variables of expressions. */
    Map<String, Object> variables(ResourceType as, @Nullable ObjectNode namespace) {
        return Map.of("object", value(object), "oldObject", value(old), "namespaceObject", value(namespace), "request",
                CelExpression.value(request(as)));
    }

    private static Object value(@Nullable JsonNode json) {
        return CelExpression.value(json == null ? NullNode.getInstance() : json);
    }

    /** The new state of the object; for a deletion the present one. */
    ObjectNode subject() {
        ObjectNode subject = object != null ? object : old;
        return subject != null ? subject : Json.object();
    }
}
