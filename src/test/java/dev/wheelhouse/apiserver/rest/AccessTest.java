package dev.wheelhouse.apiserver.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Attempts to do more than the own roles allow. */
class AccessTest {
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";
    private static final String EVERYTHING = """
            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}""";

    private final ManualClock clock = new ManualClock();
    private final ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
    private final RestServer rest = new RestServer(store, clock, new SplittableRandom(1),
            Security.of(AuthorizationMode.RBAC,
                    Map.of("eve", new User("eve", "", List.of("system:authenticated"), Map.of())),
                    ServerKeys.inMemory()),
            new ServerInfo(() -> "", () -> "", RuntimeConfig.parse("api/all=true")));
    private int code;

    private JsonNode send(ApiRequest request) {
        ApiResponse answer = rest.handle(request);
        if (answer instanceof ApiResponse.Stream stream) {
            stream.feed().close();
            code = 200;
            return Json.object();
        }
        ApiResponse.Content content = (ApiResponse.Content) answer;
        code = content.code();
        return Json.read(content.body());
    }

    private static ApiRequest request(String method, String path, String body) {
        return ApiRequest.of(method, path, method.equals("PATCH")
                ? "application/merge-patch+json"
                : "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a request as the administrator and expects success. */
    private JsonNode admin(String method, String path, String body) {
        JsonNode answer = send(request(method, path, body));
        assertThat(code).as("%s %s: %s", method, path, answer).isLessThan(300);
        return answer;
    }

    private JsonNode as(String token, String method, String path, String body) {
        return send(request(method, path, body)
                .withCredentials(Credentials.of(Map.of("Authorization", List.of("Bearer " + token)), null)));
    }

    private JsonNode eve(String method, String path, String body) {
        return as("eve", method, path, body);
    }

    /** Gives the user eve a role with these rules, in the namespace {@code default} or everywhere. */
    private void allow(String name, boolean everywhere, String rules) {
        String kind = everywhere ? "ClusterRole" : "Role";
        String home = everywhere ? RBAC + "/clusterrole" : RBAC + "/namespaces/default/role";
        admin("POST", home + "s", "{\"metadata\": {\"name\": \"" + name + "\"}, \"rules\": [" + rules + "]}");
        admin("POST", home + "bindings", "{\"metadata\": {\"name\": \"" + name + "\"}, \"roleRef\": {\"kind\": \""
                + kind + "\", \"name\": \"" + name + "\"}, \"subjects\": [{\"kind\": \"User\", \"name\": \"eve\"}]}");
    }

    @BeforeEach
    void makeSecrets() {
        for (String name : List.of("allowed", "other")) {
            admin("POST", SECRETS, "{\"metadata\": {\"name\": \"" + name + "\"}}");
        }
    }

    /** Such names are those of users, which the right to impersonate the accounts of a namespace does not cover. */
    @ParameterizedTest
    @CsvSource({"worker, 201", "w.orker-1, 201", "Worker, 403", "a_b, 403", "-a, 403", "a/b, 403", "a..b, 403",
            "'', 403", "a:b, 403"})
    void onlyNamesThatAnAccountCanHaveAreImpersonatedAsAccounts(String name, int expected) {
        allow("impersonate", false, """
                {"verbs": ["impersonate"], "apiGroups": [""], "resources": ["serviceaccounts"]}""");
        send(request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}").withCredentials(
                Credentials.of(Map.of("Authorization", List.of("Bearer eve"), "Impersonate-User",
                        List.of("system:serviceaccount:default:" + name)), null)));
        assertThat(code).isEqualTo(expected);
    }

