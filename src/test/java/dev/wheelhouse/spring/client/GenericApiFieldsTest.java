package dev.wheelhouse.spring.client;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentList;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.generic.GenericKubernetesApi;

import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/** Fails if an upgrade of the official client renames the private fields that {@link GenericApiFields} reads. */
class GenericApiFieldsTest {
    @Test
    void theOfficialClientKeepsTheResourceTypeOfAGenericApiInTheKnownFields() {
        GenericKubernetesApi<V1Deployment, V1DeploymentList> api = new GenericKubernetesApi<>(V1Deployment.class,
                V1DeploymentList.class, "apps", "v1", "deployments",
                new ClientBuilder().setBasePath("http://127.0.0.1:1").build());

        assertThat(GenericApiFields.type(api, "Deployment"))
                .isEqualTo(new ResourceType("apps", "v1", "deployments", "Deployment", true));
    }
}
