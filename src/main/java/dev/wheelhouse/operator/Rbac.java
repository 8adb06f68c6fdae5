package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.operator.webhook.Webhooks;

/**
 * The rights that operators need for what they declare, and a service account that has them. If an operator limits a
 * type to namespaces, the rights on the type are in Roles of these namespaces. If it chooses its namespaces while it
 * runs, they are in a ClusterRole without a binding: a RoleBinding in each namespace grants them there. All other
 * rights are in one ClusterRole. Not thread safe.
 */
final class Rbac {
    private static final String GROUP = "rbac.authorization.k8s.io";
    /** Stands for the namespaces that are chosen while an operator runs. No namespace has this name. */
    private static final String CHOSEN = "*";
    private static final List<String> VERBS = List.of("get", "list", "watch", "create", "update", "patch", "delete");

    private final String account;
    private final String namespace;
    /** The verbs by namespace (empty for the cluster) and target. */
    private final Map<String, Map<Target, Set<String>>> rights = new TreeMap<>();

    /** @param name the only object that the right is for; empty for all */
    private record Target(String group, String resource, String name) {}

    private record Rule(String group, String name, Set<String> verbs) {}

    /**
     * @param account the name of the service account, the roles and the bindings
     * @param namespace of the service account, of the election's Lease and of the webhooks' certificates
     */
    Rbac(String account, String namespace, Collection<Declaration<?>> operators, Webhooks webhooks) {
        this.account = account;
        this.namespace = namespace;
        operators.forEach(this::add);
        add(Set.of(namespace), ResourceType.LEASES, "", "get", "create", "update", "watch");
        if (!webhooks.isEmpty()) {
            WebhookOptions options = WebhookOptions.behind(namespace, account);
            add(Set.of(namespace), ResourceType.SECRETS, "", "create");
            add(namespace, new Target("", ResourceType.SECRETS.plural(), options.secret()), "get", "update");
            webhooks.configurations(options, "").forEach(configuration -> {
                String resource = configuration.getKind().toLowerCase(Locale.ROOT) + "s";
                String group = "admissionregistration.k8s.io";
                add("", new Target(group, resource, ""), "create");
                add("", new Target(group, resource, configuration.getMetadata().getName()), "patch");
            });
            webhooks.conversions(options, "").keySet().forEach(name -> add("", definition(name), "patch"));
        }
    }

    private void add(Declaration<?> operator) {
        Part<?> primary = operator.primary();
        add(operator, primary, "", "get", "list", "watch");
        if (operator.finalizer() != null || !operator.former().finalizers().isEmpty()) {
            add(operator, primary, "", "patch");
        }
        if (operator.facts().hasStatus()) {
            add(operator, primary, "/status", "patch");
        }
        if (operator.owned().findAny().isPresent()) {
            // The admission plugin OwnerReferencesPermissionEnforcement demands this right of clients that set owner
            // references which block the owner's deletion.
            add(operator, primary, "/finalizers", "update");
        }
        for (Part<?> part : operator.others()) {
            add(operator, part, "", "get", "list", "watch");
            if (part.role() == Declaration.Role.OWNED) {
                add(operator, part, "", "create", "patch", "delete");
            }
        }
        operator.permissions().forEach(permission -> add(
                permission.type().namespaced() ? namespaces(operator, primary) : Set.of(), permission.type(), "",
                permission.verbs().toArray(String[]::new)));
        add(namespaces(operator, primary), ResourceType.EVENTS, "", "create", "patch");
        if (operator.namespaces() != null && operator.namespaces().labels() != null) {
            add(Set.of(), ResourceType.NAMESPACES, "", "get", "list", "watch");
        }
        if (operator.clusters() != null) {
            add(Set.of(operator.clusters().namespace), ResourceType.SECRETS, "", "get", "list", "watch");
            add(Set.of(operator.clusters().namespace), ResourceType.EVENTS, "", "create", "patch");
        }
        String name = primary.type().groupResource();
        if (operator.crd() != CrdPolicy.WAIT) {
            add("", definition(name), "get");
        }
        if (operator.crd() == CrdPolicy.INSTALL) {
            // The name of an object is not known to the authorization of its creation.
            add("", definition(""), "create");
            add("", definition(name), "patch");
        }
    }

