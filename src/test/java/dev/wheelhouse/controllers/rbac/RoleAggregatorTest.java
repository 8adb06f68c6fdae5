package dev.wheelhouse.controllers.rbac;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ClusterRole;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Aggregated ClusterRoles (upstream: {@code clusterroleaggregation_controller_test.go}). */
class RoleAggregatorTest {
    private final Cluster cluster = new Cluster();
    private final RoleAggregator controller = new RoleAggregator(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private static V1ClusterRole role(String yaml) {
        return Yaml.read(yaml, V1ClusterRole.class);
    }

    private void assertAllows(String name, String resource, String verb, boolean allowed) {
        assertThat(cluster.read(RoleAggregator.CLUSTER_ROLES, ObjectKey.cluster(name), V1ClusterRole.class).getRules())
                .as("%s %s by %s", verb, resource, name).satisfies(rules -> assertThat(rules != null
                        && rules.stream().anyMatch(rule -> rule.getResources() != null
                                && rule.getResources().contains(resource) && rule.getVerbs().contains(verb)))
                        .isEqualTo(allowed));
    }

    @Test
    void viewEditAndAdminGetTheRulesThatAreAggregatedToThem() {
        settle();
        assertAllows("view", "pods", "list", true);
        assertAllows("view", "secrets", "get", false);
        assertAllows("edit", "pods", "list", true);
        assertAllows("edit", "secrets", "get", true);
        assertAllows("edit", "rolebindings", "create", false);
        assertAllows("admin", "pods", "list", true);
        assertAllows("admin", "secrets", "get", true);
        assertAllows("admin", "rolebindings", "create", true);
        cluster.requests.takeWrites();
        settle();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void rulesKeepTheOrderOfSelectorsAndNamesAndEachIsThereOnce() {
        V1ClusterRole aggregated = role("""
                {metadata: {name: all, uid: u, labels: {a: b}}, rules: [{verbs: [own], resources: []}], aggregationRule:
                 {clusterRoleSelectors: [{matchLabels: {a: c}}, {matchLabels: {a: b}}]}}""");
        List<V1ClusterRole> roles = List.of(aggregated,
                role("{metadata: {name: 'y', labels: {a: b}}, rules: [{verbs: [second]}, {verbs: [first]}]}"),
                role("{metadata: {name: x, labels: {a: b}}, rules: [{verbs: [third], resourceNames: []}]}"),
                role("{metadata: {name: z, labels: {a: c}}, rules: [{verbs: [first]}]}"));

        assertThat(RoleAggregator.decide(aggregated, roles)).singleElement()
                .isInstanceOfSatisfying(Action.Apply.class, apply -> {
                    assertThat(apply.body()).isEqualTo("{\"apiVersion\":\"rbac.authorization.k8s.io/v1\","
                            + "\"kind\":\"ClusterRole\",\"metadata\":{\"name\":\"all\",\"uid\":\"u\"},\"rules\":["
                            + "{\"verbs\":[\"first\"]},{\"verbs\":[\"third\"]},{\"verbs\":[\"second\"]}]}");
                    assertThat(apply.force()).isTrue();
                    assertThat(apply.fieldManager()).isEqualTo("clusterrole-aggregation-controller");
                });
    }

    @Test
    void aRoleWithoutAnAggregationRuleIsLeftAlone() {
        V1ClusterRole role = role("{metadata: {name: plain}, rules: [{verbs: [get]}]}");
        assertThat(RoleAggregator.decide(role, List.of(role))).isEmpty();
    }
}
