package dev.wheelhouse.controllers.deployment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.google.gson.reflect.TypeToken;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.util.Watch;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;

import static dev.wheelhouse.Workloads.condition;
import static dev.wheelhouse.Workloads.counts;
import static dev.wheelhouse.Workloads.eventually;
import static dev.wheelhouse.Workloads.orZero;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The assertions of upstream's end-to-end and integration suites about Deployments, on the whole system (upstream:
 * {@code test/e2e/apps/deployment.go}, {@code test/integration/deployment}).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@Tag("processes")
class DeploymentBehavioursTest {
    private static final Map<String, String> NEVER_READY = Map.of("hollow.wheelhouse.dev/ready", "false");

    @TempDir
    private static Path directory;

    private RunningService service;
    private Workloads user;
    private int namespaces;

    @BeforeAll
    void start() {
        service = RunningService.start(directory, "--wheelhouse.nodes.count=4", "--wheelhouse.nodes.cpu=64");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @BeforeEach
    void namespace(TestInfo test) {
        user = new Workloads(service.bean(KubeClient.class), "behaviour-" + ++namespaces);
    }

    private V1Deployment complete(V1Deployment deployment) {
        user.deployments().create(deployment);
        return user.awaitComplete(deployment.getMetadata().getName());
    }

    private List<Integer> sizes(String deployment) {
        return user.replicaSetsOf(deployment).stream().map(set -> orZero(set.getSpec().getReplicas())).toList();
    }

    private V1ReplicaSet orphan(String name, String app, String image, int replicas) {
        V1ReplicaSet set = user.newReplicaSet(name, replicas);
        set.getMetadata().labels(Map.of("app", app, "pod", "old"));
        set.getSpec().getSelector().setMatchLabels(Map.of("app", app, "pod", "old"));
        set.getSpec().getTemplate().getMetadata().setLabels(Map.of("app", app, "pod", "old"));
        set.getSpec().getTemplate().getSpec().getContainers().get(0).setImage(image);
        return set;
    }

    @Test
    void rollingUpdateAdoptsAMatchingReplicaSetThatWasThereBeforeAndTakesItsRevisionPlus1() {
        V1ReplicaSet old = orphan("before", "web", "app:0", 1);
        old.getMetadata().putAnnotationsItem(Workloads.REVISION, "3546343826724305832");
        user.replicaSets().create(old);
        eventually("its pod runs",
                () -> orZero(user.replicaSet("before").getStatus().getReadyReplicas()) == 1);

        V1Deployment web = complete(user.newDeployment("web", 1));

        assertThat(Workloads.revision(web)).isEqualTo(3546343826724305833L);
        assertThat(user.replicaSetsOf(web)).extracting(set -> set.getMetadata().getName()).hasSize(2)
                .startsWith("before");
        assertThat(sizes("web")).containsExactly(0, 1);
        assertThat(user.newest("web").getMetadata().getAnnotations()).containsEntry(Workloads.REVISION,
                "3546343826724305833");
    }

    @Test
    void theStatusSubresourceCanBePatchedAndForeignConditionsSurvive() {
        complete(user.newDeployment("web", 1));
        user.update("web", user.deployments(), web -> {
            web.getStatus().addConditionsItem(new V1DeploymentCondition().type("StatusUpdate").status("True")
                    .reason("E2E").message("Set from a test"));
            user.deployments().updateStatus(web);
        });
        user.scale("web", 2);
        assertThat(condition(user.awaitComplete("web"), "StatusUpdate")).isEqualTo("True/E2E");
        user.deployments().patch(user.key("web"), "status", PatchType.MERGE,
                "{\"status\":{\"conditions\":[{\"type\":\"StatusPatched\",\"status\":\"True\"}]}}");
        user.setImage("web", "app:2");
        V1Deployment after = user.awaitComplete("web");
        assertThat(condition(after, "StatusPatched")).startsWith("True");
        eventually("its own conditions are back",
                () -> condition(user.deployment("web"), "Progressing").equals("True/NewReplicaSetAvailable"));
    }

    @Test
    void aLifecycleOfCreatePatchUpdateAndDeleteIsSeenByWatchWithRightCounts() throws Exception {
        V1Deployment created = user.deployments().create(user.newDeployment("web", 1));
        assertThat(user.awaitComplete("web").getStatus().getReadyReplicas()).isEqualTo(1);
        user.patch("web", "{'metadata': {'labels': {'test': 'patched'}}, 'spec': {'replicas': 2}}");
        assertThat(counts(user.awaitComplete("web"))).isEqualTo("2/2/2/2/0");
        user.update("web", user.deployments(), web -> {
            web.getSpec().getTemplate().getSpec().getContainers().get(0).setImage("app:2");
            user.deployments().update(web);
        });
        V1Deployment updated = user.awaitComplete("web");
        assertThat(counts(updated)).isEqualTo("2/2/2/2/0");
        assertThat(updated.getMetadata().getLabels()).containsEntry("test", "patched");
        assertThat(updated.getMetadata().getUid()).isEqualTo(created.getMetadata().getUid());
        user.deployments().patch(user.key("web"), "status", PatchType.MERGE,
                "{\"status\":{\"conditions\":[{\"type\":\"StatusPatched\",\"status\":\"True\"}]}}");
        user.delete("web", "Background");
        eventually("it is gone", () -> user.isGone(user.deployments(), "web"));

        List<String> seen = seenByWatch(created.getMetadata().getResourceVersion());
        assertThat(seen).containsSubsequence("MODIFIED app:1 1/1/1/1/0", "MODIFIED app:1 2/2/2/2/0 patched",
                "MODIFIED app:2 2/2/2/2/0 patched", "MODIFIED app:2 2/2/2/2/0 patched StatusPatched");
        assertThat(seen.getLast()).startsWith("DELETED app:2 2/2/2/2/0 patched");
    }

    /** The states of the namespace's only Deployment, up to its deletion. */
    private List<String> seenByWatch(String resourceVersion) throws Exception {
        List<String> seen = new ArrayList<>();
        ApiClient api = service.api();
        try (Watch<V1Deployment> watch = Watch.createWatch(api, new AppsV1Api(api)
                .listNamespacedDeployment(user.namespace).resourceVersion(resourceVersion).watch(true)
                .buildCall(null), new TypeToken<Watch.Response<V1Deployment>>() {
                }.getType())) {
            for (Watch.Response<V1Deployment> event : watch) {
                seen.add(event.type + " "
                        + event.object.getSpec().getTemplate().getSpec().getContainers().get(0).getImage() + " "
                        + counts(event.object)
                        + (event.object.getMetadata().getLabels().containsKey("test") ? " patched" : "")
                        + (condition(event.object, "StatusPatched").isEmpty() ? "" : " StatusPatched"));
                if (event.type.equals("DELETED")) {
                    return seen;
                }
            }
        }
        throw new AssertionError("the watch ended before the deletion: " + seen);
    }

    @Test
    void twentyRandomStepsStillEndWithTheNewReplicaSetAvailable() {
        long seed = 20_26;
        Random random = new Random(seed);
        complete(user.newDeployment("web", 6));
        for (int i = 0; i < 20; i++) {
            switch (random.nextInt(5)) {
                case 0 -> user.patch("web", "{'spec': {'template': {'metadata': {'annotations': {'step': 's" + i
                        + "'}}}}}");
                case 1 -> user.setImage("web", "app:" + (1 + random.nextInt(3)));
                case 2 -> user.scale("web", 3 + random.nextInt(6));
                case 3 -> user.patch("web", "{'spec': {'paused': " + random.nextBoolean() + "}}");
                default -> killOne(random);
            }
        }
        user.patch("web", "{'spec': {'paused': false}}");
        user.awaitComplete("web");
        eventually("it says so, with seed " + seed, () -> condition(user.deployment("web"), "Progressing")
                .equals("True/NewReplicaSetAvailable"));
    }

    private void killOne(Random random) {
        List<V1Pod> pods = user.podsLabelled("web");
        if (!pods.isEmpty()) {
            try {
                user.pods().delete(user.key(pods.get(random.nextInt(pods.size())).getMetadata().getName()),
                        Deletion.unconditional());
            } catch (KubeApiException e) {
                assertThat(e.isNotFound()).as("it may have gone meanwhile: %s", e.getMessage()).isTrue();
            }
        }
    }

    @Test
    void aWrongControllerReferenceIsRepaired() {
        V1Deployment web = complete(user.newDeployment("web", 1));
        String name = user.newest("web").getMetadata().getName();
        String uid = web.getMetadata().getUid();
        user.patchSet(name, "{'metadata': {'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'Deployment', "
                + "'name': 'web', 'uid': '" + uid + "', 'controller': false}]}}");
        eventually("it is the controller again", () -> {
            var reference = OwnerReferences.controllerOf(user.replicaSet(name).getMetadata());
            return reference != null && reference.getUid().equals(uid);
        });
        assertThat(user.replicaSet(name).getMetadata().getOwnerReferences()).hasSize(1);
    }
}
