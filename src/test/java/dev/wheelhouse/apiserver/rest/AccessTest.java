package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests for certificates that a user may not have. {@link TranscriptTest} has other attempts to do too much. */
class AccessTest {
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1/";
    private static final String REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    private static final String APPROVED = """
            {"status": {"conditions": [{"type": "Approved", "status": "True", "reason": "x", "message": "x"}]}}""";

    private final RestClient rest = new RestClient(Security.of(AuthorizationMode.RBAC,
            Map.of("eve", new User("eve", "", List.of("system:authenticated"), Map.of())), ServerKeys.inMemory()));

    private int eve(String method, String path, String body) {
        return rest.content(ApiRequest.of(method, path, method.equals("PATCH")
                ? "application/merge-patch+json"
                : "application/json", body.getBytes(StandardCharsets.UTF_8))
                .withCredentials(Credentials.of(Map.of("Authorization", List.of("Bearer eve")), null))).code();
    }

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
        rest.create(RBAC + "clusterroles",
                """
                        metadata: {name: approver}
                        rules:
                        - verbs: [create, update, patch]
                          apiGroups: [certificates.k8s.io]
                          resources: [certificatesigningrequests, certificatesigningrequests/approval,
                              certificatesigningrequests/status]
                        - verbs: [approve]
                          apiGroups: [certificates.k8s.io]
                          resources: [signers]
                          resourceNames: [ours.example.com/*]
                        """);
        rest.create(RBAC + "clusterrolebindings", "{metadata: {name: approver}, roleRef: {kind: ClusterRole, "
                + "name: approver}, subjects: [{kind: User, name: eve}]}");

        assertThat(eve("POST", REQUESTS, signingRequest("ours", "ours.example.com/client", "CN=eve"))).isEqualTo(201);
        assertThat(eve("POST", REQUESTS, signingRequest("theirs", "theirs.example.com/client", "CN=eve")))
                .isEqualTo(201);
        assertThat(eve("PATCH", REQUESTS + "/theirs/approval", APPROVED)).isEqualTo(403);
        assertThat(eve("PATCH", REQUESTS + "/theirs/status", APPROVED)).as("approval has a subresource of its own")
                .isEqualTo(422);
        assertThat(eve("PATCH", REQUESTS + "/ours/status", "{\"status\": {\"certificate\": \"eA==\"}}"))
                .as("to approve is not to sign").isEqualTo(403);
        assertThat(eve("PATCH", REQUESTS + "/ours/approval", APPROVED)).isEqualTo(200);
        assertThat(Json.text(rest.get(REQUESTS + "/ours"), "spec", "username")).isEqualTo("eve");
    }

    @ParameterizedTest
    @CsvSource({"'CN=eve,O=dev,O=system:masters', 403", "'CN=eve,O=dev+O=system:masters', 403", "'CN=eve,O=dev', 201"})
    void nobodyAsksForACertificateOfTheAdministrators(String subject, int code) throws Exception {
        rest.post(REQUESTS, signingRequest("a", "kubernetes.io/kube-apiserver-client", subject));
        assertThat(rest.last.code()).isEqualTo(code);
    }
}
