package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * Matches writes with the {@code MatchResources} of a policy or binding, or with a webhook (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/matching}, {@code plugin/webhook/predicates}). The equivalents of a
 * resource are its other versions, and an Event's in the other group.
 */
record PolicyMatch(ObjectStore store, ResourceRegistry registry) {
    /** The resource of the write, in the version that the {@code MatchResources} name; null if they do not match. */
    @Nullable
    ResourceInfo matched(JsonNode resources, Attributes attributes) {
        boolean exact = Json.text(resources, "matchPolicy").equals("Exact");
        JsonNode rules = resources.path("resourceRules");
        if (!selects(resources, attributes)
                || covered(resources.path("excludeResourceRules"), exact, attributes) != null) {
            return null;
        }
        return rules.isEmpty() ? attributes.target().info() : covered(rules, exact, attributes);
    }

    /** Whether {@code objectSelector} and {@code namespaceSelector} select the object and its namespace. */
    boolean selects(JsonNode selectors, Attributes attributes) {
        return selectsObject(selectors.path("objectSelector"), attributes)
                && selectsNamespace(selectors.path("namespaceSelector"), attributes);
    }

    /**
     * The resource as rules name it: that of the request, or an equivalent one; null if no rule is for the write.
     *
     * @param exact whether equivalent resources do not count
     */
    @Nullable
    ResourceInfo covered(JsonNode rules, boolean exact, Attributes attributes) {
        ResourceInfo asked = attributes.target().info();
        if (rules.valueStream().anyMatch(rule -> covers(rule, asked.type(), attributes))) {
            return asked;
        }
        if (exact || rules.isEmpty()) {
            return null;
        }
        List<ResourceInfo> equivalents = registry.all().stream()
                .filter(other -> other.type().plural().equals(asked.type().plural())
                        && Target.stored(other.type()).equals(attributes.target().stored()))
                .toList();
        return rules.valueStream().flatMap(rule -> equivalents.stream()
                .filter(other -> covers(rule, other.type(), attributes))).findFirst().orElse(null);
    }

    /** @param type the resource of the write, or an equivalent one */
    private static boolean covers(JsonNode rule, ResourceType type, Attributes attributes) {
        String scope = Json.text(rule, "scope");
        String subresource = attributes.target().subresource();
        boolean scoped = scope.isEmpty() || scope.equals("*") || scope.equals("Namespaced") == type.namespaced();
        boolean named = rule.path("resourceNames").isEmpty()
                || lists(rule.path("resourceNames"), Meta.name(attributes.subject()));
        return scoped && named && lists(rule.path("operations"), "*", attributes.operation())
                && lists(rule.path("apiGroups"), "*", type.group())
                && lists(rule.path("apiVersions"), "*", type.version())
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
        if (attributes.operation().equals("CONNECT")) {
            // The options of a connection have no labels, and upstream takes them for no object.
            return false;
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
