package dev.wheelhouse.controllers.deployment;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.history.ControllerRevisions;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("Pod templates")
class PodTemplatesTest {
    private static V1PodTemplateSpec template(String metadata, String container, String spec) {
        return ModelJson.read("{\"metadata\":{" + metadata + "},\"spec\":{\"containers\":[{\"name\":\"app\""
                + (container.isEmpty() ? "" : "," + container) + "}]" + (spec.isEmpty() ? "" : "," + spec) + "}}",
                V1PodTemplateSpec.class);
    }

    private static V1PodTemplateSpec container(String fields) {
        return template("", fields, "");
    }

    @ParameterizedTest(name = "{0} and {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "\"labels\":{\"app\":\"a\",\"pod-template-hash\":\"1\"} | \"labels\":{\"app\":\"a\","
                    + "\"pod-template-hash\":\"2\"}",
            "\"labels\":{\"app\":\"a\",\"pod-template-hash\":\"1\"} | \"labels\":{\"app\":\"a\"}",
            "\"labels\":{\"pod-template-hash\":\"1\"} | \"labels\":{}",
            "\"annotations\":{} | \"labels\":{}",
            "\"creationTimestamp\":null | \"labels\":null"})
    void areTheSameWhateverTheirHashLabel(String a, String b) {
        assertThat(PodTemplates.sameIgnoringHash(template(a, "", ""), template(b, "", ""))).isTrue();
    }

    @ParameterizedTest(name = "{0} and {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "\"resources\":{\"limits\":{\"cpu\":\"1\"}} | \"resources\":{\"limits\":{\"cpu\":\"1000m\"}}",
            "\"resources\":{\"requests\":{\"memory\":\"1Gi\"}} | \"resources\":{\"requests\":{\"memory\":\"1024Mi\"}}",
            "\"resources\":{} | \"resources\":null", "\"resources\":{\"limits\":{}} | \"image\":\"\"",
            "\"env\":[] | \"command\":null",
            "\"env\":[{\"name\":\"A\",\"value\":\"\"}] | \"env\":[{\"name\":\"A\"}]",
            "\"stdin\":false,\"tty\":false | \"ports\":[]",
            "\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/\",\"readOnly\":false}] | "
                    + "\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/\"}]"})
    void areTheSameWhereTheApiMachinerySeesNoDifference(String a, String b) {
        assertThat(PodTemplates.sameIgnoringHash(container(a), container(b))).isTrue();
        assertThat(PodTemplateHash.of(container(a), null)).isEqualTo(PodTemplateHash.of(container(b), null));
    }

    @ParameterizedTest(name = "{0} and {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "\"image\":\"a:1\" | \"image\":\"a:2\"", "\"env\":[{\"name\":\"A\"}] | \"env\":[{\"name\":\"B\"}]",
            "\"args\":[\"a\",\"b\"] | \"args\":[\"b\",\"a\"]", "\"args\":[\"\"] | \"args\":[]",
            "\"securityContext\":{} | \"image\":\"\"",
            "\"securityContext\":{\"runAsNonRoot\":false} | \"securityContext\":{}",
            "\"resources\":{\"limits\":{\"cpu\":\"1\"}} | \"resources\":{\"limits\":{\"cpu\":\"2\"}}",
            "\"livenessProbe\":{\"tcpSocket\":{\"port\":80}} | \"livenessProbe\":{\"tcpSocket\":{\"port\":\"80\"}}"})
    void differWhereTheirContainersDo(String a, String b) {
        assertThat(PodTemplates.sameIgnoringHash(container(a), container(b))).isFalse();
        assertThat(PodTemplateHash.of(container(a), null)).isNotEqualTo(PodTemplateHash.of(container(b), null));
    }

    @ParameterizedTest(name = "{0} and {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}] | \"volumes\":[{\"name\":\"v\"}]",
            "\"nodeSelector\":{\"a\":\"\"} | \"nodeSelector\":{}", "\"hostNetwork\":true | \"hostNetwork\":false",
            "\"tolerations\":[{\"tolerationSeconds\":0}] | \"tolerations\":[{}]",
            "\"volumes\":[{\"name\":\"v\",\"csi\":{\"readOnly\":false}}] | \"volumes\":[{\"name\":\"v\",\"csi\":{}}]"})
    void differWhereAnEmptyValueIsAChoice(String a, String b) {
        assertThat(PodTemplates.sameIgnoringHash(template("", "", a), template("", "", b))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"labels\":{\"app\":\"b\"}", "\"annotations\":{\"x\":\"\"}", "\"labels\":{}",
            "\"labels\":{\"app\":\"a\"},\"finalizers\":[\"example.com/f\"]"})
    void differInTheirMetadata(String metadata) {
        assertThat(PodTemplates.sameIgnoringHash(template("\"labels\":{\"app\":\"a\"}", "", ""),
                template(metadata, "", ""))).isFalse();
    }

    @Test
    void hashWithTheCollisionCount() {
        V1PodTemplateSpec template = Deployments.template("web", "app:v1");
        Set<String> hashes = new HashSet<>();
        hashes.add(PodTemplateHash.of(template, null));
        for (int collisions = 0; collisions < 50; collisions++) {
            hashes.add(PodTemplateHash.of(template, collisions));
        }
        assertThat(hashes).hasSize(51).allSatisfy(h -> assertThat(h).matches("[bcdfghjklmnpqrstvwxz2456789]{1,10}"));
    }

    @Test
    void hashToTheSameInEveryVersionOfThisProgram() {
        assertThat(PodTemplateHash.of(Deployments.template("web", "app:v1"), null)).isEqualTo("6c586d8d9d");
    }

    @ParameterizedTest
    @CsvSource({"a, e40c292c", "foobar, bf9cf968", "'', 811c9dc5"})
    void hashByFnv1a(String text, String hash) {
        assertThat(Integer
                .toHexString(PodTemplateHash.fnv(PodTemplateHash.OFFSET_BASIS, text.getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(hash);
    }

    @Test
    void areEncodedWithoutVowels() {
        assertThat(ControllerRevisions.safeEncode("0123456789")).isEqualTo("456789bcdf");
    }

    @Test
    void nameAReplicaSetThatFitsAnObjectName() {
        assertThat(PodTemplateHash.replicaSetName("web", "65746d995b")).isEqualTo("web-65746d995b");
        assertThat(PodTemplateHash.replicaSetName("w".repeat(242), "65746d995b")).hasSize(253)
                .isEqualTo("w".repeat(242) + "-65746d995b");
        assertThat(PodTemplateHash.replicaSetName("w".repeat(253), "65746d995b")).hasSize(253)
                .isEqualTo("w".repeat(242) + "-65746d995b");
    }
}
