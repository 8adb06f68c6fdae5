package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controllers.certificates.SignedRequests;
import dev.wheelhouse.world.Cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The writes of requests for certificates (upstream: {@code pkg/registry/certificates/certificates/strategy.go}). */
class CertificateSigningRequestStrategyTest {
    private static final ResourceType TYPE = new ResourceType("certificates.k8s.io", "v1",
            "certificatesigningrequests", "CertificateSigningRequest", false);
    private static final ObjectKey KEY = ObjectKey.cluster("csr");

    private static final String REQUEST = Base64.getEncoder().encodeToString(SignedRequests.pem("CN=a"));

    private final Cluster cluster = new Cluster();

    @BeforeEach
    void create() {
        create("csr", REQUEST, "example.com/a", "[client auth]", "");
    }

    private void create(String name, String request, String signer, String usages, String more) {
        cluster.create(TYPE, Unstructured.class,
                "{metadata: {name: %s}, spec: {signerName: '%s', usages: %s%s, request: %s}}"
                        .formatted(name, signer, usages, more, request));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private JsonNode patch(String subresource, String body) {
        cluster.user().metadata(TYPE).patch(KEY, subresource, PatchType.MERGE, body);
        return cluster.json(TYPE, KEY);
    }

    private static String condition(String type, String more) {
        return "{\"status\": {\"conditions\": [{\"type\": \"" + type + "\", \"status\": \"True\", \"reason\": \"x\""
                + more + "}]}}";
    }

    /** The legacy signer accepts every subject, so its certificates could be an administrator's. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "kubernetes.io/legacy-unknown | [client auth] | '' | the legacy signerName is not allowed",
            "a | [client auth] | '' | must be a fully qualified domain and path",
            "a/b | [client auth] | '' | should be a domain with at least two segments",
            "example.com/a | [] | '' | spec.usages: Required value",
            "example.com/a | [other] | '' | spec.usages[0]: Unsupported value",
            "example.com/a | [any, any] | '' | spec.usages[1]: Duplicate value",
            "example.com/a | [any] | ', expirationSeconds: 599' | may not specify a duration less than 600 seconds"})
    void aWrongSpecIsRefused(String signer, String usages, String more, String problem) {
        assertThatThrownBy(() -> create("wrong", REQUEST, signer, usages, more)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void aRequestIsParsedAndHasTheSignatureOfItsOwnKey() {
        assertThatThrownBy(() -> create("wrong", "eA==", "example.com/a", "[any]", ""))
                .isInstanceOf(KubeApiException.class)
                .hasMessageContaining(
                        "spec.request: Invalid value: PEM block type must be CERTIFICATE REQUEST");
        byte[] pem = SignedRequests.pem("CN=a");
        String text = new String(pem, StandardCharsets.UTF_8);
        byte[] der = Base64.getMimeDecoder().decode(text.substring(text.indexOf('\n'), text.lastIndexOf("-----END")));
        der[der.length - 1] ^= 1;
        String forged = "-----BEGIN CERTIFICATE REQUEST-----\n" + Base64.getMimeEncoder().encodeToString(der)
                + "\n-----END CERTIFICATE REQUEST-----\n";
        assertThatThrownBy(() -> create("forged", Base64.getEncoder().encodeToString(
                forged.getBytes(StandardCharsets.UTF_8)), "example.com/a", "[any]", ""))
                .isInstanceOf(KubeApiException.class)
                .hasMessageContaining("the signature is not the one of the request's key");
    }

    @Test
    void nestedBytesAreRefusedWithASentence() {
        String der = Base64.getMimeEncoder().encodeToString("0\u0080".repeat(200_000).getBytes(ISO_8859_1));
        String pem = "-----BEGIN CERTIFICATE REQUEST-----\n" + der + "\n-----END CERTIFICATE REQUEST-----\n";
        assertThatThrownBy(() -> create("nested", Base64.getEncoder().encodeToString(pem.getBytes(ISO_8859_1)),
                "example.com/a", "[any]", "")).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("the request cannot be parsed");
    }

    @Test
    void theSpecNeverChanges() {
        assertThat(patch("", "{\"spec\": {\"signerName\": \"example.com/b\"}}").at("/spec/signerName").asString())
                .isEqualTo("example.com/a");
        assertThat(patch("approval", "{\"spec\": {\"signerName\": \"example.com/b\"}}").at("/spec/signerName")
                .asString()).isEqualTo("example.com/a");
    }

    @Test
    void anApprovalGetsItsTimesAndWritesNoCertificate() {
        String now = cluster.clock.now().toString();
        JsonNode approved = patch("approval", condition("Approved", "").replace("{\"status\": {",
                "{\"status\": {\"certificate\": \"eA==\", "));
        assertThat(approved.at("/status/conditions/0/lastUpdateTime").asString()).isEqualTo(now);
        assertThat(approved.at("/status/conditions/0/lastTransitionTime").asString()).isEqualTo(now);
        assertThat(approved.at("/status/certificate").isMissingNode()).isTrue();

        cluster.clock.advance(Duration.ofMinutes(1));
        JsonNode again = patch("approval", condition("Approved", ", \"message\": \"again\""));
        assertThat(again.at("/status/conditions/0/lastUpdateTime").asString()).isNotEqualTo(now);
        assertThat(again.at("/status/conditions/0/lastTransitionTime").asString()).isEqualTo(now);
    }

    @Test
    void theTimesOfManyConditionsAreFoundInLinearWork() {
        int count = 1_000;
        AtomicLong looks = new AtomicLong();
        ObjectNode old = conditions(count, looks);
        old.at("/status/conditions").forEach(condition -> ((ObjectNode) condition).put("lastTransitionTime", "before"));
        ObjectNode now = conditions(count, looks);
        CertificateSigningRequestStrategy.addTimes(now, old, "now");
        assertThat(now.at("/status/conditions").findValuesAsString("lastTransitionTime")).hasSize(count)
                .containsOnly("before");
        assertThat(looks.get()).isLessThan(20L * count);
    }

    private static ObjectNode conditions(int count, AtomicLong looks) {
        ObjectNode request = Json.object();
        ArrayNode conditions = request.putObject("status").putArray("conditions");
        for (int i = 0; i < count; i++) {
            conditions.addObject().put("status", "True").set("type", new StringNode("T" + i) {
                private static final long serialVersionUID = 1;

                @Override
                public String stringValue() {
                    looks.incrementAndGet();
                    return super.stringValue();
                }
            });
        }
        return request;
    }

    @Test
    void aSignatureLeavesTheApprovalAsItIs() {
        patch("approval", condition("Approved", ", \"message\": \"mine\""));
        JsonNode signed = patch("status", condition("Approved", ", \"message\": \"theirs\"").replace("{\"status\": {",
                "{\"status\": {\"certificate\": \"eA==\", "));
        assertThat(signed.at("/status/conditions/0/message").asString()).isEqualTo("mine");
        assertThat(signed.at("/status/certificate").asString()).isEqualTo("eA==");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Approved", "Denied"})
    void aRequestIsNotBothApprovedAndDenied(String first) {
        String body = condition(first, "").replace("}]", "}, {\"type\": \""
                + (first.equals("Approved") ? "Denied" : "Approved") + "\", \"status\": \"True\", \"reason\": \"x\"}]");
        assertThatThrownBy(() -> patch("approval", body)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("Approved and Denied conditions are mutually exclusive");
    }
}
