package dev.wheelhouse.controllers.policy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ValidatingAdmissionPolicy;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The controller of the statuses of ValidatingAdmissionPolicies")
class PolicyStatusBehavioursTest {
    private static final ObjectKey POLICY = ObjectKey.cluster("p");

    private final Cluster cluster = new Cluster();
    private final PolicyStatusController controller = new PolicyStatusController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    /** @param more fields of the spec, each with a comma after it */
    private void policy(String rules, String more, String... expressions) {
        cluster.create(PolicyStatusController.POLICIES, parsed(rules, more, expressions));
    }

    private static V1ValidatingAdmissionPolicy parsed(String rules, String more, String... expressions) {
        return Yaml.read("""
                {metadata: {name: p}, spec: {matchConstraints: {resourceRules: [%s]}, %s validations: [%s]}}"""
                .formatted(rules, more, List.of(expressions).stream().map(e -> "{expression: \"" + e + "\"}")
                        .collect(Collectors.joining(", "))),
                V1ValidatingAdmissionPolicy.class);
    }

    private static String rule(String group, String version, String resources) {
        return "{apiGroups: ['%s'], apiVersions: [%s], operations: ['*'], resources: [%s]}".formatted(group, version,
                resources);
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private JsonNode status() {
        return cluster.json(PolicyStatusController.POLICIES, POLICY).path("status");
    }

    private List<String> warnings() {
        return status().at("/typeChecking/expressionWarnings").valueStream().map(w -> w.path("fieldRef").asString()
                + " " + w.path("warning").asString()).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"variables.n + 1 > 2 |", "variables.n == 'a' | overload",
            "variables.structs.no == 1 |", "variables.wrong == 1 |", "variables.none == 1 | undefined field 'none'",
            "authorizer.group('').resource('pods').check('get').allowed() |",
            "authorizer.group(1).resource('pods').check('get').allowed() | overload",
            "format.dns1123Label().validate('a').hasValue() |", "semver('1.0.0').major() == 1 |",
            "namespaceObject.metadata.labels['a'] == 'b' |", "namespaceObject.spec.no == 1 | undefined field 'no'",
            "request.options.any == 1 |", "params.data.a == 'b' |", "params.no == 1 | undefined field 'no'",
            "object.spec.strategy.rollingUpdate.maxSurge == 'any' |", "[1, 'a'] == [] | expected type"})
    void allThatAPolicyCanNameHasAType(String expression, String problem) {
        cluster.store(PolicyStatusController.POLICIES, parsed(rule("apps", "v1", "deployments"), """
                paramKind: {apiVersion: v1, kind: ConfigMap}, variables: [{name: 'n', expression: object.spec.replicas},
                 {name: structs, expression: object.spec}, {name: wrong, expression: object.wrong}],""", expression));
        settle();

        assertThat(warnings()).hasSize(problem == null ? 0 : 1).allMatch(w -> w.contains(String.valueOf(problem)));
    }

    @Test
    void eachMatchedKindIsCheckedAndWildcardsAreNot() {
        policy(rule("apps", "v1", "deployments, deployments/scale, statefulsets, daemonsets, nothing") + ", "
                + rule("*", "v1", "jobs") + ", " + rule("", "v1", "'*'") + ", " + rule("", "v1", "events"), "",
                "object.spec.replicas == 1");
        settle();

        assertThat(warnings()).singleElement().asString()
                .containsSubsequence("/v1, Kind=Event:", "apps/v1, Kind=DaemonSet:", "events.k8s.io/v1, Kind=Event:")
                .doesNotContain("Kind=Deployment", "Kind=StatefulSet", "Kind=Job");
    }

    @Test
    void aCheckWaitsWhileASchemaCannotBeRead() {
        policy(rule("apps", "v1", "deployments"), "", "object.no == 1");
        cluster.requests.failNext("read /openapi/v3/apis/apps/v1", 503, "ServiceUnavailable", "later");
        settle();
        assertThat(status().has("observedGeneration")).isFalse();

        cluster.settle(controller.loops(), Duration.ofSeconds(1));
        assertThat(warnings()).hasSize(1);
    }

    @Test
    void aPlanShowsWhatIsDue() {
        policy(rule("apps", "v1", "deployments"), "", "object.no == 1");
        cluster.deliver();

        assertThat(controller.plan(POLICY)).singleElement().isInstanceOf(Action.Apply.class);
        assertThat(controller.plan(ObjectKey.cluster("none"))).isEmpty();
    }
}