    @Test
    void metricsNeedTheRightsThatRolesNameAndNoOthers() {
        String custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/requests";
        for (String path : List.of("/apis/metrics.k8s.io/v1beta1/nodes", custom,
                "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue")) {
            eve("GET", path, "");
            assertThat(code).as(path).isEqualTo(403);
        }
        allow("metrics", false, """
                {"verbs": ["get"], "apiGroups": ["custom.metrics.k8s.io"], "resources": ["pods/requests"]}""");
        eve("GET", custom, "");
        assertThat(code).isEqualTo(200);
        eve("GET", custom.replace("requests", "other"), "");
        assertThat(code).isEqualTo(403);
        eve("GET", custom.replace("default", "kube-system"), "");
        assertThat(code).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get"})
    void aWatchPathIsForGetAlone(String method) {
        allow("reader", true, """
                {"verbs": ["get", "list", "watch"], "apiGroups": ["", "apps"],
                 "resources": ["pods", "secrets", "deployments", "serviceaccounts", "serviceaccounts/token"]}""");
        long version = store.version();

        for (String path : List.of("/api/v1/watch/namespaces/default/pods",
                "/api/v1/watch/namespaces/default/secrets/allowed", "/api/v1/watch/secrets",
                "/apis/apps/v1/watch/namespaces/default/deployments")) {
            eve(method, path, "{\"metadata\": {\"name\": \"x\"}}");
            assertThat(code).as("%s %s", method, path).isEqualTo(405);
        }
        assertThat(store.version()).isEqualTo(version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE"})
    void aWatchPathHasNoSubresourcesAndNothingThatCannotBeWatched(String method) {
        allow("reader", true, """
                {"verbs": ["watch"], "apiGroups": ["*"], "resources": ["*"]}""");
        long version = store.version();

        for (String path : List.of("/api/v1/watch/namespaces/kube-system/serviceaccounts/default/token",
                "/api/v1/watch/namespaces/default/pods/p/binding", "/api/v1/watch/namespaces/default/finalize",
                "/apis/apps/v1/watch/namespaces/default/deployments/d/scale", "/api/v1/proxy/namespaces/default/pods/p",
                "/api/v1/watch/namespaces/default/pods/p/eviction", "/api/v1/watch/namespaces/default/bindings",
                "/apis/authentication.k8s.io/v1/watch/tokenreviews")) {
            eve(method, path, "{}");
            assertThat(code).as("%s %s", method, path).isIn(403, 404).isEqualTo(path.contains("proxy") ? 403 : 404);
        }
        assertThat(store.version()).isEqualTo(version);
    }

    @Test
    void aWatchPathIsWatchedByWhoMayWatch() {
        allow("watcher", false, """
                {"verbs": ["watch"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["allowed"]}""");

        eve("GET", "/api/v1/watch/namespaces/default/secrets/allowed", "");
        assertThat(code).isEqualTo(200);
        eve("GET", "/api/v1/watch/namespaces/default/secrets/other", "");
        assertThat(code).isEqualTo(403);
        eve("GET", "/api/v1/watch/namespaces/default/secrets", "");
        assertThat(code).isEqualTo(403);
        eve("GET", "/api/v1/watch/namespaces/default/secrets?fieldSelector=metadata.name%3Dallowed", "");
        assertThat(code).as("a watch path does not read selectors for authorization").isEqualTo(403);
        eve("GET", SECRETS + "?watch=1&fieldSelector=metadata.name%3Dallowed", "");
        assertThat(code).isEqualTo(200);
        eve("GET", "/api/v1/watch/namespaces/default/secrets/allowed?fieldSelector=metadata.name%3Dother", "");
        assertThat(code).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"type!=x\\,metadata.name=allowed", "type!=\\,metadata.name=allowed",
            "metadata.name!=allowed",
            "type!=x\\\\\\,metadata.name=allowed", "type=Opaque,type!=a\\,metadata.name=allowed",
            "metadata.name=allowed\\x", "metadata.name=a=allowed", "metadata.name =allowed", "xmetadata.name=allowed",
            ",", "metadata.name=other,metadata.name=allowed\\"})
    void onlyASelectorThatLeavesTheAllowedNameIsAllowed(String selector) {
        allow("one", false, """
                {"verbs": ["get", "list", "watch", "deletecollection", "delete"], "apiGroups": [""],
                 "resources": ["secrets"], "resourceNames": ["allowed"]}""");
        String query = "?fieldSelector=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);

        eve("GET", SECRETS + query, "");
        assertThat(code).isEqualTo(403);
        eve("GET", SECRETS + query + "&watch=true", "");
        assertThat(code).isEqualTo(403);
        eve("DELETE", SECRETS + query, "");
        assertThat(code).isEqualTo(403);
        assertThat(admin("GET", SECRETS, "").path("items")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"metadata.name=allowed", "metadata.name==allowed", "type!=x\\,y,metadata.name=allowed",
            "metadata.name=allowed,metadata.name=other"})
    void aSelectorOfTheAllowedNameShowsNothingElse(String selector) {
        allow("one", false, """
                {"verbs": ["list", "deletecollection"], "apiGroups": [""], "resources": ["secrets"],
                 "resourceNames": ["allowed"]}""");
        String query = "?fieldSelector=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);

        JsonNode list = eve("GET", SECRETS + query, "");
        assertThat(code).isEqualTo(200);
        assertThat(list.path("items").findValuesAsString("name")).doesNotContain("other");
        eve("DELETE", SECRETS + query, "");
        assertThat(code).as("selectors do not count when collections are deleted, as upstream").isEqualTo(403);
    }

    @Test
    void whoMayLabelRolesDoesNotBecomeAnAdministratorByAggregation() {
        allow("labeller", true, """
                {"verbs": ["get", "update", "patch"], "apiGroups": ["rbac.authorization.k8s.io"],
                 "resources": ["clusterroles"]}""");
        admin("POST", RBAC + "/clusterroles",
                "{\"metadata\": {\"name\": \"strong\"}, \"rules\": [" + EVERYTHING + "]}");
        String label = """
                {"metadata": {"labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}}}""";

        JsonNode refused = eve("PATCH", RBAC + "/clusterroles/strong", label);
        assertThat(code).isEqualTo(403);
        assertThat(Json.text(refused, "message"))
                .contains("is attempting to grant RBAC permissions not currently held");
        eve("PUT", RBAC + "/clusterroles/strong", """
                {"metadata": {"name": "strong", "labels": {"rbac.authorization.k8s.io/aggregate-to-edit": "true"}},
                 "rules": [%s]}""".formatted(EVERYTHING));
        assertThat(code).isEqualTo(403);
        send(ApiRequest.of("PATCH", RBAC + "/clusterroles/strong?fieldManager=eve", "application/apply-patch+yaml",
                ("{\"apiVersion\": \"rbac.authorization.k8s.io/v1\", \"kind\": \"ClusterRole\", \"metadata\": "
                        + "{\"name\":"
                        + " \"strong\", \"labels\": {\"rbac.authorization.k8s.io/aggregate-to-edit\": \"true\"}}}")
                        .getBytes(StandardCharsets.UTF_8))
                .withCredentials(Credentials.of(Map.of("Authorization", List.of("Bearer eve")), null)));
        assertThat(code).isEqualTo(403);
        assertThat(admin("GET", RBAC + "/clusterroles/view", "").path("rules").toString()).doesNotContain("\"*\"");
    }

    @Test
    void anAggregatedRoleIsChangedByAdministratorsAlone() {
        allow("writer", true, """
                {"verbs": ["get", "create", "update", "patch"], "apiGroups": ["rbac.authorization.k8s.io"],
                 "resources": ["clusterroles"]}""");

        eve("PATCH", RBAC + "/clusterroles/view", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
        assertThat(code).isEqualTo(403);
        eve("PATCH", RBAC + "/clusterroles/view", "{\"aggregationRule\": null, \"rules\": []}");
        assertThat(code).as("who ends the aggregation changes what a role grants").isEqualTo(403);
        eve("POST", RBAC + "/clusterroles", """
                {"metadata": {"name": "mine"}, "rules": [],
                 "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}""");
        assertThat(code).isEqualTo(403);
        eve("POST", RBAC + "/clusterroles", "{\"metadata\": {\"name\": \"mine\"}, \"rules\": []}");
        assertThat(code).isEqualTo(201);
    }

    @Test
    void onlyTheGarbageCollectorsFieldsOfARoleAreFree() {
        allow("writer", true, """
                {"verbs": ["get", "update", "patch"], "apiGroups": ["rbac.authorization.k8s.io"],
                 "resources": ["clusterroles", "clusterrolebindings"]}""");

        eve("PATCH", RBAC + "/clusterroles/cluster-admin", "{\"metadata\": {\"finalizers\": [\"a.io/b\"]}}");
        assertThat(code).isEqualTo(200);
        eve("PATCH", RBAC + "/clusterrolebindings/cluster-admin", """
                {"metadata": {"ownerReferences":
                 [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}]}}""");
        assertThat(code).isEqualTo(200);
        eve("PATCH", RBAC + "/clusterrolebindings/cluster-admin", "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}");
        assertThat(code).isEqualTo(403);
        eve("PATCH", RBAC + "/clusterrolebindings/cluster-admin",
                "{\"subjects\": [{\"kind\": \"User\", \"name\": \"eve\"}]}");
        assertThat(code).isEqualTo(403);
    }

    @Test
    void aTokenIsVoidOnceItsServiceAccountOrPodIsDeletedAlsoWhereFinalizersHoldThem() {
        admin("POST", "/api/v1/namespaces/default/serviceaccounts",
                "{\"metadata\": {\"name\": \"robot\", \"finalizers\": [\"a.io/b\"]}}");
        admin("POST", "/api/v1/namespaces/default/pods",
                """
                        {"metadata": {"name": "p", "finalizers": ["a.io/b"]},
                         "spec": {"serviceAccountName": "robot", "nodeName": "n", "containers": [{"name": "c",
                          "image": "i"}]}}""");
        String accounts = "/api/v1/namespaces/default/serviceaccounts/";
        String own = Json.text(admin("POST", accounts + "robot/token", "{\"spec\": {}}"), "status", "token");
        String ofPod = Json.text(admin("POST", accounts + "robot/token", """
                {"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p"}}}"""), "status", "token");

        admin("DELETE", "/api/v1/namespaces/default/pods/p", "{\"gracePeriodSeconds\": 30}");
        assertThat(whoAmI(ofPod)).as("a pod that shuts down still works").isEqualTo(201);
        clock.advance(Duration.ofSeconds(31));
        assertThat(whoAmI(ofPod)).isEqualTo(401);
        assertThat(whoAmI(own)).isEqualTo(201);
        admin("DELETE", accounts + "robot", "");
        assertThat(whoAmI(own)).isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"metadata": {"name": "other"}}                                   | 422
            {"metadata": {"namespace": "kube-system"}}                        | 400
            {"metadata": {"uid": "another"}}                                  | 409
            {"kind": "Pod", "apiVersion": "v1"}                               | 400
            {"spec": {"expirationSeconds": "600"}}                            | 400
            {"spec": {"audiences": "x"}}                                      | 400
            {"metadata": {"name": "default", "namespace": "default"}}         | 201
            """)
    void aTokenRequestSpeaksOfItsOwnServiceAccount(String body, int expected) {
        admin("POST", "/api/v1/namespaces/default/serviceaccounts", "{\"metadata\": {\"name\": \"default\"}}");
        send(request("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", body));

        assertThat(code).isEqualTo(expected);
    }

    private static final String REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    private static final String APPROVED = """
            {"status": {"conditions": [{"type": "Approved", "status": "True", "reason": "x", "message": "x"}]}}""";

    private static String signingRequest(String name, String signer, String subject) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        KeyPair keys = generator.generateKeyPair();
        byte[] request = new JcaPKCS10CertificationRequestBuilder(new X500Principal(subject), keys.getPublic())
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())).getEncoded();
        String pem = "-----BEGIN CERTIFICATE REQUEST-----\n" + Base64.getMimeEncoder().encodeToString(request)
                + "\n-----END CERTIFICATE REQUEST-----\n";
        return "{\"metadata\": {\"name\": \"" + name + "\"}, \"spec\": {\"signerName\": \"" + signer
                + "\", \"usages\": [\"client auth\"], \"request\": \""
                + Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)) + "\"}}";
    }

    @Test
    void whoApprovesOrSignsNeedsTheRightToTheSignerAsWell() throws Exception {
        allow("approver", true, """
                {"verbs": ["create", "update", "patch"], "apiGroups": ["certificates.k8s.io"],
                 "resources": ["certificatesigningrequests", "certificatesigningrequests/approval",
                  "certificatesigningrequests/status"]},
                {"verbs": ["approve"], "apiGroups": ["certificates.k8s.io"], "resources": ["signers"],
                 "resourceNames": ["ours.example.com/*"]}""");
        eve("POST", REQUESTS, signingRequest("ours", "ours.example.com/client", "CN=eve"));
        assertThat(code).isEqualTo(201);
        eve("POST", REQUESTS, signingRequest("theirs", "theirs.example.com/client", "CN=eve"));
        assertThat(code).isEqualTo(201);

        eve("PATCH", REQUESTS + "/theirs/approval", APPROVED);
        assertThat(code).isEqualTo(403);
        eve("PATCH", REQUESTS + "/theirs/status", APPROVED);
        assertThat(code).as("approval has a subresource of its own").isEqualTo(422);
        eve("PATCH", REQUESTS + "/ours/status", "{\"status\": {\"certificate\": \"eA==\"}}");
        assertThat(code).as("to approve is not to sign").isEqualTo(403);
        eve("PATCH", REQUESTS + "/ours/approval", APPROVED);
        assertThat(code).isEqualTo(200);
        assertThat(Json.text(admin("GET", REQUESTS + "/ours", ""), "spec", "username")).isEqualTo("eve");
    }

    @Test
    void nobodyAsksForACertificateOfTheAdministrators() throws Exception {
        String signer = "kubernetes.io/kube-apiserver-client";

        send(request("POST", REQUESTS, signingRequest("a", signer, "CN=eve,O=dev,O=system:masters")));
        assertThat(code).isEqualTo(403);
        send(request("POST", REQUESTS, signingRequest("b", signer, "CN=eve,O=dev+O=system:masters")));
        assertThat(code).isEqualTo(403);
        send(request("POST", REQUESTS, signingRequest("c", signer, "CN=eve,O=dev")));
        assertThat(code).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mutating", "validating"})
    void whoWritesAPolicyMayReadItsParameters(String kind) {
        String group = "/apis/admissionregistration.k8s.io/v1/" + kind + "admissionpolic";
        allow("policies", true, """
                {"verbs": ["create", "update", "patch"], "apiGroups": ["admissionregistration.k8s.io"],
                 "resources": ["*"]},
                {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]},
                {"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["allowed"]}""");
        String policy = """
                {"metadata": {"name": "%s"}, "spec": {"paramKind": {"apiVersion": "v1", "kind": "%s"},
                 "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                  "operations": ["CREATE"], "resources": ["pods"]}]},
                 "validations": [{"expression": "false", "messageExpression": "string(params.data)"}],
                 "reinvocationPolicy": "Never", "mutations": [{"patchType": "ApplyConfiguration",
                  "applyConfiguration": {"expression": "Object{data: params.data}"}}]}}""";
        String binding = """
                {"metadata": {"name": "%s"}, "spec": {"policyName": "%s", "validationActions": ["Deny"],
                 "paramRef": {%s, "namespace": "default", "parameterNotFoundAction": "Deny"}}}""";

        eve("POST", group + "ies", policy.formatted("leak", "Secret"));
        assertThat(code).isEqualTo(422);
        eve("POST", group + "ies", policy.formatted("config", "ConfigMap"));
        assertThat(code).isEqualTo(201);
        eve("PATCH", group + "ies/config", "{\"spec\": {\"paramKind\": {\"kind\": \"Secret\"}}}");
        assertThat(code).isEqualTo(422);
        admin("POST", group + "ies", policy.formatted("secret", "Secret"));
        eve("POST", group + "ybindings", binding.formatted("a", "secret", "\"name\": \"other\""));
        assertThat(code).isEqualTo(422);
        eve("POST", group + "ybindings", binding.formatted("b", "secret", "\"selector\": {}"));
        assertThat(code).isEqualTo(422);
        eve("POST", group + "ybindings", binding.formatted("c", "none", "\"name\": \"allowed\""));
        assertThat(code).as("of a policy that is not there, the parameters may be anything").isEqualTo(422);
        eve("POST", group + "ybindings", binding.formatted("d", "secret", "\"name\": \"allowed\""));
        assertThat(code).isEqualTo(201);
    }

    @Test
    void aPolicyMayAskForTheRightsOfTheWriterAndOfServiceAccounts() {
        String group = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolic";
        allow("maps", false, "{\"verbs\": [\"create\"], \"apiGroups\": [\"\"], \"resources\": [\"configmaps\"]}");
        admin("POST", group + "ies", """
                {"metadata": {"name": "p"}, "spec": {"reinvocationPolicy": "Never", "matchConstraints":
                 {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                  "resources": ["configmaps"]}]},
                 "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression":
                  "Object{data: {'delete': string(authorizer.requestResource.check('delete').allowed()),
                   'create': string(authorizer.requestResource.check('create').allowed())}}"}},
                  {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression":
                  "Object{data: {'robot': string(authorizer.serviceAccount('default', 'robot').group('')
                   .resource('configmaps').namespace('default').check('create').allowed())}}"}}]}}"""
                .replace("\n   ", " "));
        assertThat(code).isEqualTo(201);
        admin("POST", group + "ybindings", "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"policyName\": \"p\"}}");

        String maps = "/api/v1/namespaces/default/configmaps";
        assertThat(eve("POST", maps, "{\"metadata\": {\"name\": \"a\"}}").path("data").toString())
                .isEqualTo("{\"delete\":\"false\",\"create\":\"true\",\"robot\":\"false\"}");
        assertThat(admin("POST", maps, "{\"metadata\": {\"name\": \"b\"}}").path("data").toString())
                .isEqualTo("{\"delete\":\"true\",\"create\":\"true\",\"robot\":\"false\"}");
    }

    private int whoAmI(String token) {
        as(token, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
        return code;
    }
}
