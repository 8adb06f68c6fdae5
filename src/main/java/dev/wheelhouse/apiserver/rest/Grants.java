package dev.wheelhouse.apiserver.rest;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.Decision;
import dev.wheelhouse.apiserver.auth.Escalation;
import dev.wheelhouse.apiserver.auth.PolicyRule;
import dev.wheelhouse.apiserver.auth.RbacPolicies;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;

/**
 * What of a write depends on its writer: nobody grants rights that they have not, by a role or by a binding, unless they may
 * {@code escalate} or {@code bind}; who creates by an update may create; and requests for certificates say who made them
 * (upstream: {@code pkg/registry/rbac/*&#47;policybased}, {@code pkg/registry/certificates}).
 */
final class Grants {
    private static final String GROUP = "rbac.authorization.k8s.io";
    private static final Set<String> ROLES = Set.of("roles", "clusterroles");
    private static final Set<String> BINDINGS = Set.of("rolebindings", "clusterrolebindings");

    private final Authorizer authorizer;
    private final RbacPolicies policies;

    Grants(Authorizer authorizer, RbacPolicies policies) {
        this.authorizer = authorizer;
        this.policies = policies;
    }

    /** @throws ApiException 403 */
    void checkCreate(Target target, ObjectNode object, Writes.Origin origin) {
        if (!origin.posted()) {
            RequestInfo creation = about("create", target.type().group(), target.type().plural(),
                    target.namespace(), target.name());
            Decision decision = authorizer.authorize(origin.user(), creation);
            if (!decision.allowed()) {
                throw Errors.forbidden(creation, origin.user(), decision.reason());
            }
        }
        check(target, object, null, origin.user());
    }

    /** @throws ApiException 403 */
    void checkUpdate(Target target, ObjectNode object, ObjectNode old, Writes.Origin origin) {
        check(target, object, old, origin.user());
    }

    private void check(Target target, ObjectNode object, @Nullable ObjectNode old, User user) {
        ResourceType type = target.type();
        if (!type.group().equals(GROUP) || user.groups().contains(User.MASTERS)) {
            return;
        }
        if (ROLES.contains(type.plural())) {
            checkRole(target, object, old, user);
        } else if (BINDINGS.contains(type.plural())) {
            checkBinding(target, object, old, user);
        }
    }

    private void checkRole(Target target, ObjectNode role, @Nullable ObjectNode old, User user) {
        if (same(role, old, "rules") && same(role, old, "aggregationRule")
                || allowed(user, "escalate", target.type().plural(), target.namespace(), target.name())) {
            return;
        }
        refuse(target, Meta.name(role), Escalation.problem(authorizer, user, target.namespace(),
                PolicyRule.of(role.get("rules"))));
        if (Json.at(role, "aggregationRule") != null && !same(role, old, "aggregationRule")
                && !Escalation.problem(authorizer, user, target.namespace(), PolicyRule.EVERYTHING).isEmpty()) {
            refuse(target, Meta.name(role), "must have cluster-admin privileges to use the aggregationRule");
        }
    }

    private void checkBinding(Target target, ObjectNode binding, @Nullable ObjectNode old, User user) {
        if (same(binding, old, "roleRef") && same(binding, old, "subjects")) {
            return;
        }
        boolean cluster = Json.text(binding, "roleRef", "kind").equals("ClusterRole");
        String name = Json.text(binding, "roleRef", "name");
        if (allowed(user, "bind", cluster ? "clusterroles" : "roles", target.namespace(), name)) {
            return;
        }
        List<PolicyRule> granted = policies.rules(Json.text(binding, "roleRef", "kind"), target.namespace(), name);
        if (granted == null) {
            throw Errors.notFound(target.type(), name);
        }
        refuse(target, Meta.name(binding), Escalation.problem(authorizer, user, target.namespace(), granted));
    }

    private boolean allowed(User user, String verb, String resource, String namespace, String name) {
        return authorizer.authorize(user, about(verb, GROUP, resource, namespace, name)).allowed();
    }

    private static RequestInfo about(String verb, String group, String resource, String namespace, String name) {
        return RequestInfo.ofResource(verb, group, resource, "", namespace, name);
    }

    private static void refuse(Target target, String name, String problem) {
        if (!problem.isEmpty()) {
            throw Errors.forbidden(target.type(), name, problem, List.of());
        }
    }

    private static boolean same(ObjectNode object, @Nullable ObjectNode old, String field) {
        return old != null && Objects.equals(value(object, field), value(old, field));
    }

    /** What is empty is as good as missing. */
    private static @Nullable JsonNode value(ObjectNode object, String field) {
        JsonNode value = Json.at(object, field);
        return value instanceof ArrayNode array && array.isEmpty() ? null : value;
    }

    /** Notes who asks for a certificate; what the request itself says of that does not count. */
    static void signRequest(ResourceType type, ObjectNode object, User user) {
        if (!type.groupResource().equals("certificatesigningrequests.certificates.k8s.io")) {
            return;
        }
        ObjectNode spec = Json.child(object, "spec");
        spec.remove(List.of("username", "uid", "groups", "extra"));
        ObjectNode info = user.toJson();
        spec.put("username", user.name());
        for (String field : List.of("uid", "groups", "extra")) {
            if (info.get(field) != null) {
                spec.set(field, info.get(field));
            }
        }
    }
}
