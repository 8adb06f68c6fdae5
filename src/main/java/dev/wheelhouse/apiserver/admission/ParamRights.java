package dev.wheelhouse.apiserver.admission;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The right to read the parameters of an admission policy. Writers of a policy or its binding need it, because the
 * messages of the policy can show the parameters (upstream:
 * {@code pkg/registry/admissionregistration/*admissionpolicy*&#47;authz.go}).
 */
record ParamRights(Authorizer authorizer, ResourceRegistry registry, ObjectStore store) {
    private static final String GROUP = "admissionregistration.k8s.io";

    /** @throws StatusException 422 if the writer may not read the parameters */
    void check(Target target, ObjectNode object, @Nullable ObjectNode old, User user) {
        if (!target.type().group().equals(GROUP)) {
            return;
        }
        switch (target.type().plural()) {
            case "mutatingadmissionpolicies", "validatingadmissionpolicies" -> checkPolicy(target, object, old, user);
            case "mutatingadmissionpolicybindings", "validatingadmissionpolicybindings" ->
                checkBinding(target, object, old, user);
            default -> {
            }
        }
    }

    private void checkPolicy(Target target, ObjectNode policy, @Nullable ObjectNode old, User user) {
        JsonNode kind = Json.at(policy, "spec", "paramKind");
        if (kind == null || old != null && JsonValues.same(kind, Json.at(old, "spec", "paramKind"))) {
            return;
        }
        if (!mayRead(user, "get", kind, "*", "*")) {
            throw refusal(target, policy, "spec.paramKind", user, "must have \"get\" permission on all objects of the "
                    + "referenced paramKind (kind=" + Json.text(kind, "kind") + ", apiVersion="
                    + Json.text(kind, "apiVersion") + ")");
        }
    }

    private void checkBinding(Target target, ObjectNode binding, @Nullable ObjectNode old, User user) {
        JsonNode reference = Json.at(binding, "spec", "paramRef");
        String policyName = Json.text(binding, "spec", "policyName");
        if (reference == null || old != null && JsonValues.same(reference, Json.at(old, "spec", "paramRef"))
                && policyName.equals(Json.text(old, "spec", "policyName"))) {
            return;
        }
        StoredObject policy = store.get(
                target.type().plural().replace("policybindings", "policies") + "." + GROUP, "", policyName);
        JsonNode kind = policy == null ? null : Json.at(policy.tree(), "spec", "paramKind");
        String name = Json.text(reference, "name");
        String verb = name.isEmpty() ? "list" : "get";
        if (!mayRead(user, verb, kind, Json.text(reference, "namespace"), name)) {
            throw refusal(target, binding, "spec.paramRef", user, "does not have \"" + verb + "\" permission "
                    + (kind == null
                            ? "for all groups, versions and resources, as policy " + policyName
                                    + " does not say which"
                            : "on the object referenced by paramRef"));
        }
    }

    /** @param kind of the parameters; null if unknown, then the right to read everything is needed */
    private boolean mayRead(User user, String verb, @Nullable JsonNode kind, String namespace, String name) {
        String version = kind == null ? "" : Json.text(kind, "apiVersion");
        ResourceInfo info = kind == null ? null : registry.findKind(version, Json.text(kind, "kind"));
        int slash = version.indexOf('/');
        String group = kind == null ? "*" : slash < 0 ? "" : version.substring(0, slash);
        return authorizer.authorize(user, RequestInfo.ofResource(verb, group, info == null ? "*" : info.type().plural(),
                "", namespace, name)).allowed();
    }

    private static StatusException refusal(Target target, ObjectNode object, String field, User user, String problem) {
        return Errors.invalid(target.type(), Meta.name(object),
                Errors.one(field, "FieldValueForbidden", "Forbidden: user \"" + user.name() + "\" " + problem));
    }
}
