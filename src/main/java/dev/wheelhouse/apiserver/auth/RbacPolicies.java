package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;

/**
 * The roles and bindings of a store in parsed form. It re-reads changed objects when it is asked, so a write takes
 * effect before its answer is sent. Thread safe.
 */
public final class RbacPolicies {
    static final String GROUP = "rbac.authorization.k8s.io";
    private static final String USER_KEY = "user ";
    private static final String GROUP_KEY = "group ";

    /** By namespace and name; the namespace of a cluster role is empty. */
    private final StoreView<Map<String, List<PolicyRule>>> clusterRoles;
    private final StoreView<Map<String, List<PolicyRule>>> roles;
    /** By namespace, then by {@link Subject#key}. */
    private final StoreView<Map<String, Map<String, List<SubjectBinding>>>> clusterBindings;
    private final StoreView<Map<String, Map<String, List<SubjectBinding>>>> bindings;

    public RbacPolicies(ObjectStore store) {
        this.clusterRoles = roles(store, "clusterroles.");
        this.roles = roles(store, "roles.");
        this.clusterBindings = bindings(store, "clusterrolebindings.");
        this.bindings = bindings(store, "rolebindings.");
    }

    private static StoreView<Map<String, List<PolicyRule>>> roles(ObjectStore store, String kind) {
        return StoreView.of(store, kind + GROUP,
                role -> Map.entry(role.namespace() + "/" + role.name(), PolicyRule.of(role.tree().get("rules"))),
                all -> all.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    private static StoreView<Map<String, Map<String, List<SubjectBinding>>>> bindings(ObjectStore store, String kind) {
        return StoreView.of(store, kind + GROUP, binding -> Binding.of(binding.tree()), all -> {
            Map<String, Map<String, List<SubjectBinding>>> index = new HashMap<>();
            all.forEach(one -> index(one, index.computeIfAbsent(one.namespace, namespace -> new HashMap<>())));
            return index;
        });
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
                    Json.text(object, "roleRef", "kind"), Json.text(object, "roleRef", "name"), List.copyOf(subjects));
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

    /** The rules of a role; null if it does not exist. A cluster role has no namespace. */
    public @Nullable List<PolicyRule> rules(String kind, String namespace, String name) {
        return kind.equals("ClusterRole")
                ? clusterRoles.get().get("/" + name)
                : roles.get().get(namespace + "/" + name);
    }

    /** The bindings of a user, by name or group: first those of the cluster, then those of the namespace. */
    List<SubjectBinding> bindingsOf(User user, String namespace) {
        List<SubjectBinding> bound = new ArrayList<>();
        collect(clusterBindings.get().getOrDefault("", Map.of()), user, bound);
        collect(bindings.get().getOrDefault(namespace, Map.of()), user, bound);
        return bound;
    }

    private static void collect(Map<String, List<SubjectBinding>> byKey, User user, List<SubjectBinding> bound) {
        if (!byKey.isEmpty()) {
            bound.addAll(byKey.getOrDefault(USER_KEY + user.name(), List.of()));
            user.groups().forEach(group -> bound.addAll(byKey.getOrDefault(GROUP_KEY + group, List.of())));
        }
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
