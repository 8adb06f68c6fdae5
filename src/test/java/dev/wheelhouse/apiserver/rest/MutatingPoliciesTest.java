package dev.wheelhouse.apiserver.rest;

import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mutating policies as no author means them, and what is outside of them. {@code RecordedPoliciesTest} has their own
 * rules.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MutatingPoliciesTest {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
    private static final String MAPS = NS + "configmaps";

    private final RestClient rest = new RestClient();

    /** @param variables as elements of a JSON array */
    private void policy(String name, String type, String expression, String variables) {
        policy(name, type, expression, variables, "IfNeeded");
    }

    private void policy(String name, String type, String expression, String variables, String reinvocation) {
        boolean json = type.equals("JSONPatch");
        ObjectNode policy = (ObjectNode) Json.read("""
                {"metadata": {"name": "%s"}, "spec": {"reinvocationPolicy": "%s", "variables": [%s],
                 "matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                 "resources": ["*"]}]}}}""".formatted(name, reinvocation, variables));
        ((ObjectNode) policy.get("spec")).putArray("mutations").addObject().put("patchType", type)
                .putObject(json ? "jsonPatch" : "applyConfiguration").put("expression", expression);
        rest.post(GROUP + "mutatingadmissionpolicies", policy.toString());
        assertThat(rest.last.code()).as(rest.last.toString()).isEqualTo(201);
        rest.post(GROUP + "mutatingadmissionpolicybindings",
                "{\"metadata\": {\"name\": \"%1$s\"}, \"spec\": {\"policyName\": \"%1$s\"}}".formatted(name));
        assertThat(rest.last.code()).isEqualTo(201);
    }

    private JsonNode map(String name) {
        return rest.post(MAPS, "{\"metadata\": {\"name\": \"" + name + "\"}, \"data\": {\"a\": \"b\"}}");
    }

    @Test
    void aPolicyOwnsNoFields() {
        policy("p", "ApplyConfiguration", "Object{data: {\"added\": \"x\"}}", "");
        JsonNode made = map("m");
        assertThat(Json.text(made, "data", "added")).isEqualTo("x");
        assertThat(made.at("/metadata/managedFields").toString()).contains("f:a").doesNotContain("f:added");
        rest.merge(MAPS + "/m", "{\"data\": {\"c\": \"d\"}}");
        assertThat(rest.get(MAPS + "/m").at("/metadata/managedFields").toString()).contains("f:c")
                .doesNotContain("f:added");
    }

    @Test
    void policiesComeInTheOrderOfTheirNamesAndOnceMoreIfTheyWish() {
        policy("y", "ApplyConfiguration", "Object{data: {\"a\": object.data.a + \"2\"}}", "", "Never");
        policy("x", "ApplyConfiguration", "Object{data: {\"a\": object.data.a + \"1\"}}", "");
        assertThat(Json.text(map("m"), "data", "a")).isEqualTo("b121");
        policy("z", "ApplyConfiguration", "Object{data: {\"a\": object.data.a + \"3\"}}", "");
        assertThat(Json.text(map("n"), "data", "a")).isEqualTo("b12313");
    }

    @Test
    void aPolicyTakesTheFieldsOfOthersFromNobody() {
        policy("p", "JSONPatch", "[JSONPatch{op: \"add\", path: \"/metadata/managedFields\", value: []}]", "");
        assertThat(map("m").at("/metadata/managedFields").toString()).contains("f:a");
    }

    @Test
    void anObjectWithoutMetadataIsNoObject() {
        policy("p", "JSONPatch", "[JSONPatch{op: \"replace\", path: \"/metadata\", value: \"x\"}]", "");
        assertThat(Json.text(map("m"), "message")).contains("json: cannot unmarshal string into Go struct field");
        assertThat(rest.last.code()).isEqualTo(500);
    }

    @Test
    void aPolicyCannotKeepItselfFromBeingMended() {
        policy("p", "ApplyConfiguration", "Object{metadata: Object.metadata{name: object.gone}}", "");
        map("m");
        assertThat(rest.last.code()).isEqualTo(403);
        rest.merge(GROUP + "mutatingadmissionpolicies/p", "{\"spec\": {\"failurePolicy\": \"Ignore\"}}");
        assertThat(rest.last.code()).isEqualTo(200);
        map("m");
        assertThat(rest.last.code()).isEqualTo(201);
        rest.delete(MAPS + "/m");
        assertThat(rest.last.code()).as("deletions are none of its business").isEqualTo(200);
    }

    @Test
    void aChangedPolicyCountsAtOnceAndOneWithoutBindingDoesNot() {
        policy("p", "ApplyConfiguration", "Object{data: {\"v\": \"1\"}}", "");
        assertThat(Json.text(map("a"), "data", "v")).isEqualTo("1");
        rest.merge(GROUP + "mutatingadmissionpolicies/p", """
                {"spec": {"mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration":
                 {"expression": "Object{data: {'v': '2'}}"}}]}}""");
        assertThat(Json.text(map("b"), "data", "v")).isEqualTo("2");
        rest.delete(GROUP + "mutatingadmissionpolicybindings/p");
        assertThat(map("c").path("data").has("v")).isFalse();
    }

    @Test
    void aValueThatContainsItselfManyTimesIsRefusedBeforeItIsWritten() {
        policy("p", "JSONPatch", "[JSONPatch{op: \"add\", path: \"/data/x\", value: variables.v40}]",
                "{\"name\": \"v0\", \"expression\": \"['x', 'y']\"}," + IntStream.rangeClosed(1, 40).mapToObj(
                        i -> "{\"name\": \"v%d\", \"expression\": \"[variables.v%d, variables.v%2$d]\"}"
                                .formatted(i, i - 1))
                        .collect(Collectors.joining(",")));
        assertThat(Json.text(map("m"), "message")).contains("the patch is too large or nests too deeply");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    @Test
    void anOptionalValueIsNoJson() {
        policy("p", "JSONPatch", "[JSONPatch{op: \"add\", path: \"/data/x\", value: optional.of(1)}]", "");
        assertThat(Json.text(map("m"), "message")).contains("could not marshal to JSON");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    @Test
    void operationsWithoutFieldsCountToo() {
        policy("p", "JSONPatch", "[lists.range(1000).map(i, JSONPatch{})]" + ".map(a, a + a)".repeat(12) + "[0]", "");
        assertThat(Json.text(map("m"), "message")).contains("the patch is too large or nests too deeply");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    /** Few variables with many levels each: a variable of a variable takes more of the thread's stack than a level. */
    @Test
    void aValueThatNestsTooDeeplyIsRefused() {
        String levels = "{'x': dyn(".repeat(12) + "%s" + ")}".repeat(12);
        policy("p", "JSONPatch", "[JSONPatch{op: \"add\", path: \"/data/x\", value: variables.v25}]",
                "{\"name\": \"v0\", \"expression\": \"{'x': dyn('y')}\"}," + IntStream.rangeClosed(1, 25).mapToObj(
                        i -> "{\"name\": \"v%d\", \"expression\": \"%s\"}".formatted(i,
                                levels.formatted("variables.v" + (i - 1))))
                        .collect(Collectors.joining(",")));
        assertThat(Json.text(map("m"), "message")).contains("the patch is too large or nests too deeply");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    @Test
    void aVariableThatNeedsItselfIsNoVariable() {
        ObjectNode policy = (ObjectNode) Json.read("""
                {"metadata": {"name": "p"}, "spec": {"reinvocationPolicy": "Never", "variables": [
                 {"name": "v", "expression": "variables.v"}], "matchConstraints": {"resourceRules": [
                 {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}]},
                 "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "false ? [JSONPatch{}] : []"}}]}}
                """);
        assertThat(Json.text(rest.post(GROUP + "mutatingadmissionpolicies", policy.toString()), "message"))
                .contains("spec.variables[0].expression", "undefined field 'v'");
    }

    @Test
    void aPatchThatMakesAHugeObjectIsRefused() {
        String copies = IntStream.range(0, 30).mapToObj(i -> "JSONPatch{op: \"copy\", from: \"/data\", path: \"/data/x"
                + i + "\"}").collect(Collectors.joining(", ", "[", "]"));
        policy("p", "JSONPatch", copies, "");
        assertThat(Json.text(map("m"), "message")).contains("Unable to complete the copy");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    @Test
    void anExpressionEndsAtItsBudgetWhateverItConstructs() {
        policy("p", "ApplyConfiguration", """
                Object{data: {"n": string(lists.range(100000).map(i, Object.spec{a: Object.spec.a{b: i}}).size())}}""",
                "");
        assertThat(Json.text(map("m"), "message")).endsWith("operation cancelled: actual cost limit exceeded");
    }

    @Test
    void keysOfPathsAreEscaped() {
        policy("p", "JSONPatch", """
                [JSONPatch{op: "test", path: "/data/a", value: jsonpatch.escapeKey("~/") == "~0~1" ? "b" : "no"},
                 JSONPatch{op: "add", path: "/data/e", value: jsonpatch.escapeKey("a/b~c")}]""", "");
        assertThat(Json.text(map("m"), "data", "e")).isEqualTo("a~1b~0c");
    }
}
