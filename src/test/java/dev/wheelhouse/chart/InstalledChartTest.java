package dev.wheelhouse.chart;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.marcnuri.helm.Helm;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.WheelhouseProcess;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.apiserver.admission.RestrictedPods;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The chart, installed by the real Helm on an API server with roles and without controllers. The controllers run in
 * processes with the arguments, the environment and the service account of the installed Deployment.
 */
@Timeout(3600)
@Tag("processes")
@Tag("full")
class InstalledChartTest {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final Pattern ACTUATOR = Pattern.compile("Health and metrics: (\\S+)");

    @TempDir
    private Path directory;

    @Test
    void twoProcessesElectRollOutAndSurviveAnUpgradeAndARollback() throws Exception {
        Path values = Files.writeString(directory.resolve("values.yaml"), """
                replicaCount: 2
                wheelhouse: {manage: takeover}
                leaderElection: {leaseDuration: 60s, renewDeadline: 50s, retryPeriod: 1s}
                extraEnv: [{name: SPRING_APPLICATION_NAME, value: installed}]
                helmTest: {annotations: {hollow.wheelhouse.dev/run-for: 10ms}}
                """);
        try (RunningService server = RunningService.start(directory, "--wheelhouse.controllers=",
                "--wheelhouse.apiserver.authorization-mode=rbac")) {
            Installed installed = new Installed(server);
            new Helm(Path.of("helm/wheelhouse")).install().withName("wh").withNamespace("ops").createNamespace()
                    .withValuesFile(values).withKubeConfig(server.kubeconfig()).call();
            try (WheelhouseProcess first = installed.start("first", "Wheelhouse is ready");
                    WheelhouseProcess second = installed.start("second", " stands by: ")) {
                installed.awaitRollout("ops", "wh-wheelhouse", 1);
                assertThat(Helm.test("wh").withNamespace("ops").withKubeConfig(server.kubeconfig()).withTimeout(240)
                        .call().getStatus()).isEqualTo("deployed");
                assertThat(RestrictedPods.violations(installed.testPod())).isEmpty();
                installed.apps.createNamespacedDeployment("default", Workloads.web()).execute();
                installed.awaitRollout("default", "web", 1);

                new Helm(Path.of("helm/wheelhouse")).upgrade().withName("wh").withNamespace("ops").reuseValues()
                        .set("wheelhouse.workers", 3).withKubeConfig(server.kubeconfig()).waitReady().withTimeout(240)
                        .call();
                String leader = installed.leader();
                try (WheelhouseProcess third = installed.start("third", " stands by: ")) {
                    assertNothingForbidden(first);
                    first.terminate();
                    assertThat(first.awaitExit(SOON)).isEqualTo(143);
                    eventually("another leads", SOON, () -> !installed.leader().isEmpty()
                            && !installed.leader().equals(leader));
                    installed.setImage("nginx:1.28");
                    installed.awaitRollout("default", "web", 2);

                    // Helm rolls back what it cannot upgrade "atomically": hollow nodes cannot pull this image.
                    assertThatThrownBy(() -> new Helm(Path.of("helm/wheelhouse")).upgrade().withName("wh")
                            .withNamespace("ops").reuseValues().set("image.tag", "broken").atomic()
                            .withKubeConfig(server.kubeconfig()).withTimeout(30).call())
                            .hasMessageContaining("rolled back");
                    assertThat(installed.container().getImage()).isEqualTo("wheelhouse:0.1.0");
                    assertThat(installed.container().getArgs()).contains("--wheelhouse.workers=3");
                    installed.awaitRollout("ops", "wh-wheelhouse", 4);
                    installed.setImage("nginx:1.29");
                    installed.awaitRollout("default", "web", 3);
                    assertNothingForbidden(leads(second) ? second : third);
                    for (WheelhouseProcess process : List.of(first, second, third)) {
                        assertThat(process.output()).doesNotContain("Exception", "orbidden");
                    }
                }
            }
        }
    }

    private static boolean leads(WheelhouseProcess process) {
        return process.output().contains(" after it stood by since ");
    }

