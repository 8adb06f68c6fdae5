package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Selectors;

/**
 * Which writes a policy is about: its {@code MatchResources} (upstream: {@code apiserver/pkg/admission/plugin/policy/matching}). What is equivalent
 * to a resource that is named is taken to be its other versions.
 */
public final class PolicyMatch {
    private final ObjectStore store;

    PolicyMatch(ObjectStore store) {
        this.store = store;
    }

    /**
     * A write that is about to happen.
     *
     * @param operation {@code CREATE}, {@code UPDATE} or {@code DELETE}
     * @param object null for a deletion
     * @param old null for a creation
     * @param warnings gets what those policies say that only warn
     */
    public record Change(Target target, String operation, @Nullable ObjectNode object, @Nullable ObjectNode old,
            User user,
            boolean dryRun, List<String> warnings) {
        ResourceType type() {
            return target.type();
        }

        /** The object itself, or what it was. */
        ObjectNode subject() {
            ObjectNode subject = object != null ? object : old;
            return subject != null ? subject : Json.object();
        }
    }

    boolean matches(JsonNode resources, Change change) {
        boolean exact = Json.text(resources, "matchPolicy").equals("Exact");
        return any(resources.path("resourceRules"), true, exact, change)
                && !any(resources.path("excludeResourceRules"), false, exact, change)
                && selects(resources.path("objectSelector"), change)
                && selectsNamespace(resources.path("namespaceSelector"), change);
    }

    private static boolean any(JsonNode rules, boolean ifNone, boolean exact, Change change) {
        if (rules.isEmpty()) {
            return ifNone;
        }
        for (JsonNode rule : rules) {
            if (covers(rule, exact, change)) {
                return true;
            }
        }
        return false;
    }

    private static boolean covers(JsonNode rule, boolean exact, Change change) {
        ResourceType type = change.type();
        String scope = Json.text(rule, "scope");
        String subresource = change.target().subresource();
        boolean scoped = scope.isEmpty() || scope.equals("*") || scope.equals("Namespaced") == type.namespaced();
        boolean named = rule.path("resourceNames").isEmpty()
                || lists(rule.path("resourceNames"), Meta.name(change.subject()));
        return scoped && named && lists(rule.path("operations"), "*", change.operation())
                && lists(rule.path("apiGroups"), "*", type.group())
                && (!exact || lists(rule.path("apiVersions"), "*", type.version()))
                && (subresource.isEmpty()
                        ? lists(rule.path("resources"), "*", "*/*", type.plural())
                        : lists(rule.path("resources"), "*/*", "*/" + subresource, type.plural() + "/*",
                                type.plural() + "/" + subresource));
    }

    private static boolean lists(JsonNode list, String... any) {
        for (JsonNode value : list) {
            if (List.of(any).contains(value.asString(""))) {
                return true;
            }
        }
        return false;
    }

    private static boolean selects(JsonNode selector, Change change) {
        if (Selectors.isEmpty(selector)) {
            return true;
        }
        ObjectNode object = change.object();
        ObjectNode old = change.old();
        return object != null && Selectors.matches(selector, object.path("metadata").path("labels"))
                || old != null && Selectors.matches(selector, old.path("metadata").path("labels"));
    }

    private boolean selectsNamespace(JsonNode selector, Change change) {
        if (Selectors.isEmpty(selector)) {
            return true;
        }
        if (change.type().equals(ResourceType.NAMESPACES)) {
            return Selectors.matches(selector, change.subject().path("metadata").path("labels"));
        }
        ObjectNode namespace = namespace(change);
        return namespace == null || Selectors.matches(selector, namespace.path("metadata").path("labels"));
    }

    /** Where it happens; null for what is in no namespace. */
    @Nullable
    ObjectNode namespace(Change change) {
        if (!change.type().namespaced()) {
            return null;
        }
        StoredObject found = store.get("namespaces", "", change.target().namespace());
        return found == null ? null : found.tree();
    }
}
