package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.Security;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules of mirror pods, and of the Secrets that an account's pods may name, in the words of a kube-apiserver of
 * 1.36.
 */
class MirrorPodsTest {
    private static final String STRATEGIC = "application/strategic-merge-patch+json";
    private static final String MIRROR = "{\"kubernetes.io/config.mirror\": \"x\"}";
    private static final String REFERENCE = "\"env\": [{\"name\": \"E\", \"valueFrom\":"
            + " {\"secretKeyRef\": {\"name\": \"other\", \"key\": \"k\"}}}]";

    private final RestClient rest = new RestClient(Security.none().withPodAccounts(true));

    @BeforeEach
    void accounts() {
        rest.post(NS + "serviceaccounts", "{\"metadata\": {\"name\": \"default\"}}");
    }

    private String create(String name, String annotations, String spec) {
        JsonNode answer = rest.post(NS + "pods", """
                {"metadata": {"name": "%s", "annotations": %s}, "spec": {%s}}""".formatted(name, annotations, spec));
        return rest.last.code() + " " + answer.path("message").asString("");
    }

    private String patch(String path, String type, String body) {
        JsonNode answer = rest.call("PATCH", NS + path, type, body);
        return rest.last.code() + " " + answer.path("message").asString("");
    }

    private static String spec(String more) {
        return "\"nodeName\": \"n\", \"containers\": [{\"name\": \"c\", \"image\": \"i\"}]" + more;
    }

