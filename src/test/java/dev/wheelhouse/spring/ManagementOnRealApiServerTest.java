package dev.wheelhouse.spring;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1EnvVar;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.client.KubeClient;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A real kube-apiserver decides about the tokens at the management endpoints. */
class ManagementOnRealApiServerTest {
    private static final String SECRET = "the-password-in-an-environment-variable";

    @TempDir
    private Path directory;

    private static String plan(RunningService service, String token) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest.Builder request = HttpRequest
                    .newBuilder(URI.create(service.actuator() + "/plan/deployment/team/web"))
                    .timeout(Duration.ofMinutes(2));
            if (!token.isEmpty()) {
                request.header("Authorization", "Bearer " + token);
            }
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    @Test
    @Timeout(900)
    void aServiceAccountWhoseRoleNamesThePathSeesContentsAndAnotherDoesNot() throws Exception {
        try (RealApiServer server = RealApiServer.startOrSkip(directory)) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), directory);
            try (RunningService service = RunningService.start(directory, "--wheelhouse.manage=observe",
                    "--wheelhouse.kubeconfig=" + server.kubeconfig(), "--wheelhouse.controllers=deployment")) {
                Workloads team = new Workloads(service.bean(KubeClient.class), "team");
                var web = team.newDeployment("web", 1);
                web.getSpec().getTemplate().getSpec().getContainers().getFirst()
                        .addEnvItem(new V1EnvVar().name("PASSWORD").value(SECRET));
                team.deployments().create(web);
                for (String line : new String[]{"kubectl create serviceaccount viewer -n team",
                        "kubectl create serviceaccount passer-by -n team",
                        "kubectl create clusterrole sees-wheelhouse --verb=get --non-resource-url='/actuator/*'",
                        "kubectl create clusterrolebinding sees --clusterrole=sees-wheelhouse "
                                + "--serviceaccount=team:viewer"}) {
                    kubectl.shell(line).succeeded();
                }
                String viewer = kubectl.run("create", "token", "viewer", "-n", "team").succeeded().output().strip();
                String passerBy = kubectl.run("create", "token", "passer-by", "-n", "team").succeeded().output()
                        .strip();

                eventually("the viewer sees contents", Duration.ofMinutes(2),
                        () -> plan(service, viewer).contains(SECRET));
                assertThat(plan(service, passerBy)).contains("\"create\"").doesNotContain(SECRET);
                assertThat(plan(service, viewer + "x")).contains("\"create\"").doesNotContain(SECRET);
                assertThat(plan(service, "")).contains("\"create\"").doesNotContain(SECRET);
            }
        }
    }
}
