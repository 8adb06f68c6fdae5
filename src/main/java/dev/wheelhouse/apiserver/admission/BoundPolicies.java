package dev.wheelhouse.apiserver.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The stored policies of one kind with their bindings and parameters (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/generic}). A policy is compiled once for each version of it. Policies,
 * then bindings, are sorted by their names. Thread safe.
 */
final class BoundPolicies {
    private static final String GROUP = "admissionregistration.k8s.io";

    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final Authorizer authorizer;
    private final PolicyMatch match;
    private final StoreView<List<Policy>> policies;
    /** By the name of the policy. */
    private final StoreView<Map<String, List<ObjectNode>>> bindings;

    private record Policy(ObjectNode tree, CompiledPolicy compiled) {
        static Policy of(StoredObject stored) {
            ObjectNode tree = stored.tree();
            return new Policy(tree, new CompiledPolicy(tree.path("spec")));
        }
    }

    /**
     * A policy with a binding and a parameter, which all match a write.
     *
     * @param as the resource in the version that the policy asks for
     * @param param null as JSON if there is none
     */
    record Invocation(ObjectNode policy, CompiledPolicy compiled, ObjectNode binding, ResourceInfo as, JsonNode param) {
        Problem problem(String why) {
            return new Problem(policy, binding, why, "Invalid");
        }

        /** The names of its parts. */
        List<String> key() {
            return List.of(Meta.name(policy), Meta.name(binding), Json.text(param, "metadata", "namespace"),
                    Json.text(param, "metadata", "name"));
        }
    }

    /**
     * Why a policy cannot be applied to a write.
     *
     * @param binding null if no binding has to do with it
     * @param reason for the Status of a refusal
     */
    record Problem(ObjectNode policy, @Nullable ObjectNode binding, String why, String reason) {
        /** Whether the problem refuses the write. */
        boolean refuses() {
            return !Json.text(policy, "spec", "failurePolicy").equals("Ignore");
        }
    }

    /** @param kind of the policies, in lower case and the plural */
    BoundPolicies(ObjectStore store, ResourceRegistry registry, Authorizer authorizer, String kind) {
        this.store = store;
        this.registry = registry;
        this.authorizer = authorizer;
        this.match = new PolicyMatch(store, registry);
        this.policies = StoreView.of(store, kind + "policies." + GROUP, Policy::of, all -> all);
        this.bindings = StoreView.of(store, kind + "policybindings." + GROUP, StoredObject::tree, all -> all.stream()
                .collect(Collectors.groupingBy(binding -> Json.text(binding, "spec", "policyName"))));
    }

    /** Whether any policy is bound. */
    boolean any() {
        return policies.get().stream().anyMatch(policy -> !bindings(policy).isEmpty());
    }

    private List<ObjectNode> bindings(Policy policy) {
        return bindings.get().getOrDefault(Meta.name(policy.tree), List.of());
    }

    /**
     * The values that the expressions of all policies can name.
     *
     * @param seen the write in the version of the policies
     */
    Map<String, Object> variables(Attributes seen, ResourceInfo as) {
        return seen.variables(as, match.namespace(seen), authorizer);
    }

    /**
     * The policies that match a write, with bindings and parameters. No policy is about policies, so that they can be
     * mended.
     *
     * @param problems receives the reasons why a matching policy cannot be applied
     */
    List<Invocation> invocations(Attributes attributes, Consumer<Problem> problems) {
        List<Invocation> found = new ArrayList<>();
        if (attributes.type().group().equals(GROUP) && attributes.type().plural().contains("admissionpolic")) {
            return found;
        }
        for (Policy policy : policies.get()) {
            JsonNode spec = policy.tree.path("spec");
            List<ObjectNode> own = bindings(policy);
            ResourceInfo as = own.isEmpty() ? null : match.matched(spec.path("matchConstraints"), attributes);
            if (as == null) {
                continue;
            }
            JsonNode kind = spec.get("paramKind");
            ResourceInfo paramKind = kind == null
                    ? null
                    : registry.findKind(Json.text(kind, "apiVersion"), Json.text(kind, "kind"));
            if (kind != null && paramKind == null) {
                problems.accept(new Problem(policy.tree, null,
                        "failed to configure policy: failed to find resource referenced by paramKind: '"
                                + goText(kind) + "'",
                        "Forbidden"));
                continue;
            }
            for (ObjectNode binding : own) {
                if (match.matched(binding.path("spec").path("matchResources"), attributes) == null) {
                    continue;
                }
                try {
                    for (JsonNode param : params(paramKind, binding.path("spec").get("paramRef"), attributes)) {
                        found.add(new Invocation(policy.tree, policy.compiled, binding, as, param));
                    }
                } catch (BindingException e) {
                    problems.accept(new Problem(policy.tree, binding,
                            "failed to configure binding: " + e.getMessage(), "Forbidden"));
                }
            }
        }
        return found;
    }

    /** A kind as Go prints it: {@code example.com/v1, Kind=Shop}. */
    private static String goText(JsonNode kind) {
        String apiVersion = Json.text(kind, "apiVersion");
        return (apiVersion.contains("/") ? "" : "/") + apiVersion + ", Kind=" + Json.text(kind, "kind");
    }

    /** The parameters of a binding cannot be found. */
    private static final class BindingException extends Exception {
        BindingException(String message) {
            super(message);
        }
    }

    /**
     * @param kind of the parameters; null if the policy has none
     * @param ref null if the binding has no parameters
     */
    private List<JsonNode> params(@Nullable ResourceInfo kind, @Nullable JsonNode ref, Attributes attributes)
            throws BindingException {
        if (kind == null || ref == null) {
            return List.of(NullNode.getInstance());
        }
        String namespace = Json.text(ref, "namespace");
        if (kind.type().namespaced() && namespace.isEmpty()) {
            namespace = attributes.target().namespace();
            if (namespace.isEmpty()) {
                throw new BindingException(
                        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
            }
        } else if (!kind.type().namespaced() && !namespace.isEmpty()) {
            throw new BindingException("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
        }
        String name = Json.text(ref, "name");
        String resource = Target.stored(kind.type());
        List<JsonNode> params = name.isEmpty()
                ? store.snapshot(resource).select(Selection.inNamespace(namespace)).stream()
                        .<JsonNode>map(stored -> Renderer.tree(kind, stored))
                        .filter(param -> Selectors.matches(ref.path("selector"), param.path("metadata").path("labels")))
                        .toList()
                : Stream.ofNullable(store.get(resource, namespace, name))
                        .<JsonNode>map(stored -> Renderer.tree(kind, stored)).toList();
        if (params.isEmpty() && Json.text(ref, "parameterNotFoundAction").equals("Deny")) {
            throw new BindingException("no params found for policy binding with `Deny` parameterNotFoundAction");
        }
        return params;
    }
}
