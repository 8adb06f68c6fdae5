package dev.wheelhouse.apiserver.kinds;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules of writes to {@code pods/resize}, in the words of kube-apiserver 1.36. */
class PodResizeTest {
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private V1Pod resize(String from, String to) {
        cluster.create(ResourceType.PODS, V1Pod.class, "{metadata: {name: web, namespace: default}, spec: "
                + "{containers: [{name: a, image: a, resources: " + from + "}]}}");
        return cluster.user().resource(ResourceType.PODS, V1Pod.class).patch(WEB, "resize", PatchType.STRATEGIC_MERGE,
                "{\"spec\": {\"containers\": [{\"name\": \"a\", \"resources\": " + to + "}]}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "{} | {\"requests\": {\"cpu\": \"1\"}} | spec: Invalid value: \"BestEffort\": Pod QOS Class may not change"
                    + " as a result of resizing",
            "{requests: {cpu: 1, memory: 1Gi}} | {\"requests\": {\"memory\": null}} |"
                    + " spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"})
    void theQualityOfServiceAndTheNamesOfResourcesStay(String from, String to, String problem) {
        assertThatThrownBy(() -> resize(from, to)).isInstanceOf(KubeApiException.class).hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "{requests: {cpu: 1}} | {\"requests\": {\"cpu\": \"2\"}}",
            "{requests: {cpu: 1}} | {\"requests\": {\"cpu\": \"2\", \"memory\": \"1Gi\"}}"})
    void amountsChangeAndResourcesAreAdded(String from, String to) {
        assertThat(resize(from, to).getSpec().getContainers().getFirst().getResources().getRequests().get("cpu")
                .getNumber()).isEqualByComparingTo("2");
    }
}