    @Test
    void aMirrorPodIsOnANodeAndHasNoClaims() {
        assertThat(create("m", MIRROR, spec(""))).isEqualTo("201 ");
        assertThat(create("cm", MIRROR, spec(", \"volumes\": [{\"name\": \"v\", \"configMap\": {\"name\": \"s\"}}]")))
                .isEqualTo("201 ");
        assertThat(create("u", MIRROR, "\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]"))
                .isEqualTo("422 Pod \"u\" is invalid: metadata.annotations[kubernetes.io/config.mirror]: Invalid value:"
                        + " \"x\": must set spec.nodeName if mirror pod annotation is set");
        assertThat(create("u", MIRROR,
                spec(", \"resourceClaims\": [{\"name\": \"r\", \"resourceClaimName\": \"x\"}]")))
                .isEqualTo("422 Pod \"u\" is invalid: []: Forbidden: static pods do not support resource claims");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"serviceAccountName: default|service accounts",
            "serviceAccount: default|service accounts", "imagePullSecrets: [{name: s}]|secrets",
            "volumes: [{name: v, secret: {secretName: s}}]|secrets",
            "volumes: [{name: v, projected: {sources: [{secret: {name: s}}]}}]|secrets",
            "volumes: [{name: v, azureFile: {secretName: s, shareName: x}}]|secrets",
            "volumes: [{name: v, csi: {driver: d.x, nodePublishSecretRef: {name: s}}}]|secrets",
            "volumes: [{name: v, flexVolume: {driver: a/b, secretRef: {name: s}}}]|secrets",
            "volumes: [{name: v, rbd: {monitors: [m], image: i, secretRef: {name: s}}}]|secrets",
            "volumes: [{name: v, cephfs: {monitors: [m], secretRef: {name: s}}}]|secrets",
            "volumes: [{name: v, iscsi: {targetPortal: p, iqn: i, lun: 0, secretRef: {name: s}}}]|secrets",
            "initContainers: [{name: j, image: i, envFrom: [{secretRef: {name: s}}]}]|secrets",
            "initContainers: [{name: j, image: i, env: [{name: E, valueFrom: {secretKeyRef: {name: s,"
                    + " key: k}}}]}]|secrets",
            "volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]|token"})
    void aMirrorPodNamesNeitherAnAccountNorASecret(String field, String what) {
        JsonNode answer = rest.call("POST", NS + "pods", "application/yaml",
                "metadata: {name: a, annotations: {kubernetes.io/config.mirror: x}}\nspec: {nodeName: node-1, "
                        + "containers: [{name: c, image: i}], " + field + "}\n");

        assertThat(rest.last.code()).isEqualTo(403);
        assertThat(answer.path("message").asString()).isEqualTo("pods \"a\" is forbidden: a mirror pod may not "
                + (what.equals("token") ? "use ServiceAccountToken volume projections" : "reference " + what));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/status"})
    void noChangeAddsChangesOrRemovesTheAnnotationOfAMirrorPod(String subresource) {
        create("m", MIRROR, spec(""));
        create("p", "{}", spec(""));
        String refused = "422 Pod \"%s\" is invalid: metadata.annotations[%s]: Forbidden: may not %s";
        String merge = "application/merge-patch+json";
        String mirror = "kubernetes.io/config.mirror";
        String appArmor = "container.apparmor.security.beta.kubernetes.io/c";
        String annotations = "{\"metadata\": {\"annotations\": {\"%s\": %s}}}";

        assertThat(patch("pods/p" + subresource, merge, annotations.formatted(mirror, "\"x\"")))
                .isEqualTo(refused.formatted("p", mirror, "add mirror pod annotation"));
        for (String value : new String[]{"\"y\"", "null"}) {
            assertThat(patch("pods/m" + subresource, merge, annotations.formatted(mirror, value)))
                    .isEqualTo(refused.formatted("m", mirror, "remove or update mirror pod annotation"));
        }
        assertThat(patch("pods/p" + subresource, merge, annotations.formatted(appArmor, "\"runtime/default\"")))
                .isEqualTo(refused.formatted("p", appArmor, "add AppArmor annotations"));
        assertThat(patch("pods/m" + subresource, merge, annotations.formatted("a", "\"b\""))).isEqualTo("200 ");
    }

    @Test
    void aMirrorPodIsNeitherDebuggedNorResized() {
        create("m", MIRROR, spec(""));

        assertThat(patch("pods/m/ephemeralcontainers", STRATEGIC,
                "{\"spec\": {\"ephemeralContainers\": [{\"name\": \"e\", \"image\": \"i\"}]}}"))
                .isEqualTo("422 Pod \"m\" is invalid: []: Forbidden: static pods do not support ephemeral containers");
        assertThat(patch("pods/m/resize", STRATEGIC,
                "{\"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}}"))
                .isEqualTo("422 Pod \"m\" is invalid: []: Forbidden: static pods cannot be resized");
    }

    private void account(String name, String enforced) {
        rest.post(NS + "serviceaccounts", """
                {"metadata": {"name": "%s", "annotations": {"kubernetes.io/enforce-mountable-secrets": "%s"}},
                 "secrets": [{"name": "mine"}], "imagePullSecrets": [{"name": "registry"}]}""".formatted(name,
                enforced));
    }

    private static String of(String account, String more) {
        return spec(", \"serviceAccountName\": \"" + account + "\"" + more);
    }

    @Test
    void thePodsOfAStrictAccountNameOnlyTheSecretsThatItLists() {
        account("strict", "true");
        String refused = "403 pods \"x\" is forbidden: %s is not allowed because service account strict does not"
                + " reference that %s";
        String container = ", \"%s\": [{\"name\": \"j\", \"image\": \"i\", %s}]";
        String from = "\"envFrom\": [{\"secretRef\": {\"name\": \"other\"}}]";

        assertThat(create("ok", "{}",
                of("strict", ", \"imagePullSecrets\": [{\"name\": \"registry\"}], \"volumes\": [{\"name\": \"v\","
                        + " \"secret\": {\"secretName\": \"mine\"}}, {\"name\": \"w\", \"projected\": {\"sources\":"
                        + " [{\"secret\": {\"name\": \"other\"}}]}}]")))
                .isEqualTo("201 ");
        assertThat(create("x", "{}",
                of("strict", ", \"volumes\": [{\"name\": \"v\", \"secret\": {\"secretName\": \"other\"}}]")))
                .isEqualTo(refused.formatted("volume with secret.secretName=\"other\"", "secret"));
        assertThat(create("x", "{}", of("strict", container.formatted("initContainers", REFERENCE))))
                .isEqualTo(refused.formatted(
                        "init container j with envVar E referencing secret.secretName=\"other\"", "secret"));
        assertThat(create("x", "{}", of("strict", container.formatted("initContainers", from)))).isEqualTo(
                refused.formatted("init container j with envFrom referencing secret.secretName=\"other\"", "secret"));
        assertThat(create("x", "{}", "\"serviceAccountName\": \"strict\""
                + container.formatted("containers", REFERENCE))).isEqualTo(refused.formatted(
                        "container j with envVar E referencing secret.secretName=\"other\"", "secret"));
        assertThat(create("x", "{}",
                of("strict", ", \"imagePullSecrets\": [{\"name\": \"registry\"}, {\"name\": \"other\"}]")))
                .isEqualTo(refused.formatted("imagePullSecrets[1].name=\"other\"", "imagePullSecret"));
    }

    @Test
    void theRuleHoldsForEphemeralContainersAndForNoOtherChange() {
        account("strict", "true");
        create("x", "{}", of("strict", ""));
        String debugger = "{\"spec\": {\"ephemeralContainers\": [{\"name\": \"e\", \"image\": \"i\", %s}]}}";

        assertThat(patch("pods/x/ephemeralcontainers", STRATEGIC, debugger.formatted(REFERENCE)))
                .isEqualTo("403 pods \"x\" is forbidden: ephemeral container e with envVar E referencing"
                        + " secret.secretName=\"other\" is not allowed because service account strict does not"
                        + " reference that secret");
        assertThat(patch("pods/x/ephemeralcontainers", STRATEGIC,
                debugger.formatted(REFERENCE.replace("other", "mine")))).isEqualTo("200 ");
        rest.delete(NS + "serviceaccounts/strict");
        assertThat(patch("pods/x", STRATEGIC, "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}")).isEqualTo("200 ");
    }

    @ParameterizedTest
    @CsvSource({"true,403", "T,403", "1,403", "yes,201", "false,201", "tRue,201"})
    void theAnnotationIsReadAsGoReadsBooleans(String value, int code) {
        account("a", value);
        create("x", "{}", "\"serviceAccountName\": \"a\", \"containers\": [{\"name\": \"c\", \"image\": \"i\", "
                + REFERENCE + "}]");

        assertThat(rest.last.code()).isEqualTo(code);
    }

    @Test
    void theAnnotationOfAnAccountIsDeprecated() {
        String warning = "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer"
                + " separate namespaces to isolate access to mounted secrets";
        account("a", "true");
        assertThat(rest.last.warnings()).containsExactly(warning);

        rest.merge(NS + "serviceaccounts/a", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
        assertThat(rest.last.warnings()).isEmpty();
        rest.merge(NS + "serviceaccounts/default",
                "{\"metadata\": {\"annotations\": {\"kubernetes.io/enforce-mountable-secrets\": \"no\"}}}");
        assertThat(rest.last.warnings()).containsExactly(warning);
    }

    @ParameterizedTest
    @CsvSource({"enforce,restricted,1", "audit,baseline,1", "warn,restricted,1", "enforce,privileged,0",
            "enforce-version,latest,0"})
    void aNamespaceThatAsksForPodSecurityIsToldThatNothingIsChecked(String label, String level, int warnings) {
        String key = "pod-security.kubernetes.io/" + label;
        rest.post("/api/v1/namespaces",
                "{\"metadata\": {\"name\": \"a\", \"labels\": {\"%s\": \"%s\"}}}".formatted(key, level));
        assertThat(rest.last.code()).isEqualTo(201);
        assertThat(rest.last.warnings()).hasSize(warnings).allSatisfy(warning -> assertThat(warning)
                .startsWith("metadata.labels[" + key + "]: this API server does not check pods"));

        rest.merge("/api/v1/namespaces/a", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
        assertThat(rest.last.warnings()).as("the label has not changed").isEmpty();
        rest.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"b\"}}");
        rest.merge("/api/v1/namespaces/b",
                "{\"metadata\": {\"labels\": {\"%s\": \"%s\"}}}".formatted(key, level));
        assertThat(rest.last.warnings()).hasSize(warnings);
    }
}
