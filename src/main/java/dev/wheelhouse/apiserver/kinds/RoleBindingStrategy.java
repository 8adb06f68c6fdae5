package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Role bindings and cluster role bindings (upstream: {@code pkg/registry/rbac/rolebinding} and
 * {@code pkg/registry/rbac/clusterrolebinding}).
 */
final class RoleBindingStrategy extends Strategy {
    private static final String GROUP = "rbac.authorization.k8s.io";

    /** @param kind {@code RoleBinding} or {@code ClusterRoleBinding} */
    RoleBindingStrategy(String kind) {
        super(GROUP, kind, Set.of(Trait.CREATED_BY_UPDATE), TableColumn.objectName(),
                TableColumn.of("Role", "Role that is given.",
                        o -> o.text("roleRef", "kind") + "/" + o.text("roleRef", "name")),
                TableColumn.age(),
                subjects("Users", "User", s -> s.text("name")),
                subjects("Groups", "Group", s -> s.text("name")),
                subjects("ServiceAccounts", "ServiceAccount", s -> s.text("namespace") + "/" + s.text("name")));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.rbac.v1." + kind(),
                binding -> set(Json.child(binding, "roleRef"), "apiGroup", GROUP));
        rules.put("io.k8s.api.rbac.v1.Subject", subject -> {
            if (!Json.text(subject, "kind").equals("ServiceAccount")) {
                set(subject, "apiGroup", GROUP);
            }
        });
    }

    private static TableColumn subjects(String name, String kind, Function<Item, String> text) {
        return TableColumn.of(name, name + " that the role is given to.",
                o -> String.join(", ", o.items("subjects").stream().filter(s -> s.text("kind").equals(kind)).map(text)
                        .toList()))
                .wide();
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }

    @Override
    protected void validate(ObjectNode binding, Problems problems) {
        String group = Json.text(binding, "roleRef", "apiGroup");
        problems.supported("roleRef.apiGroup", group, GROUP);
        String[] kinds = isCluster() ? new String[]{"ClusterRole"} : new String[]{"Role", "ClusterRole"};
        String kind = Json.text(binding, "roleRef", "kind");
        problems.supported("roleRef.kind", kind, kinds);
        if (Json.text(binding, "roleRef", "name").isEmpty()) {
            problems.required("roleRef.name");
        }
        Problems.each(binding.path("subjects"), "subjects", (subject, at) -> subject(subject, at, problems));
    }

    /**
     * Whether the binding has no namespace: it gives cluster roles alone, and names the namespaces of service
     * accounts.
     */
    private boolean isCluster() {
        return kind().equals("ClusterRoleBinding");
    }

    private void subject(JsonNode subject, String path, Problems problems) {
        String name = Json.text(subject, "name");
        String group = Json.text(subject, "apiGroup");
        if (name.isEmpty()) {
            problems.required(path + ".name");
        }
        switch (Json.text(subject, "kind")) {
            case "ServiceAccount" -> {
                problems.formedIfSet(path + ".name", name, Formats::dnsSubdomain);
                if (!group.isEmpty()) {
                    problems.notSupported(path + ".apiGroup", group, "");
                }
                if (isCluster() && Json.text(subject, "namespace").isEmpty()) {
                    problems.required(path + ".namespace");
                }
            }
            case "User", "Group" -> {
                problems.supported(path + ".apiGroup", group, GROUP);
            }
            default -> problems.notSupported(path + ".kind", Json.text(subject, "kind"), "ServiceAccount", "User",
                    "Group");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode binding, ObjectNode old, Problems problems) {
        validate(binding, problems);
        JsonNode now = binding.get("roleRef");
        if (now != null && !now.equals(old.get("roleRef"))) {
            ObjectNode shown = Json.object();
            shown.put("APIGroup", Json.text(now, "apiGroup")).put("Kind", Json.text(now, "kind"))
                    .put("Name", Json.text(now, "name"));
            problems.invalid("roleRef", shown, "cannot change roleRef");
        }
    }
}
