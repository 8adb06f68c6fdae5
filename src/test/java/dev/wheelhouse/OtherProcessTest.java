package dev.wheelhouse;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Yaml;

import static dev.wheelhouse.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The controllers on an API server that runs elsewhere, by a kubeconfig. */
@Timeout(240)
class OtherProcessTest {
    private static final String WEB = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              replicas: 3
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers: [{name: web, image: "nginx:1.27"}]
            """;

    @TempDir
    private Path directory;

    @Test
    void aRolloutOnAnEmbeddedApiServerInAnotherProcess() throws Exception {
        Path kubeconfig = directory.resolve("other.kubeconfig");
        try (WheelhouseProcess other = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0",
                "--wheelhouse.controllers=", "--wheelhouse.apiserver.kubeconfig=" + kubeconfig).awaitReady();
                RunningService service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig)) {
            rollOut(service.api());
        }
    }

    @Test
    void aRolloutOnARealKubeApiserver() throws Exception {
        try (RealApiServer real = RealApiServer.startOrSkip(directory);
                RunningService service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + real.kubeconfig(),
                        "--wheelhouse.context=real", "--wheelhouse.nodes.count=2", "--wheelhouse.scheduler=true")) {
            rollOut(service.api());
        }
    }

    private static void rollOut(ApiClient api) throws Exception {
        AppsV1Api apps = new AppsV1Api(api);
        V1Deployment web = Yaml.loadAs(WEB, V1Deployment.class);
        apps.createNamespacedDeployment("default", web).execute();
        eventually("web is available", Duration.ofSeconds(60), () -> isComplete(apps, 1));

        V1Patch patch = new V1Patch(
                "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"nginx:1.28\"}]");
        PatchUtils.patch(V1Deployment.class,
                () -> apps.patchNamespacedDeployment("web", "default", patch).buildCall(null),
                V1Patch.PATCH_FORMAT_JSON_PATCH, api);
        eventually("web is updated", Duration.ofSeconds(60), () -> isComplete(apps, 2));
        assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).hasSize(2);
    }

    private static boolean isComplete(AppsV1Api apps, long generation) throws Exception {
        V1Deployment d = apps.readNamespacedDeployment("web", "default").execute();
        var status = d.getStatus();
        return status != null && status.getObservedGeneration() != null && status.getObservedGeneration() >= generation
                && Integer.valueOf(3).equals(status.getUpdatedReplicas())
                && Integer.valueOf(3).equals(status.getAvailableReplicas())
                && Integer.valueOf(3).equals(status.getReplicas());
    }
}
