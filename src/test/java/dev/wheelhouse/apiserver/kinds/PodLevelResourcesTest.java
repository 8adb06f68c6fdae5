package dev.wheelhouse.apiserver.kinds;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules of resources of a pod as a whole, in the words of kube-apiserver 1.36. */
class PodLevelResourcesTest {
    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private V1Pod pod(String resources, String container) {
        return cluster.create(ResourceType.PODS, V1Pod.class, "{metadata: {name: web, namespace: default}, spec: "
                + "{resources: " + resources + ", containers: [{name: a, image: a, resources: " + container
                + "}, {name: b, image: b, resources: " + container + "}]}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "{requests: {cpu: 1}} | {requests: {cpu: 600m}} | spec.resources.requests[cpu]: Invalid value: \"1\":"
                    + " must be greater than or equal to aggregate container requests of 1200m",
            "{limits: {cpu: 1}} | {limits: {cpu: 2}, requests: {cpu: 100m}} | spec.resources.containers[0][cpu].limits:"
                    + " Invalid value: \"2\": must be less than or equal to pod limits of 1",
            "{limits: {hugepages-2Mi: 2Mi, cpu: 4}} | {limits: {hugepages-2Mi: 2Mi, cpu: 1}} |"
                    + " spec.resources.limits[hugepages-2Mi]: Invalid value: \"2Mi\": must be greater than or equal to",
            "{limits: {ephemeral-storage: 1Gi}} | {} | spec.resources.limits[ephemeral-storage]: Unsupported value:"
                    + " \"ephemeral-storage\": supported values: \"cpu\", \"hugepages-\", \"memory\"",
            "{requests: {memory: 2Gi}, limits: {memory: 1Gi}} | {} | must be less than or equal to memory limit of"})
    void aPodWhoseResourcesDoNotFitTogetherIsRefused(String resources, String container, String problem) {
        assertThatThrownBy(() -> pod(resources, container)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void aPodMayRequestMoreThanItsContainers() {
        V1Pod pod = pod("{requests: {cpu: 2}, limits: {cpu: 3}}", "{requests: {cpu: 1}, limits: {cpu: 3}}");
        assertThat(pod.getSpec().getResources().getRequests().get("cpu").getNumber()).isEqualByComparingTo("2");
    }
}
