package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The writes of requests for certificates (upstream: {@code pkg/registry/certificates/certificates/strategy.go}). */
class CertificateSigningRequestStrategyTest {
    private static final ResourceType TYPE = new ResourceType("certificates.k8s.io", "v1",
            "certificatesigningrequests", "CertificateSigningRequest", false);
    private static final ObjectKey KEY = ObjectKey.cluster("csr");

    private final Cluster cluster = new Cluster();

    @BeforeEach
    void create() {
        cluster.create(TYPE, Unstructured.class,
                "{metadata: {name: csr}, spec: {signerName: example.com/a, usages: [client auth], request: eA==}}");
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
        assertThatThrownBy(() -> patch("approval", body)).isInstanceOf(ApiError.class)
                .hasMessageContaining("Approved and Denied conditions are mutually exclusive");
    }
}
