package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * The roles and bindings of a store, read, and read again as far as they have changed. What a write has changed holds from its
 * answer on.
 */
public final class RbacPolicies {
    static final String GROUP = "rbac.authorization.k8s.io";
    private static final Selection ALL = new Selection("", LabelSelector.everything(), FieldSelector.everything());

    private final ObjectStore store;
    private final Cached<Role> clusterRoles = new Cached<>("clusterroles." + GROUP, Role::of);
    private final Cached<Role> roles = new Cached<>("roles." + GROUP, Role::of);
    private final Cached<Binding> clusterBindings = new Cached<>("clusterrolebindings." + GROUP, Binding::of);
    private final Cached<Binding> bindings = new Cached<>("rolebindings." + GROUP, Binding::of);
    private volatile State state = new State(-1, Map.of(), Map.of(), List.of(), Map.of());

    public RbacPolicies(ObjectStore store) {
        this.store = store;
    }

    private record Role(String namespace, String name, List<PolicyRule> rules) {
        static Role of(ObjectNode object) {
            return new Role(Json.text(object, "metadata", "namespace"), Json.text(object, "metadata", "name"),
                    PolicyRule.of(object.get("rules")));
        }
    }

    /** @param kind {@code User}, {@code Group} or {@code ServiceAccount} */
    record Subject(String kind, String namespace, String name) {
        /** @param defaultNamespace of service accounts that name none */
        boolean is(User user, String defaultNamespace) {
            return switch (kind) {
                case "User" -> user.name().equals(name);
                case "Group" -> user.isIn(name);
                case "ServiceAccount" -> {
                    String home = namespace.isEmpty() ? defaultNamespace : namespace;
                    yield !home.isEmpty()
                            && user.name().equals(User.SERVICE_ACCOUNT_PREFIX + home + ":" + name);
                }
                default -> false;
            };
        }

        /** {@code Group "system:authenticated"}, {@code ServiceAccount "name/namespace"}. */
        @Override
        public String toString() {
            return kind + " \"" + name + (kind.equals("ServiceAccount") ? "/" + namespace : "") + "\"";
        }
    }

    record Binding(String namespace, String name, String roleKind, String roleName, List<Subject> subjects) {
        static Binding of(ObjectNode object) {
            List<Subject> subjects = new ArrayList<>();
            if (object.get("subjects") instanceof ArrayNode array) {
                array.forEach(subject -> subjects.add(new Subject(Json.text(subject, "kind"),
                        Json.text(subject, "namespace"), Json.text(subject, "name"))));
            }
            return new Binding(Json.text(object, "metadata", "namespace"), Json.text(object, "metadata", "name"),
                    Json.text(object, "roleRef", "kind"), Json.text(object, "roleRef", "name"),
                    List.copyOf(subjects));
        }

        /** {@code RoleBinding "name/namespace" of Role "name"}. */
        @Override
        public String toString() {
            String binding = namespace.isEmpty()
                    ? "ClusterRoleBinding \"" + name + "\""
                    : "RoleBinding \"" + name + "/" + namespace + "\"";
            return binding + " of " + roleKind + " \"" + roleName + "\"";
        }
    }

    /** The objects of one resource, each read once. Guarded by the policies' monitor. */
    private static final class Cached<T> {
        private final String resource;
        private final Function<ObjectNode, T> reader;
        private Map<StoredObject, T> read = new IdentityHashMap<>();

        Cached(String resource, Function<ObjectNode, T> reader) {
            this.resource = resource;
            this.reader = reader;
        }

        List<T> refresh(ObjectStore store) {
            Map<StoredObject, T> next = new IdentityHashMap<>();
            List<T> all = new ArrayList<>();
            for (StoredObject object : store.snapshot(resource).select(ALL)) {
                T value = read.get(object);
                T known = value == null ? reader.apply(object.tree()) : value;
                next.put(object, known);
                all.add(known);
            }
            read = next;
            return all;
        }
    }

    /** @param version of the store that was read */
    record State(long version, Map<String, List<PolicyRule>> clusterRoles, Map<String, List<PolicyRule>> roles,
            List<Binding> clusterBindings, Map<String, List<Binding>> bindings) {

        /** The rules of a role; null if there is none. @param namespace of a {@code Role} */
        @Nullable
        List<PolicyRule> rules(String kind, String namespace, String name) {
            return kind.equals("ClusterRole") ? clusterRoles.get(name) : roles.get(namespace + "/" + name);
        }
    }

    /** The rules of a role; null if there is none. @param namespace of a {@code Role} */
    public @Nullable List<PolicyRule> rules(String kind, String namespace, String name) {
        return state().rules(kind, namespace, name);
    }

    State state() {
        State known = state;
        return known.version == store.version() ? known : refreshed();
    }

    private synchronized State refreshed() {
        long version = store.version();
        if (state.version == version) {
            return state;
        }
        Map<String, List<PolicyRule>> byName = new HashMap<>();
        clusterRoles.refresh(store).forEach(role -> byName.put(role.name, role.rules));
        Map<String, List<PolicyRule>> byKey = new HashMap<>();
        roles.refresh(store).forEach(role -> byKey.put(role.namespace + "/" + role.name, role.rules));
        Map<String, List<Binding>> byNamespace = new HashMap<>();
        bindings.refresh(store)
                .forEach(b -> byNamespace.computeIfAbsent(b.namespace, key -> new ArrayList<>()).add(b));
        State next = new State(version, byName, byKey, clusterBindings.refresh(store), byNamespace);
        state = next;
        return next;
    }
}
