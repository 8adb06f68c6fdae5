package dev.wheelhouse.apiserver.auth;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Decisions follow roles and bindings as they are created, changed and deleted. */
class RbacAuthorizerTest {
    private static final User JANE = new User("jane", "", List.of("dev", "system:authenticated"), Map.of());
    private static final User ROBOT = new User("system:serviceaccount:team:robot", "", List.of(), Map.of());

    private final ObjectStore store = new ObjectStore(new ManualClock(), Retention.standard(), Storage.inMemory());
    private final RbacAuthorizer authorizer = new RbacAuthorizer(new RbacPolicies(store));

    private void create(String resource, String json) {
        store.create(resource + ".rbac.authorization.k8s.io", (ObjectNode) Json.read(json));
    }

    private void role(String namespace, String name, String resource) {
        create("roles", """
                {"metadata": {"namespace": "%s", "name": "%s", "uid": "%2$s"}, "rules": [
                 {"verbs": ["get"], "apiGroups": [""], "resources": ["%s"]}]}""".formatted(namespace, name, resource));
    }

    private void binding(String namespace, String name, String role, String subject) {
        create("rolebindings", """
                {"metadata": {"namespace": "%s", "name": "%s", "uid": "%2$s"},
                 "roleRef": {"kind": "Role", "name": "%s"}, "subjects": [%s]}""".formatted(namespace, name, role,
                subject));
    }

    private AuthorizationDecision get(User user, String namespace, String resource) {
        return authorizer.authorize(user, RequestInfo.ofResource("get", "", resource, "", namespace, "x"));
    }

    @Test
    void whatAWriteHasChangedHoldsAtOnce() {
        assertThat(get(JANE, "team", "pods").allowed()).isFalse();
        role("team", "reader", "pods");
        binding("team", "b", "reader", "{\"kind\": \"Group\", \"name\": \"dev\"}");
        assertThat(get(JANE, "team", "pods")).isEqualTo(new AuthorizationDecision(true,
                "RBAC: allowed by RoleBinding \"b/team\" of Role \"reader\" to Group \"dev\""));
        assertThat(get(JANE, "other", "pods").allowed()).isFalse();
        assertThat(get(JANE, "", "pods").allowed()).isFalse();

        var role = store.get("roles.rbac.authorization.k8s.io", "team", "reader");
        ObjectNode changed = role.tree();
        changed.putArray("rules");
        store.update("roles.rbac.authorization.k8s.io", changed, role.version());
        assertThat(get(JANE, "team", "pods").allowed()).isFalse();
    }

    @Test
    void aServiceAccountWithoutANamespaceIsOneOfTheBindings() {
        role("team", "reader", "pods");
        binding("team", "b", "reader", "{\"kind\": \"ServiceAccount\", \"name\": \"robot\"}");
        assertThat(get(ROBOT, "team", "pods").allowed()).isTrue();
        assertThat(get(JANE, "team", "pods").allowed()).isFalse();
    }

    @Test
    void aBindingWhoseRoleIsGoneSaysSo() {
        binding("team", "b", "gone", "{\"kind\": \"User\", \"name\": \"jane\"}");
        assertThat(get(JANE, "team", "pods")).isEqualTo(
                new AuthorizationDecision(false, "RBAC: role.rbac.authorization.k8s.io \"gone\" not found"));
    }

    @Test
    void aSubjectOfAKindThatNobodyIsBindsNobody() {
        role("team", "reader", "pods");
        binding("team", "b", "reader", "{\"kind\": \"Dog\", \"name\": \"jane\"}, {\"name\": \"jane\"}");
        assertThat(get(JANE, "team", "pods").allowed()).isFalse();
    }

    @Test
    void theGroupOfMastersNeedsNoRole() {
        User master = new User("root", "", List.of(User.MASTERS), Map.of());
        assertThat(get(master, "team", "secrets")).isEqualTo(AuthorizationDecision.ALLOWED);
        assertThat(authorizer.rules(master, "team")).containsExactlyElementsOf(PolicyRule.EVERYTHING);
    }

    /** 6,000 RoleBindings in a list would be 24 KB. */
    @Test
    void anAuthorizationAfterAnotherWriteCopiesNoRolesAndNoBindings() {
        role("team", "reader", "pods");
        for (int i = 0; i < 6_000; i++) {
            binding("team", "b" + i, "reader", "{\"kind\": \"User\", \"name\": \"user-%d\"}".formatted(i));
        }
        User user = new User("user-77", "", List.of(), Map.of());
        ObjectNode other = (ObjectNode) Json.read("{\"metadata\": {\"namespace\": \"team\", \"name\": \"x\"}}");
        long version = store.create("configmaps", other).version();
        assertThat(get(user, "team", "pods").allowed()).isTrue();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            version = store.update("configmaps", other, version).version();
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(get(user, "team", "pods").allowed()).isTrue();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(8_000);
        store.delete("rolebindings.rbac.authorization.k8s.io", "team", "b77",
                store.get("rolebindings.rbac.authorization.k8s.io", "team", "b77").version());
        assertThat(get(user, "team", "pods").allowed()).isFalse();
    }
}
