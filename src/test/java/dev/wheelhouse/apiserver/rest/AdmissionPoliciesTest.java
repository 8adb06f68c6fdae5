package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** Writes that ValidatingAdmissionPolicies match. */
class AdmissionPoliciesTest {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
    private static final String MAPS = NS + "configmaps";

    private final RestClient rest = new RestClient();

    /** @param operations quoted @param more fields of the spec, each with a comma after it */
    private JsonNode policy(String name, String operations, String more, String validations) {
        return rest.post(GROUP + "validatingadmissionpolicies", """
                {"metadata": {"name": "%s"}, "spec": {%s "matchConstraints": {"resourceRules": [{"apiGroups": [""],
                 "apiVersions": ["v1"], "operations": [%s], "resources": ["configmaps"]}]}, "validations": [%s]}}"""
                .formatted(name, more, operations, validations));
    }

    private void bind(String policy, String actions, String more) {
        rest.post(GROUP + "validatingadmissionpolicybindings",
                """
                        {"metadata": {"name": "%1$s-bound"}, "spec": {"policyName": "%1$s",
                         %3$s "validationActions": [%2$s]}}"""
                        .formatted(policy, actions, more));
        assertThat(rest.last.code()).isEqualTo(201);
    }

    private JsonNode map(String name, String more) {
        return rest.post(MAPS, "{\"metadata\": {\"name\": \"" + name + "\"" + more + "}, \"data\": {\"size\": \"3\"}}");
    }

    @Test
    void aBoundPolicyDeniesInUpstreamsWords() {
        policy("sized", "\"CREATE\"", "", "{\"expression\": \"int(object.data.size) > 5\"}");
        map("before", "");
        assertThat(rest.last.code()).as("no binding yet").isEqualTo(201);
        bind("sized", "\"Deny\"", "");
        JsonNode denied = map("a", "");
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(Json.text(denied, "reason")).isEqualTo("Invalid");
        assertThat(Json.text(denied, "message")).isEqualTo("configmaps \"a\" is forbidden: ValidatingAdmissionPolicy "
                + "'sized' with binding 'sized-bound' denied request: failed expression: int(object.data.size) > 5");
        rest.merge(MAPS + "/before", "{\"data\": {\"size\": \"1\"}}");
        assertThat(rest.last.code()).as("an update is none of its business").isEqualTo(200);
        rest.post(NS + "secrets", "{\"metadata\": {\"name\": \"s\"}}");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @Test
    void variablesConditionsAndMessagesAreExpressions() {
        policy("p", "\"*\"",
                """
                        "variables": [{"name": "size", "expression": "int(object.data.size)"},
                         {"name": "odd", "expression": "variables.size % 2 == 1"}],
                         "matchConditions": [{"name": "no-admin",
                          "expression": "!('skip' in object.metadata.?labels.orValue({}))"}],""",
                "{\"expression\": \"!variables.odd\", \"messageExpression\": \"'odd: ' + string(variables.size)\", "
                        + "\"reason\": \"Forbidden\"}");
        assertThat(rest.last.code()).isEqualTo(201);
        bind("p", "\"Deny\"", "");
        assertThat(Json.text(map("a", ""), "message")).endsWith("denied request: odd: 3");
        assertThat(rest.last.code()).isEqualTo(403);
        map("b", ", \"labels\": {\"skip\": \"yes\"}");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @Test
    void oldObjectsRequestsAndNamespacesCanBeAskedAbout() {
        policy("p", "\"UPDATE\", \"DELETE\"", "",
                """
                        {"expression": "request.operation == 'DELETE' || object.data.size >= oldObject.data.size",
                         "message": "shrinks"},
                         {"expression": "object != null || namespaceObject.metadata.name != 'default' || \
                        request.userInfo.username == 'x'"}""");
        assertThat(rest.last.code()).isEqualTo(201);
        map("a", "");
        bind("p", "\"Deny\"", "");
        assertThat(Json.text(rest.merge(MAPS + "/a", "{\"data\": {\"size\": \"2\"}}"), "message"))
                .endsWith("denied request: shrinks");
        rest.merge(MAPS + "/a", "{\"data\": {\"size\": \"4\"}}");
        assertThat(rest.last.code()).isEqualTo(200);
        assertThat(Json.text(rest.delete(MAPS + "/a"), "message"))
                .contains("denied request: failed expression: object");
        rest.delete(MAPS);
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(Json.text(rest.get(MAPS + "/a"), "data", "size")).isEqualTo("4");
    }

    @Test
    void aBindingMayNarrowWarnAndBringParameters() {
        rest.post(MAPS, "{\"metadata\": {\"name\": \"limit\"}, \"data\": {\"most\": \"2\"}}");
        policy("p", "\"CREATE\"", "\"paramKind\": {\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"},",
                "{\"expression\": \"int(object.data.size) <= int(params.data.most)\", \"message\": \"too large\"}");
        bind("p", "\"Warn\"", """
                "paramRef": {"name": "limit", "namespace": "default", "parameterNotFoundAction": "Deny"},
                 "matchResources": {"objectSelector": {"matchLabels": {"checked": "yes"}}},""");
        map("free", "");
        assertThat(rest.last.warnings()).isEmpty();
        map("checked", ", \"labels\": {\"checked\": \"yes\"}");
        assertThat(rest.last.code()).isEqualTo(201);
        assertThat(rest.last.warnings()).containsExactly(
                "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-bound': too large");
        rest.delete(MAPS + "/limit");
        assertThat(Json.text(map("unknown", ", \"labels\": {\"checked\": \"yes\"}"), "message"))
                .as("whatever the actions of the binding").contains("no params found for policy binding");
    }

    @Test
    void whatCannotBeDecidedIsDeniedUnlessThePolicyIsToFailOpen() {
        policy("closed", "\"CREATE\"", "", "{\"expression\": \"object.data.gone == 'x'\"}");
        bind("closed", "\"Deny\"", "");
        assertThat(Json.text(map("a", ""), "message"))
                .contains("denied request: expression 'object.data.gone == 'x'' resulted in error: ");
        rest.merge(GROUP + "validatingadmissionpolicies/closed", "{\"spec\": {\"failurePolicy\": \"Ignore\"}}");
        map("a", "");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @Test
    void aPolicyWhoseExpressionsDoNotCompileIsNoPolicy() {
        assertThat(Json.text(policy("p", "\"*\"", "", "{\"expression\": \"object.\"}"), "message"))
                .contains("spec.validations[0].expression: Invalid value: \"object.\": compilation failed: ERROR: ");
        assertThat(
                Json.text(policy("p", "\"*\"", "\"matchConditions\": [{\"name\": \"c\", \"expression\": \"1 + 1\"}],",
                        "{\"expression\": \"true\"}"), "message"))
                .contains("spec.matchConditions[0].expression")
                .contains("must evaluate to bool but got int");
        assertThat(rest.last.code()).isEqualTo(422);
    }
}
