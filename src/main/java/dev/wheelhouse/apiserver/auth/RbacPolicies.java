package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * The roles and bindings of a store in parsed form. It re-reads changed objects when it is asked, so a write takes
 * effect before its answer is sent. Thread safe.
 */
public final class RbacPolicies {
    static final String GROUP = "rbac.authorization.k8s.io";
    private static final String USER_KEY = "user ";
    private static final String GROUP_KEY = "group ";

    private final ObjectStore store;
    private final Cached<Role> clusterRoles = new Cached<>("clusterroles." + GROUP, Role::of);
    private final Cached<Role> roles = new Cached<>("roles." + GROUP, Role::of);
    private final Cached<Binding> clusterBindings = new Cached<>("clusterrolebindings." + GROUP, Binding::of);
    private final Cached<Binding> bindings = new Cached<>("rolebindings." + GROUP, Binding::of);
    private volatile State state = new State(-1, Map.of(), Map.of(), Map.of(), Map.of());

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
        /**
         * The key of the users it means; empty if it means none.
         *
         * @param defaultNamespace of service accounts that name none
         */
        String key(String defaultNamespace) {
            String home = namespace.isEmpty() ? defaultNamespace : namespace;
            return switch (kind) {
                case "User" -> USER_KEY + name;
                case "Group" -> GROUP_KEY + name;
                case "ServiceAccount" -> home.isEmpty()
                        ? ""
                        : USER_KEY + User.SERVICE_ACCOUNT_PREFIX + home + ":" + name;
                default -> "";
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

    /** A binding and the one of its subjects that it was found by. */
    record SubjectBinding(Binding binding, Subject subject) {}

    /** The objects of one resource, each parsed once. Guarded by the policies' monitor. */
    private static final class Cached<T> {
        private final String resource;
        private final Function<ObjectNode, T> reader;
        private List<StoredObject> objects = List.of();
        private List<T> values = List.of();

        Cached(String resource, Function<ObjectNode, T> reader) {
            this.resource = resource;
            this.reader = reader;
        }

        /** Parses the objects that have changed. Returns whether any has. */
        boolean refresh(ObjectStore store) {
            List<StoredObject> now = store.snapshot(resource).select(Selection.all());
            if (now.equals(objects)) { // unchanged objects are the same instances
                return false;
            }
            Map<StoredObject, T> known = new HashMap<>();
            for (int i = 0; i < objects.size(); i++) {
                known.put(objects.get(i), values.get(i));
            }
            List<T> read = new ArrayList<>(now.size());
            for (StoredObject object : now) {
                T value = known.get(object);
                read.add(value == null ? reader.apply(object.tree()) : value);
            }
            objects = now;
            values = read;
            return true;
        }
    }

    /**
     * An immutable state of all roles and bindings.
     *
     * @param version the store's version
     * @param roles by namespace and name
     * @param clusterBindings by {@link Subject#key}
     * @param bindings by namespace, then by {@link Subject#key}
     */
    record State(long version, Map<String, List<PolicyRule>> clusterRoles, Map<String, List<PolicyRule>> roles,
            Map<String, List<SubjectBinding>> clusterBindings,
            Map<String, Map<String, List<SubjectBinding>>> bindings) {

        State at(long later) {
            return new State(later, clusterRoles, roles, clusterBindings, bindings);
        }

        /** The rules of a role; null if it does not exist. A cluster role has no namespace. */
        @Nullable
        List<PolicyRule> rules(String kind, String namespace, String name) {
            return kind.equals("ClusterRole") ? clusterRoles.get(name) : roles.get(namespace + "/" + name);
        }

        /** The bindings of a user, by name or group: first those of the cluster, then those of the namespace. */
        List<SubjectBinding> bindingsOf(User user, String namespace) {
            List<SubjectBinding> bound = new ArrayList<>();
            collect(clusterBindings, user, bound);
            collect(bindings.getOrDefault(namespace, Map.of()), user, bound);
            return bound;
        }

        private static void collect(Map<String, List<SubjectBinding>> byKey, User user, List<SubjectBinding> bound) {
            if (byKey.isEmpty()) {
                return;
            }
            bound.addAll(byKey.getOrDefault(USER_KEY + user.name(), List.of()));
            user.groups().forEach(group -> bound.addAll(byKey.getOrDefault(GROUP_KEY + group, List.of())));
        }
    }

    /** The rules of a role; null if it does not exist. A cluster role has no namespace. */
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
        boolean changed = clusterRoles.refresh(store);
        changed |= roles.refresh(store);
        changed |= clusterBindings.refresh(store);
        changed |= bindings.refresh(store);
        State next = changed ? read(version) : state.at(version);
        state = next;
        return next;
    }

    private State read(long version) {
        Map<String, List<PolicyRule>> byName = new HashMap<>();
        clusterRoles.values.forEach(role -> byName.put(role.name, role.rules));
        Map<String, List<PolicyRule>> byKey = new HashMap<>();
        roles.values.forEach(role -> byKey.put(role.namespace + "/" + role.name, role.rules));
        Map<String, List<SubjectBinding>> ofCluster = new HashMap<>();
        clusterBindings.values.forEach(binding -> index(binding, ofCluster));
        Map<String, Map<String, List<SubjectBinding>>> byNamespace = new HashMap<>();
        bindings.values.forEach(binding -> index(binding,
                byNamespace.computeIfAbsent(binding.namespace, key -> new HashMap<>())));
        return new State(version, byName, byKey, ofCluster, byNamespace);
    }

    private static void index(Binding binding, Map<String, List<SubjectBinding>> byKey) {
        for (Subject subject : binding.subjects) {
            String key = subject.key(binding.namespace);
            if (!key.isEmpty()) {
                byKey.computeIfAbsent(key, k -> new ArrayList<>()).add(new SubjectBinding(binding, subject));
            }
        }
    }
}
