package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

@EmbeddedApiServer(controllers = true, nodes = 2)
class RolloutExampleTest {

    @Test
    void aDeploymentBecomesAvailableAlthoughTheApiServerFailsNowAndThen(ApiClient client, Faults faults)
            throws Exception {
        Faults.Rule failing = faults.on("create", "pods").times(2).fail(500, "the disk is full");
        AppsV1Api apps = new AppsV1Api(client);

        apps.createNamespacedDeployment("default", web(3)).execute();
        faults.cutWatches();

        Eventually.eventually("three replicas are available", Duration.ofSeconds(60), () -> {
            Integer available = apps.readNamespacedDeployment("web", "default").execute().getStatus()
                    .getAvailableReplicas();
            return available != null && available == 3;
        });
        assertThat(failing.hits()).isEqualTo(2);
    }

    private static V1Deployment web(int replicas) {
        Map<String, String> labels = Map.of("app", "web");
        V1PodTemplateSpec template = new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("web").image("nginx")));
        return new V1Deployment().metadata(new V1ObjectMeta().name("web")).spec(new V1DeploymentSpec()
                .replicas(replicas).selector(new V1LabelSelector().matchLabels(labels)).template(template));
    }
}
