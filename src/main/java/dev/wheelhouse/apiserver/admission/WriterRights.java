package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.Escalation;
import dev.wheelhouse.apiserver.auth.PolicyRule;
import dev.wheelhouse.apiserver.auth.RbacPolicies;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;

/**
 * The rights that a writer needs beyond the verb. Nobody grants rights that they do not have, by a role or a binding,
 * unless they may {@code escalate} or {@code bind} (upstream: {@code pkg/registry/rbac/*&#47;policybased}). A PUT or
 * PATCH that creates an object needs the right to create. {@link ParamRights} checks the parameters of admission
 * policies.
 */
final class WriterRights {
    private static final String GROUP = "rbac.authorization.k8s.io";

    private final Authorizer authorizer;
    private final RbacPolicies policies;
    private final ParamRights params;

    WriterRights(Authorizer authorizer, RbacPolicies policies, ResourceRegistry registry, ObjectStore store) {
        this.authorizer = authorizer;
        this.policies = policies;
        this.params = new ParamRights(authorizer, registry, store);
    }

    /** @throws ApiException 403, 422 */
    void checkCreate(Target target, ObjectNode object, WriteContext context) {
        if (!context.posted()) {
            RequestInfo creation = about("create", target.type().group(), target.type().plural(),
                    target.namespace(), target.name());
            AuthorizationDecision decision = authorizer.authorize(context.user(), creation);
            if (!decision.allowed()) {
                throw Errors.forbidden(creation, context.user(), decision.reason());
            }
        }
        check(target, object, null, context.user());
    }

    /** @throws ApiException 403, 422 */
    void checkUpdate(Target target, ObjectNode object, ObjectNode old, WriteContext context) {
        if (target.subresource().isEmpty()) {
            check(target, object, old, context.user());
        }
    }

    private void check(Target target, ObjectNode object, @Nullable ObjectNode old, User user) {
        params.check(target, object, old, user);
        if (!target.type().group().equals(GROUP) || user.groups().contains(User.MASTERS)
                || differsForCollectionOnly(object, old)) {
            return;
        }
        switch (target.type().plural()) {
            case "roles", "clusterroles" -> checkRole(target, object, old, user);
            case "rolebindings", "clusterrolebindings" -> checkBinding(target, object, user);
            default -> {
            }
        }
    }

    private void checkRole(Target target, ObjectNode role, @Nullable ObjectNode old, User user) {
        if (allowed(user, "escalate", target.type().plural(), target.namespace(), target.name())) {
            return;
        }
        refuse(target, Meta.name(role), Escalation.problem(authorizer, user, target.namespace(),
                PolicyRule.of(role.get("rules"))));
        if ((aggregates(role) || old != null && aggregates(old))
                && !Escalation.problem(authorizer, user, target.namespace(), PolicyRule.EVERYTHING).isEmpty()) {
            refuse(target, Meta.name(role), "must have cluster-admin privileges to use the aggregationRule");
        }
    }

    private static boolean aggregates(ObjectNode role) {
        return Json.at(role, "aggregationRule", "clusterRoleSelectors") instanceof ArrayNode selectors
                && !selectors.isEmpty();
    }

    private void checkBinding(Target target, ObjectNode binding, User user) {
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
            throw Errors.forbidden(target.type(), name, problem);
        }
    }

    /**
     * Whether two states differ at most in fields that the garbage collector changes. Every other change needs the
     * rights, even one of a label, because aggregated roles select roles by labels.
     */
    private static boolean differsForCollectionOnly(ObjectNode object, @Nullable ObjectNode old) {
        return old != null && JsonValues.same(withoutCollection(object), withoutCollection(old));
    }

    private static ObjectNode withoutCollection(ObjectNode object) {
        ObjectNode rest = object.deepCopy();
        rest.remove(List.of("kind", "apiVersion"));
        Meta.of(rest).remove(List.of("ownerReferences", "finalizers", "managedFields", "selfLink"));
        return rest;
    }
}
