package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Selectors;

/**
 * Matches writes with the {@code MatchResources} of a policy or binding, or with a webhook (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/matching}, {@code plugin/webhook/predicates}). The equivalents of a
 * resource are its other versions.
 */
final class PolicyMatch {
    private final ObjectStore store;

    PolicyMatch(ObjectStore store) {
        this.store = store;
    }

    boolean matches(JsonNode resources, Attributes attributes) {
        boolean exact = Json.text(resources, "matchPolicy").equals("Exact");
        return any(resources.path("resourceRules"), true, exact, attributes)
                && !any(resources.path("excludeResourceRules"), false, exact, attributes)
                && selects(resources, attributes);
    }

    /** Whether {@code objectSelector} and {@code namespaceSelector} select the object and its namespace. */
    boolean selects(JsonNode selectors, Attributes attributes) {
        return selectsObject(selectors.path("objectSelector"), attributes)
                && selectsNamespace(selectors.path("namespaceSelector"), attributes);
    }

    private static boolean any(JsonNode rules, boolean ifNone, boolean exact, Attributes attributes) {
        return rules.isEmpty()
                ? ifNone
                : rules.valueStream()
                        .anyMatch(rule -> covers(rule, attributes.type(), exact, attributes));
    }

    /**
     * Whether a rule is for the write.
     *
     * @param type the resource of the write, or an equivalent one
     * @param exact whether the version counts
     */
    static boolean covers(JsonNode rule, ResourceType type, boolean exact, Attributes attributes) {
        String scope = Json.text(rule, "scope");
        String subresource = attributes.target().subresource();
        boolean scoped = scope.isEmpty() || scope.equals("*") || scope.equals("Namespaced") == type.namespaced();
        boolean named = rule.path("resourceNames").isEmpty()
                || lists(rule.path("resourceNames"), Meta.name(attributes.subject()));
        return scoped && named && lists(rule.path("operations"), "*", attributes.operation())
                && lists(rule.path("apiGroups"), "*", type.group())
                && (!exact || lists(rule.path("apiVersions"), "*", type.version()))
                && (subresource.isEmpty()
                        ? lists(rule.path("resources"), "*", "*/*", type.plural(), type.plural() + "/*")
                        : lists(rule.path("resources"), "*/*", "*/" + subresource, type.plural() + "/*",
                                type.plural() + "/" + subresource));
    }

    private static boolean lists(JsonNode list, String... any) {
        return list.valueStream().anyMatch(value -> List.of(any).contains(value.asString("")));
    }

    private static boolean selectsObject(JsonNode selector, Attributes attributes) {
        if (Selectors.isEmpty(selector)) {
            return true;
        }
        ObjectNode object = attributes.object();
        ObjectNode old = attributes.old();
        return object != null && Selectors.matches(selector, object.path("metadata").path("labels"))
                || old != null && Selectors.matches(selector, old.path("metadata").path("labels"));
    }

    private boolean selectsNamespace(JsonNode selector, Attributes attributes) {
        if (Selectors.isEmpty(selector)) {
            return true;
        }
        if (attributes.type().equals(ResourceType.NAMESPACES)) {
            return Selectors.matches(selector, attributes.subject().path("metadata").path("labels"));
        }
        ObjectNode namespace = namespace(attributes);
        return namespace == null || Selectors.matches(selector, namespace.path("metadata").path("labels"));
    }

    /** The namespace of the object; null for a cluster-scoped object. */
    @Nullable
    ObjectNode namespace(Attributes attributes) {
        if (!attributes.type().namespaced()) {
            return null;
        }
        StoredObject found = store.get("namespaces", "", attributes.target().namespace());
        return found == null ? null : found.tree();
    }
}