    /** A CustomResourceDefinition; all of them if the name is empty. */
    private static Target definition(String name) {
        return new Target(Crds.TYPE.group(), Crds.TYPE.plural(), name);
    }

    private void add(Declaration<?> operator, Part<?> part, String subresource, String... verbs) {
        add(namespaces(operator, part), part.type(), subresource, verbs);
    }

    private static Set<String> namespaces(Declaration<?> operator, Part<?> part) {
        return operator.follows(part) ? Set.of(CHOSEN) : part.namespaces();
    }

    /** @param namespaces empty for all */
    private void add(Set<String> namespaces, ResourceType type, String subresource, String... verbs) {
        Target target = new Target(type.group(), type.plural() + subresource, "");
        (namespaces.isEmpty() ? Set.of("") : namespaces).forEach(each -> add(each, target, verbs));
    }

    private void add(String where, Target target, String... verbs) {
        rights.computeIfAbsent(where, w -> new TreeMap<>(Comparator.comparing(Target::group)
                .thenComparing(Target::resource).thenComparing(Target::name)))
                .computeIfAbsent(target, t -> new TreeSet<>(Comparator.comparingInt(Rbac::order)
                        .thenComparing(Comparator.naturalOrder())))
                .addAll(List.of(verbs));
    }

    private static int order(String verb) {
        int known = VERBS.indexOf(verb);
        return known < 0 ? VERBS.size() : known;
    }

    /** The service account, its roles and the bindings. */
    List<KubernetesObject> objects() {
        List<KubernetesObject> objects = new ArrayList<>();
        objects.add(new V1ServiceAccount().apiVersion("v1").kind("ServiceAccount").metadata(named(namespace)));
        RbacV1Subject subject = new RbacV1Subject().kind("ServiceAccount").namespace(namespace).name(account);
        rights.keySet().forEach(where -> {
            if (where.isEmpty()) {
                objects.add(new V1ClusterRole().apiVersion(GROUP + "/v1").kind("ClusterRole")
                        .metadata(new V1ObjectMeta().name(account)).rules(rules(where)));
                objects.add(new V1ClusterRoleBinding().apiVersion(GROUP + "/v1").kind("ClusterRoleBinding")
                        .metadata(new V1ObjectMeta().name(account)).roleRef(roleRef("ClusterRole"))
                        .addSubjectsItem(subject));
            } else if (where.equals(CHOSEN)) {
                objects.add(new V1ClusterRole().apiVersion(GROUP + "/v1").kind("ClusterRole")
                        .metadata(new V1ObjectMeta().name(account + "-namespaces")).rules(rules(where)));
            } else {
                objects.add(new V1Role().apiVersion(GROUP + "/v1").kind("Role").metadata(named(where))
                        .rules(rules(where)));
                objects.add(new V1RoleBinding().apiVersion(GROUP + "/v1").kind("RoleBinding").metadata(named(where))
                        .roleRef(roleRef("Role")).addSubjectsItem(subject));
            }
        });
        return objects;
    }

    private V1ObjectMeta named(String where) {
        return new V1ObjectMeta().namespace(where).name(account);
    }

    private V1RoleRef roleRef(String kind) {
        return new V1RoleRef().apiGroup(GROUP).kind(kind).name(account);
    }

    /** Resources of a group with equal verbs share a rule. */
    private List<V1PolicyRule> rules(String where) {
        Map<Rule, V1PolicyRule> rules = new LinkedHashMap<>();
        rights.getOrDefault(where, Map.of()).forEach((target, verbs) -> rules
                .computeIfAbsent(new Rule(target.group(), target.name(), verbs), rule -> {
                    V1PolicyRule made = new V1PolicyRule().addApiGroupsItem(rule.group()).verbs(List.copyOf(verbs));
                    return rule.name().isEmpty() ? made : made.addResourceNamesItem(rule.name());
                }).addResourcesItem(target.resource()));
        return List.copyOf(rules.values());
    }
}
