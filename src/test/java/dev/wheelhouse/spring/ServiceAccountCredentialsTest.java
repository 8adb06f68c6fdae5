package dev.wheelhouse.spring;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.client.KubeClient;

import static org.assertj.core.api.Assertions.assertThat;

/** With {@code --wheelhouse.use-service-account-credentials} each controller has the rights of its own account. */
class ServiceAccountCredentialsTest {
    @TempDir
    private Path directory;

    @Test
    @Timeout(900)
    void aControllerWhoseRoleIsTakenAwayMayNotWriteAndTheOthersMay() throws Exception {
        try (RunningService service = RunningService.start(directory,
                "--wheelhouse.apiserver.authorization-mode=rbac",
                "--wheelhouse.use-service-account-credentials=true", "--wheelhouse.kube-api-qps=50")) {
            CoreV1Api core = new CoreV1Api(service.api());
            Workloads team = new Workloads(service.bean(KubeClient.class), "team");
            team.deployments().create(team.newDeployment("web", 1));
            team.awaitComplete("web");
            assertThat(core.listNamespacedServiceAccount("kube-system").execute().getItems())
                    .extracting(account -> account.getMetadata().getName())
                    .contains("deployment-controller", "replicaset-controller", "generic-garbage-collector");

            new RbacAuthorizationV1Api(service.api())
                    .deleteClusterRoleBinding("system:controller:replicaset-controller").execute();
            team.deployments().create(team.newDeployment("late", 1));
            Workloads.eventually("the ReplicaSet reports that it may not make pods",
                    () -> core.listNamespacedEvent("team").execute().getItems().stream()
                            .anyMatch(event -> String.valueOf(event.getMessage()).contains(
                                    "User \"system:serviceaccount:kube-system:replicaset-controller\" cannot create")));
        }
    }
}