    /** Checks that the API server has refused no request of a process for a missing right, by its metrics. */
    private static void assertNothingForbidden(WheelhouseProcess process) throws IOException, InterruptedException {
        Matcher actuator = ACTUATOR.matcher(process.output());
        assertThat(actuator.find()).as(process.output()).isTrue();
        try (HttpClient http = HttpClient.newHttpClient()) {
            String metrics = http.send(HttpRequest.newBuilder(URI.create(actuator.group(1) + "/prometheus")).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
            assertThat(metrics.lines().filter(line -> line.startsWith("rest_client_requests_total")))
                    .anyMatch(line -> line.contains("code=\"201\""))
                    .noneMatch(line -> line.matches(".*code=\"40[13]\".*"));
        }
    }

    /** The objects of the release, and its processes. */
    private final class Installed {
        final AppsV1Api apps;
        private final RunningService server;
        private final CoreV1Api core;
        private final CoordinationV1Api leases;

        Installed(RunningService server) {
            this.server = server;
            apps = new AppsV1Api(server.api());
            core = new CoreV1Api(server.api());
            leases = new CoordinationV1Api(server.api());
        }

        V1Container container() throws Exception {
            return apps.readNamespacedDeployment("wh-wheelhouse", "ops").execute().getSpec().getTemplate().getSpec()
                    .getContainers().getFirst();
        }

        /** The spec of the pod of {@code helm test}. */
        JsonNode testPod() throws Exception {
            return JsonMapper.shared().readTree(core.readNamespacedPod("wh-wheelhouse-test", "ops").execute().getSpec()
                    .toJson());
        }

        String leader() throws Exception {
            String holder = leases.readNamespacedLease("wh-wheelhouse", "ops").execute().getSpec().getHolderIdentity();
            return holder == null ? "" : holder;
        }

        /** Starts the container of the Deployment, as it is now, as a process on loopback, which says something. */
        WheelhouseProcess start(String name, String said) throws Exception {
            Path account = Files.createDirectories(directory.resolve(name));
            KubeConfig config = KubeConfig.loadKubeConfig(Files.newBufferedReader(server.kubeconfig()));
            Files.writeString(account.resolve("namespace"), "ops");
            Files.write(account.resolve("ca.crt"),
                    java.util.Base64.getDecoder().decode(config.getCertificateAuthorityData()));
            String user = apps.readNamespacedDeployment("wh-wheelhouse", "ops").execute().getSpec().getTemplate()
                    .getSpec().getServiceAccountName();
            Files.writeString(account.resolve("token"), core.createNamespacedServiceAccountToken(user, "ops",
                    new AuthenticationV1TokenRequest().spec(new V1TokenRequestSpec().audiences(List.of())))
                    .execute().getStatus().getToken());
            URI api = URI.create(config.getServer());
            Map<String, String> environment = new HashMap<>(Map.of("KUBERNETES_SERVICE_HOST", api.getHost(),
                    "KUBERNETES_SERVICE_PORT", String.valueOf(api.getPort()), "JAVA_TOOL_OPTIONS",
                    "-Dwheelhouse.service-account=" + account));
            container().getEnv().forEach(variable -> environment.put(variable.getName(), variable.getValue()));
            List<String> arguments = new ArrayList<>(container().getArgs());
            assertThat(arguments.remove("--server.address=0.0.0.0")).isTrue();
            arguments.addAll(List.of("--server.address=127.0.0.1", "--server.port=0"));
            WheelhouseProcess process = new WheelhouseProcess(directory, environment,
                    arguments.toArray(String[]::new));
            try {
                eventually(name + " says \"" + said + "\"", SOON, () -> process.output().contains(said));
                return process;
            } catch (AssertionError e) {
                process.close();
                throw new AssertionError(process.output(), e);
            }
        }

        void setImage(String image) throws Exception {
            V1Patch patch = new V1Patch("[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\","
                    + "\"value\":\"" + image + "\"}]");
            PatchUtils.patch(V1Deployment.class,
                    () -> apps.patchNamespacedDeployment("web", "default", patch).buildCall(null),
                    V1Patch.PATCH_FORMAT_JSON_PATCH, server.api());
        }

        void awaitRollout(String namespace, String name, long generation) {
            eventually(namespace + "/" + name + " is rolled out", SOON, () -> {
                V1Deployment deployment = apps.readNamespacedDeployment(name, namespace).execute();
                var status = deployment.getStatus();
                Integer wanted = deployment.getSpec().getReplicas();
                return status != null && status.getObservedGeneration() != null
                        && status.getObservedGeneration() >= generation
                        && status.getObservedGeneration().equals(deployment.getMetadata().getGeneration())
                        && wanted.equals(status.getReplicas()) && wanted.equals(status.getUpdatedReplicas())
                        && wanted.equals(status.getAvailableReplicas());
            });
        }
    }
}
