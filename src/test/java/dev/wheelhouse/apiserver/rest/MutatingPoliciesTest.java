package dev.wheelhouse.apiserver.rest;

import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mutating policies that make values without end. {@link TranscriptTest} and {@code RecordedPoliciesTest} have their
 * rules.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MutatingPoliciesTest {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
    private final RestClient rest = new RestClient();

    /** Creates a ConfigMap under a policy with a patch and variables, each an expression about the one before. */
    private void refuses(String patch, String first, String next, int count, String problem) {
        ObjectNode policy = (ObjectNode) Json.read("""
                {"metadata": {"name": "p"}, "spec": {"reinvocationPolicy": "IfNeeded", "matchConstraints":
                 {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                  "resources": ["*"]}]}}}""");
        ObjectNode spec = policy.withObject("spec");
        ArrayNode variables = spec.putArray("variables");
        for (int i = 0; i <= count; i++) {
            variables.addObject().put("name", "v" + i).put("expression",
                    i == 0 ? first : next.replace("BEFORE", "variables.v" + (i - 1)));
        }
        spec.putArray("mutations").addObject().put("patchType", "JSONPatch").putObject("jsonPatch").put("expression",
                patch);
        rest.post(GROUP + "mutatingadmissionpolicies", policy.toString());
        assertThat(rest.last.code()).as(rest.last.toString()).isEqualTo(201);
        rest.create(GROUP + "mutatingadmissionpolicybindings", "{metadata: {name: p}, spec: {policyName: p}}");
        assertThat(rest.last.code()).isEqualTo(201);

        JsonNode answer = rest.create(NS + "configmaps", "{metadata: {name: m}, data: {a: b}}");

        assertThat(rest.last.code()).isEqualTo(403);
        assertThat(Json.text(answer, "message")).contains(problem);
    }

    @Test
    void aValueThatContainsItselfManyTimesIsRefusedBeforeItIsWritten() {
        refuses("[JSONPatch{op: \"add\", path: \"/data/x\", value: variables.v40}]", "['x', 'y']", "[BEFORE, BEFORE]",
                40,
                "the patch is too large or nests too deeply");
    }

    /** Few variables with many levels each: a variable of a variable takes more of the thread's stack than a level. */
    @Test
    void aValueThatNestsTooDeeplyIsRefused() {
        refuses("[JSONPatch{op: \"add\", path: \"/data/x\", value: variables.v25}]", "{'x': dyn('y')}",
                "{'x': dyn(".repeat(12) + "BEFORE" + ")}".repeat(12), 25, "the patch is too large or nests too deeply");
    }

    @Test
    void aPatchThatMakesAHugeObjectIsRefused() {
        refuses(IntStream.range(0, 30)
                .mapToObj(i -> "JSONPatch{op: \"copy\", from: \"/data\", path: \"/data/x" + i + "\"}")
                .collect(Collectors.joining(", ", "[", "]")), "1", "", 0, "Unable to complete the copy");
    }
}
