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
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * The roles and bindings of a store in parsed form. It re-reads changed objects when it is asked, so a write takes
 * effect before its answer is sent. Thread safe.
 */
public final class RbacPolicies {
    static final String GROUP = "rbac.authorization.k8s.io";
    private static final String USER_KEY = "user ";
    private static final String GROUP_KEY = "group ";

    private final StoreView<State> view;

    public RbacPolicies(ObjectStore store) {
        this.view = new StoreView<>(store, new State(), State::new, "clusterroles." + GROUP, "roles." + GROUP,
                "clusterrolebindings." + GROUP, "rolebindings." + GROUP);
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

    /** A state of all roles and bindings. An object is parsed once. Immutable. */
    static final class State {
        private final Map<StoredObject, Role> parsedRoles = new HashMap<>();
        private final Map<StoredObject, Binding> parsedBindings = new HashMap<>();
        private final Map<String, List<PolicyRule>> clusterRoles = new HashMap<>();
        /** By namespace and name. */
        private final Map<String, List<PolicyRule>> roles = new HashMap<>();
        /** By {@link Subject#key}. */
        private final Map<String, List<SubjectBinding>> clusterBindings = new HashMap<>();
        /** By namespace, then by {@link Subject#key}. */
        private final Map<String, Map<String, List<SubjectBinding>>> bindings = new HashMap<>();

        private State() {}

        private State(List<List<StoredObject>> objects, State before) {
            for (Role role : parsed(objects.get(0), before.parsedRoles, parsedRoles, Role::of)) {
                clusterRoles.put(role.name, role.rules);
            }
            for (Role role : parsed(objects.get(1), before.parsedRoles, parsedRoles, Role::of)) {
                roles.put(role.namespace + "/" + role.name, role.rules);
            }
            for (Binding binding : parsed(objects.get(2), before.parsedBindings, parsedBindings, Binding::of)) {
                index(binding, clusterBindings);
            }
            for (Binding binding : parsed(objects.get(3), before.parsedBindings, parsedBindings, Binding::of)) {
                index(binding, bindings.computeIfAbsent(binding.namespace, key -> new HashMap<>()));
            }
        }

        private static <T> List<T> parsed(List<StoredObject> objects, Map<StoredObject, T> before,
                Map<StoredObject, T> now, Function<ObjectNode, T> reader) {
            List<T> all = new ArrayList<>(objects.size());
            for (StoredObject object : objects) {
                T known = before.get(object);
                T value = known == null ? reader.apply(object.tree()) : known;
                now.put(object, value);
                all.add(value);
            }
            return all;
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
        return view.get();
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
