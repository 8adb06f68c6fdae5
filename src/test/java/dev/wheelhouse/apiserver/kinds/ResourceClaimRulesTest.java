package dev.wheelhouse.apiserver.kinds;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules of the API server for claims of devices, in the words of kube-apiserver 1.36. */
class ResourceClaimRulesTest {
    private static final ResourceType CLAIMS = ResourceClaimController.CLAIMS;
    private static final ObjectKey KEY = ObjectKey.of("default", "gpu");
    private static final String RESULTS = "\"allocation\": {\"devices\": {\"results\": [{\"request\": \"gpu\", "
            + "\"driver\": \"d\", \"pool\": \"p\", \"device\": \"%s\"}]}}";
    private static final String CONSUMER = "{\"resource\": \"pods\", \"name\": \"web\", \"uid\": \"%s\"}";

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(ResourceType type, String spec) {
        cluster.create(type, Unstructured.class, "{apiVersion: resource.k8s.io/v1, kind: " + type.kind()
                + ", metadata: {name: gpu, namespace: default}, spec: " + spec + "}");
    }

    private void claim(String requests) {
        create(CLAIMS, "{devices: {requests: [" + requests + "]}}");
    }

    private void patchStatus(String status, Object... values) {
        cluster.user().metadata(CLAIMS).patch(KEY, "status", PatchType.MERGE,
                "{\"status\": {" + String.format(status, values) + "}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "{name: gpu} | requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
            "{name: gpu, exactly: {deviceClassName: a}, firstAvailable: [{name: a, deviceClassName: a}]} | multiple",
            "{name: Gpu, exactly: {deviceClassName: a}} | requests[0].name: Invalid value: \"Gpu\": a lowercase",
            "{name: a, exactly: {deviceClassName: a}}, {name: a, exactly: {deviceClassName: a}} | value: \"a\"",
            "{name: a, exactly: {deviceClassName: a, allocationMode: All, count: 2}} | exactly.count: Invalid value: 2",
            "{name: a, exactly: {deviceClassName: a, count: -1}} | exactly.count: Invalid value: -1: must",
            "{name: a, exactly: {deviceClassName: a, allocationMode: Some}} | Unsupported value: \"Some\"",
            "{name: a, exactly: {}} | requests[0].exactly.deviceClassName: Required value",
            "{name: a, firstAvailable: [{name: b}]} | requests[0].firstAvailable[0].deviceClassName: Required value"})
    void aRequestThatBreaksARuleIsRefusedInAClaimAndInATemplate(String requests, String problem) {
        assertThatThrownBy(() -> claim(requests)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining(problem);
        assertThatThrownBy(() -> create(ResourceClaimController.TEMPLATES,
                "{spec: {devices: {requests: [" + requests + "]}}}")).isInstanceOf(KubeApiException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void thereAreAtMost32Requests() {
        assertThatThrownBy(() -> claim("{name: a},".repeat(33))).hasMessageContaining("Too many: 33");
    }

    @Test
    void aClaimIsReservedOnlyWhileItIsAllocated() {
        claim("{name: gpu, exactly: {deviceClassName: a}}");

        assertThatThrownBy(() -> patchStatus("\"reservedFor\": [" + CONSUMER + "]", "u"))
                .hasMessageContaining("reservedFor: Forbidden: may not be specified when `allocated` is not set");
        patchStatus(RESULTS + ", \"reservedFor\": [" + CONSUMER + "]", "d1", "u");
        assertThatThrownBy(() -> patchStatus("\"reservedFor\": [" + CONSUMER + "," + CONSUMER + "]", "u", "u"))
                .hasMessageContaining("status.reservedFor[1]: Duplicate value: \"u\"");
        assertThatThrownBy(() -> patchStatus("\"allocation\": null")).hasMessageContaining("status.reservedFor");
        patchStatus("\"allocation\": null, \"reservedFor\": null");
        assertThat(cluster.json(CLAIMS, KEY).path("status").has("allocation")).isFalse();
    }

    @Test
    void aDeletedClaimGetsNoFurtherConsumer() {
        claim("{name: gpu, exactly: {deviceClassName: a}}");
        cluster.user().metadata(CLAIMS).patch(KEY, "", PatchType.MERGE,
                "{\"metadata\": {\"finalizers\": [\"example.com/hold\"]}}");
        patchStatus(RESULTS + ", \"reservedFor\": [" + CONSUMER + "," + CONSUMER + "]", "d1", "u", "v");
        cluster.delete(CLAIMS, KEY);

        assertThatThrownBy(() -> patchStatus("\"reservedFor\": [" + CONSUMER + "]", "w"))
                .hasMessageContaining("new entries may not be added");
        patchStatus("\"reservedFor\": [" + CONSUMER + "]", "v");
    }

    @Test
    void anAllocationAndASpecDoNotChangeAndResultsAreOfRequests() {
        claim("{name: gpu, exactly: {deviceClassName: a}}");

        assertThatThrownBy(() -> patchStatus(RESULTS.replace("gpu", "cpu"), "D_"))
                .hasMessageContaining("results[0].request: Invalid value: \"cpu\": must be the name of a request")
                .hasMessageContaining("results[0].device: Invalid value: \"D_\"");
        patchStatus(RESULTS, "d1");
        assertThatThrownBy(() -> patchStatus(RESULTS, "d2")).hasMessageContaining("status.allocation: Invalid value")
                .hasMessageContaining("field is immutable");
        assertThatThrownBy(() -> cluster.user().metadata(CLAIMS).patch(KEY, "", PatchType.MERGE,
                "{\"spec\": {\"devices\": null}}")).hasMessageContaining("spec: Invalid value")
                .hasMessageContaining("field is immutable");
    }
}
