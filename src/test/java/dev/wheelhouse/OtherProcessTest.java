package dev.wheelhouse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1VolumeResourceRequirements;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The controllers on an API server that runs elsewhere, by a kubeconfig. */
@Timeout(1200)
@Tag("processes")
@Execution(ExecutionMode.CONCURRENT)
class OtherProcessTest {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final String READY = "hollow.wheelhouse.dev/ready";

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
    @Tag("full")
    void aProcessWithHollowVolumesBindsTheClaimsOfAnyApiServer() throws Exception {
        Path kubeconfig = directory.resolve("other.kubeconfig");
        try (WheelhouseProcess other = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", "--wheelhouse.controllers=", "--wheelhouse.nodes.storage=false",
                "--wheelhouse.apiserver.kubeconfig=" + kubeconfig).awaitReady()) {
            CoreV1Api core = new CoreV1Api(client(kubeconfig));
            core.createNamespacedPersistentVolumeClaim("default", new V1PersistentVolumeClaim()
                    .metadata(new V1ObjectMeta().name("data"))
                    .spec(new V1PersistentVolumeClaimSpec().addAccessModesItem("ReadWriteOnce")
                            .resources(new V1VolumeResourceRequirements()
                                    .putRequestsItem("storage", Quantity.fromString("1Gi")))))
                    .execute();
            try (RunningService service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig,
                    "--wheelhouse.nodes.storage=true")) {
                eventually("the claim is bound", SOON,
                        () -> "Bound".equals(core.readNamespacedPersistentVolumeClaim("data", "default").execute()
                                .getStatus().getPhase()));
            }
        }
    }

    @Test
    @Tag("full")
    void aRolloutOnARealKubeApiserver() throws Exception {
        try (RealApiServer real = RealApiServer.startOrSkip(directory);
                RunningService service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + real.kubeconfig(),
                        "--wheelhouse.context=real", "--wheelhouse.nodes.count=2", "--wheelhouse.scheduler=true")) {
            rollOut(service.api());
        }
    }

    /**
     * The API server lives in the first process; the second is killed in the middle of its work, and a third takes
     * over.
     */
    @Test
    @Tag("full")
    void aRolloutCompletesAlthoughTheProcessThatDrivesItIsKilled() throws Exception {
        Path kubeconfig = directory.resolve("other.kubeconfig");
        String[] manager = {"--server.port=0", "--wheelhouse.kubeconfig=" + kubeconfig};
        try (WheelhouseProcess other = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", "--wheelhouse.controllers=",
                "--wheelhouse.apiserver.kubeconfig=" + kubeconfig).awaitReady();
                WheelhouseProcess first = new WheelhouseProcess(directory, manager).awaitReady()) {
            ApiClient api = client(kubeconfig);
            rollOutHalfWay(api, 40);
            first.kill();
            first.awaitExit(SOON);

            try (WheelhouseProcess second = new WheelhouseProcess(directory, manager).awaitReady()) {
                awaitTheRestOfTheRollout(api, 40);
                assertThat(second.output()).doesNotContain("Exception");
            }
            assertThat(other.output()).doesNotContain("Exception");
        }
    }

    /**
     * The leader hangs in the middle of a rollout, and wakes when another one has long taken over: it must end without
     * a write.
     */
    @Test
    @Tag("full")
    void whoStandsByCompletesTheRolloutOfALeaderThatHangs() throws Exception {
        Path kubeconfig = directory.resolve("other.kubeconfig");
        String[] manager = {"--server.port=0", "--wheelhouse.kubeconfig=" + kubeconfig,
                "--wheelhouse.leader-election.enabled=true", "--wheelhouse.leader-election.lease-duration=20s",
                "--wheelhouse.leader-election.renew-deadline=16s", "--wheelhouse.leader-election.retry-period=500ms"};
        try (WheelhouseProcess other = new WheelhouseProcess(directory, "--server.port=0",
                "--wheelhouse.apiserver.port=0", "--wheelhouse.controllers=",
                "--wheelhouse.apiserver.kubeconfig=" + kubeconfig).awaitReady();
                WheelhouseProcess first = new WheelhouseProcess(directory, manager).awaitReady();
                WheelhouseProcess second = new WheelhouseProcess(directory, manager)) {
            second.awaitOutput(" stands by: ");
            ApiClient api = client(kubeconfig);
            AppsV1Api apps = new AppsV1Api(api);
            String leader = holder(api);
            rollOutHalfWay(api, 20);
            first.suspend();
            assertThat(second.output()).doesNotContain(" after it stood by since ");
            awaitTheRestOfTheRollout(api, 20);
            assertThat(holder(api)).isNotEqualTo(leader).isNotEmpty();

            first.resume();
            assertThat(first.awaitExit(SOON)).isEqualTo(1);
            assertThat(first.output()).contains(" no longer leads: the lease default/wheelhouse ");
            assertThat(isComplete(apps, 2, 20)).isTrue();
            assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).hasSize(2);

            second.terminate();
            assertThat(second.awaitExit(SOON)).isEqualTo(143);
            assertThat(holder(api)).as("the lead was let go").isEmpty();
        }
    }

    private static String holder(ApiClient api) throws Exception {
        return new CoordinationV1Api(api).readNamespacedLease("wheelhouse", "default").execute().getSpec()
                .getHolderIdentity();
    }

    /**
     * Everything lives in one process, which is killed in the middle of a rollout and started again on its data
     * directory.
     */
    @Test
    @Tag("full")
    void aRolloutGoesOnWhereTheServiceThatKeptItInADirectoryWasKilled() throws Exception {
        Path kubeconfig = directory.resolve("wheelhouse.kubeconfig");
        String[] service = {"--server.port=0", "--wheelhouse.apiserver.port=0",
                "--wheelhouse.apiserver.kubeconfig=" + kubeconfig,
                "--wheelhouse.apiserver.data-dir=" + directory.resolve("data")};
        String uid;
        try (WheelhouseProcess first = new WheelhouseProcess(directory, service).awaitReady()) {
            ApiClient api = client(kubeconfig);
            uid = rollOutHalfWay(api, 20);
            first.kill();
            first.awaitExit(SOON);
        }
        try (WheelhouseProcess second = new WheelhouseProcess(directory, service).awaitReady()) {
            ApiClient api = client(kubeconfig);
            AppsV1Api apps = new AppsV1Api(api);
            assertThat(apps.readNamespacedDeployment("web", "default").execute().getMetadata().getUid()).isEqualTo(uid);
            awaitTheRestOfTheRollout(api, 20);
            assertThat(second.output()).doesNotContain("Exception");
        }
    }

    /**
     * Creates a Deployment, and leaves it in the middle of the rollout of its second generation, whose pods are not
     * ready before {@link #awaitTheRestOfTheRollout}.
     *
     * @return its UID
     */
    @CanIgnoreReturnValue
    private static String rollOutHalfWay(ApiClient api, int replicas) throws Exception {
        AppsV1Api apps = new AppsV1Api(api);
        V1Deployment web = Workloads.web();
        web.getSpec().replicas(replicas);
        V1Deployment created = apps.createNamespacedDeployment("default", web).execute();
        eventually("the first generation is complete", SOON, () -> isComplete(apps, 1, replicas));
        patch(api, apps, """
                [{"op": "add", "path": "/spec/template/metadata/annotations", "value": {"%s": "false"}}]"""
                .formatted(READY));
        eventually("the rollout is under way", SOON, () -> {
            Integer updated = apps.readNamespacedDeployment("web", "default").execute().getStatus()
                    .getUpdatedReplicas();
            return updated != null && updated >= replicas / 8;
        });
        assertThat(isComplete(apps, 2, replicas)).isFalse();
        return created.getMetadata().getUid();
    }

    /** Makes the pods of the second generation ready as they come. */
    private static void awaitTheRestOfTheRollout(ApiClient api, int replicas) throws Exception {
        AppsV1Api apps = new AppsV1Api(api);
        CoreV1Api core = new CoreV1Api(api);
        V1Patch ready = new V1Patch("{\"metadata\": {\"annotations\": {\"" + READY + "\": \"true\"}}}");
        eventually("the rollout is complete", SOON, () -> {
            for (V1Pod pod : core.listNamespacedPod("default").execute().getItems()) {
                V1ObjectMeta meta = pod.getMetadata();
                if (meta.getAnnotations() != null && "false".equals(meta.getAnnotations().get(READY))) {
                    PatchUtils.patch(V1Pod.class,
                            () -> core.patchNamespacedPod(meta.getName(), "default", ready).buildCall(null),
                            V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, api);
                }
            }
            return isComplete(apps, 2, replicas);
        });
        eventually("old pods are gone", SOON,
                () -> core.listNamespacedPod("default").execute().getItems().size() == replicas);
        assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).hasSize(2);
    }

    private static ApiClient client(Path kubeconfig) throws Exception {
        return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(Files.newBufferedReader(kubeconfig))).build();
    }

    private static void rollOut(ApiClient api) throws Exception {
        AppsV1Api apps = new AppsV1Api(api);
        V1Deployment web = Workloads.web();
        apps.createNamespacedDeployment("default", web).execute();
        eventually("web is available", SOON, () -> isComplete(apps, 1, 3));
        patch(api, apps, """
                [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:1.28"}]""");
        eventually("web is updated", SOON, () -> isComplete(apps, 2, 3));
        assertThat(apps.listNamespacedReplicaSet("default").execute().getItems()).hasSize(2);
    }

    private static void patch(ApiClient api, AppsV1Api apps, String operations) throws Exception {
        V1Patch patch = new V1Patch(operations);
        PatchUtils.patch(V1Deployment.class,
                () -> apps.patchNamespacedDeployment("web", "default", patch).buildCall(null),
                V1Patch.PATCH_FORMAT_JSON_PATCH, api);
    }

    private static boolean isComplete(AppsV1Api apps, long generation, Integer replicas) throws Exception {
        V1Deployment d = apps.readNamespacedDeployment("web", "default").execute();
        var status = d.getStatus();
        return status != null && status.getObservedGeneration() != null && status.getObservedGeneration() >= generation
                && replicas.equals(status.getUpdatedReplicas())
                && replicas.equals(status.getAvailableReplicas())
                && replicas.equals(status.getReplicas());
    }
}
