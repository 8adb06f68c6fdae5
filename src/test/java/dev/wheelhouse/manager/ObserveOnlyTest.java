package dev.wheelhouse.manager;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.builtin.BuiltInControllers;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The plan of a controller for one object, and the mode in which controllers plan and write nothing. */
@Timeout(900)
@ExtendWith(OutputCaptureExtension.class)
@Isolated
class ObserveOnlyTest {
    @TempDir
    private Path directory;

    private static HttpResponse<String> get(RunningService service, String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(service.actuator() + path))
                    .timeout(Duration.ofMinutes(2)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static JsonNode plan(RunningService service, String path) throws Exception {
        HttpResponse<String> answer = get(service, "/plan/" + path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.builder().build().readTree(answer.body());
    }

    @Test
    void anObserverWritesNothingAndCountsLogsAndShowsWhatItWouldDo(CapturedOutput output) throws Exception {
        try (RunningService service = RunningService.start(directory, "--wheelhouse.manage=observe")) {
            AppsV1Api apps = new AppsV1Api(service.api());
            V1Deployment web = apps
                    .createNamespacedDeployment("default", Workloads.web()).execute();
            eventually("the plan is counted", Duration.ofMinutes(2),
                    () -> get(service, "/prometheus").body().lines()
                            .anyMatch(line -> line.startsWith("controller_writes_planned_total")
                                    && line.contains("verb=\"create\"") && line.contains("replicasets.apps")));
            eventually("the plan is logged", Duration.ofMinutes(2), () -> output.getOut()
                    .contains("deployment-controller: would create replicasets.apps default/web-"));

            assertThat(output.getOut())
                    .containsPattern("Wheelhouse is ready .* and \\d+ controllers that write nothing\\.");

            JsonNode plan = plan(service, "deployment/default/web");
            assertThat(plan.path("controller").asString()).isEqualTo("deployment-controller");
            JsonNode create = plan.path("actions").get(0);
            assertThat(create.path("action").asString()).isEqualTo("create");
            assertThat(create.path("resource").asString()).isEqualTo("replicasets.apps");
            assertThat(create.path("target").asString()).startsWith("default/web-");
            assertThat(create.path("why").asString()).isNotEmpty();
            assertThat(create.path("body").path("spec").path("replicas").asInt()).isEqualTo(3);

            assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).isEmpty();
            assertThat(new CoreV1Api(service.api()).listNamespacedPod("default").execute().getItems()).isEmpty();
            assertThat(new CoreV1Api(service.api()).listNamespacedEvent("default").execute().getItems()).isEmpty();
            assertThat(apps.readNamespacedDeployment("web", "default").execute().getMetadata().getResourceVersion())
                    .isEqualTo(web.getMetadata().getResourceVersion());
            assertThat(get(service, "/prometheus").body()).doesNotContain("controller_writes_total{");
        }
    }

    @Test
    void aPlanIsEmptyWhenAllIsDoneAndWhatCannotBeAskedIsSaid() throws Exception {
        try (RunningService service = RunningService.start(directory)) {
            new AppsV1Api(service.api()).createNamespacedDeployment("default", Workloads.web())
                    .execute();
            eventually("nothing is left to do", Duration.ofMinutes(2),
                    () -> new CoreV1Api(service.api()).listNamespacedPod("default").execute().getItems().stream()
                            .filter(pod -> "Running".equals(pod.getStatus().getPhase())).count() == 3
                            && plan(service, "deployment-controller/default/web").path("actions").isEmpty());
            assertThat(get(service, "/plan/deployment/default/none")).satisfies(answer -> {
                assertThat(answer.statusCode()).isEqualTo(404);
                assertThat(answer.body())
                        .contains("there is no such object in the caches: deployments.apps default/none");
            });
            assertThat(get(service, "/plan/deploymnet/default/web")).satisfies(answer -> {
                assertThat(answer.statusCode()).isEqualTo(404);
                assertThat(answer.body()).contains("deployment-controller", "replicaset-controller");
            });
            assertThat(get(service, "/plan").body()).contains("deployment-controller", "garbage-collector-controller",
                    "namespace-controller");
        }
    }

    @Test
    void thePlanOfAnyObjectIsThatOfEachControllerThatLooksAtIt() throws Exception {
        try (RunningService service = RunningService.start(directory, "--wheelhouse.manage=observe")) {
            new AppsV1Api(service.api()).createNamespacedDeployment("default", Workloads.web())
                    .execute();
            CoreV1Api core = new CoreV1Api(service.api());
            core.createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name("old"))).execute();
            core.createNamespacedConfigMap("old", new V1ConfigMap().metadata(new V1ObjectMeta().name("of-nobody")
                    .addOwnerReferencesItem(new V1OwnerReference().apiVersion("v1").kind("Secret").name("gone")
                            .uid("c0ffee00-0000-0000-0000-000000000000"))))
                    .execute();
            core.deleteNamespace("old").execute();

            eventually("both controllers plan for the Deployment", Duration.ofMinutes(2), () -> {
                JsonNode plans = plan(service, "all/default/deployments.apps/web").path("plans");
                return plans.size() == 2
                        && plans.get(0).path("controller").asString().equals("deployment-controller")
                        && plans.get(0).path("actions").get(0).path("action").asString().equals("create")
                        && plans.get(1).path("controller").asString().equals("garbage-collector-controller")
                        && plans.get(1).path("actions").isEmpty();
            });
            eventually("the garbage collector would delete what no owner holds", Duration.ofMinutes(2), () -> {
                JsonNode delete = plan(service, "garbage-collector/old/configmaps/of-nobody").path("plans").path(0)
                        .path("actions").path(0);
                return delete.path("action").asString().equals("delete")
                        && delete.path("why").asString().equals("none of its owners exists");
            });
            eventually("the namespace controller would delete what is in the namespace", Duration.ofMinutes(2),
                    () -> plan(service, "namespace/-/old").path("actions").valueStream()
                            .anyMatch(action -> action.path("action").asString().equals("deletecollection")));
            assertThat(get(service, "/plan/all/default/deployments.apps/none").statusCode()).isEqualTo(404);
            assertThat(get(service, "/plan/garbage-collector/default/web").body())
                    .contains("plan/garbage-collector/default/{resource}/web");
            assertThat(core.readNamespacedConfigMap("of-nobody", "old").execute()).isNotNull();
        }
    }

    @Test
    void besideALiveControllerManagerItOnlyObservesUnlessToldToTakeOver(CapturedOutput output)
            throws Exception {
        try (RunningService server = RunningService.start(directory, "--wheelhouse.controllers=")) {
            String kubeconfig = "--wheelhouse.kubeconfig=" + server.kubeconfig();
            AppsV1Api apps = new AppsV1Api(server.api());
            apps.createNamespacedDeployment("default", Workloads.web()).execute();
            new CoordinationV1Api(server.api()).createNamespacedLease("kube-system", new V1Lease()
                    .metadata(new V1ObjectMeta().name("kube-controller-manager"))
                    .spec(new V1LeaseSpec().holderIdentity("cp-1_abc").leaseDurationSeconds(600)
                            .renewTime(OffsetDateTime.now(java.time.ZoneOffset.UTC))))
                    .execute();
            try (RunningService observer = RunningService.start(directory, kubeconfig)) {
                eventually("it has planned", Duration.ofMinutes(2),
                        () -> output.getOut().contains("deployment-controller: would create replicasets.apps"));
                assertThat(output.getOut())
                        .contains("the controllers that kube-controller-manager has too only observe and write "
                                + "nothing: kube-controller-manager cp-1_abc renewed its lease "
                                + "kube-system/kube-controller-manager");
                assertThat(get(observer, "/prometheus").body()).doesNotContain("controller_writes_total{");
                assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).isEmpty();
            }
            try (RunningService ignored = RunningService.start(directory, kubeconfig,
                    "--wheelhouse.manage=takeover")) {
                eventually("it rolls out", Duration.ofMinutes(2),
                        () -> Integer.valueOf(3).equals(apps.readNamespacedDeployment("web", "default").execute()
                                .getStatus().getAvailableReplicas()));
            }
        }
    }

    @Test
    void allBuiltInControllersBecomeObserversWhenAnotherManagerComesAndWriteAgainWhenItHasGone() throws Exception {
        try (RunningService server = RunningService.start(directory, "--wheelhouse.controllers=");
                RunningService service = RunningService.start(directory,
                        "--wheelhouse.kubeconfig=" + server.kubeconfig())) {
            AppsV1Api apps = new AppsV1Api(server.api());
            CoordinationV1Api leases = new CoordinationV1Api(server.api());
            ControllerManager manager = service.bean(ControllerManager.class);
            apps.createNamespacedDeployment("default", named("first")).execute();
            eventually("it rolls out", Duration.ofMinutes(2), () -> isAvailable(apps, "first"));

            leases.createNamespacedLease("kube-system", new V1Lease()
                    .metadata(new V1ObjectMeta().name("kube-controller-manager"))
                    .spec(new V1LeaseSpec().holderIdentity("cp-1_abc").leaseDurationSeconds(600)
                            .renewTime(OffsetDateTime.now(java.time.ZoneOffset.UTC))))
                    .execute();
            eventually("all observe", Duration.ofMinutes(2),
                    () -> manager.states().size() == BuiltInControllers.byDefault().size()
                            && manager.states().stream().allMatch(state -> state.doing().equals("observing")));
            apps.createNamespacedDeployment("default", named("second")).execute();
            eventually("it plans", Duration.ofMinutes(2),
                    () -> !plan(service, "deployment/default/second").path("actions").isEmpty());
            assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).hasSize(1);

            leases.deleteNamespacedLease("kube-controller-manager", "kube-system").execute();
            eventually("all write", Duration.ofMinutes(2),
                    () -> manager.states().stream().allMatch(state -> state.doing().equals("running")));
            eventually("it rolls out, too", Duration.ofMinutes(2), () -> isAvailable(apps, "second"));
            apps.deleteNamespacedDeployment("first", "default").execute();
            eventually("the garbage collector works", Duration.ofMinutes(2),
                    () -> apps.listNamespacedReplicaSet("default").execute().getItems().size() == 1);
        }
    }

    private static V1Deployment named(String name) {
        V1Deployment deployment = Workloads.web();
        deployment.getMetadata().setName(name);
        deployment.getSpec().getSelector().setMatchLabels(Map.of("app", name));
        deployment.getSpec().getTemplate().getMetadata().setLabels(Map.of("app", name));
        return deployment;
    }

    private static boolean isAvailable(AppsV1Api apps, String name) throws Exception {
        V1Deployment deployment = apps.readNamespacedDeployment(name, "default").execute();
        return deployment.getStatus() != null
                && Integer.valueOf(3).equals(deployment.getStatus().getAvailableReplicas());
    }
}
