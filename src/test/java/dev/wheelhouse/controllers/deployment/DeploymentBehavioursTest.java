package dev.wheelhouse.controllers.deployment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

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

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentStrategy;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1RollingUpdateDeployment;
import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.util.Watch;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;

import static dev.wheelhouse.Workloads.condition;
import static dev.wheelhouse.Workloads.counts;
import static dev.wheelhouse.Workloads.eventually;
import static dev.wheelhouse.Workloads.isComplete;
import static dev.wheelhouse.Workloads.orZero;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The assertions of upstream's end-to-end and integration suites about Deployments, on the whole system (upstream:
 * {@code test/e2e/apps/deployment.go}, {@code test/integration/deployment}).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@Tag("processes")
class DeploymentBehavioursTest {
    private static final String HASH = "pod-template-hash";
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

    private static V1Deployment neverReady(V1Deployment deployment) {
        deployment.getSpec().getTemplate().getMetadata().setAnnotations(NEVER_READY);
        return deployment;
    }

    private static V1Deployment rolling(V1Deployment deployment, int surge, int unavailable) {
        deployment.getSpec().setStrategy(new V1DeploymentStrategy().type("RollingUpdate").rollingUpdate(
                new V1RollingUpdateDeployment().maxSurge(new IntOrString(surge))
                        .maxUnavailable(new IntOrString(unavailable))));
        return deployment;
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
    void recreateNeverRunsPodsOfTheNewTemplateBesidePodsOfTheOldOne() throws Exception {
        V1Deployment web = user.newDeployment("web", 3);
        web.getSpec().setStrategy(new V1DeploymentStrategy().type("Recreate"));
        complete(web);
        String version = user.deployments().list(user.namespace, LabelSelector.everything(),
                FieldSelector.everything(), dev.wheelhouse.client.ListOptions.consistent(0)).resourceVersion();
        user.setImage("web", "app:2");
        V1Deployment done = user.awaitComplete("web");
        String newHash = user.newest("web").getMetadata().getLabels().get(HASH);

        Set<String> alive = new HashSet<>();
        Set<String> together = new HashSet<>();
        for (V1Pod pod : new PodHistory(service.api(), user.namespace).since(version)) {
            boolean isNew = newHash.equals(pod.getMetadata().getLabels().get(HASH));
            if (!isNew) {
                boolean gone = pod.getMetadata().getDeletionTimestamp() != null
                        && pod.getStatus().getPhase().matches("Succeeded|Failed");
                if (gone) {
                    alive.remove(pod.getMetadata().getName());
                } else {
                    alive.add(pod.getMetadata().getName());
                }
            } else if (!alive.isEmpty()) {
                together.addAll(alive);
            }
        }
        assertThat(together).as("old pods alive when a new one was").isEmpty();
        assertThat(done.getStatus().getReplicas()).isEqualTo(3);
    }

    @Test
    void aHistoryLimitOf0RemovesTheOldReplicaSetAndExactlyOnePodIsCreatedForOneReplica()
            throws Exception {
        user.replicaSets().create(orphan("before", "web", "app:0", 1));
        eventually("its pod runs", () -> orZero(user.replicaSet("before").getStatus().getReadyReplicas()) == 1);
        Set<String> before = new HashSet<>();
        user.podsLabelled("web").forEach(pod -> before.add(pod.getMetadata().getName()));
        V1Deployment web = user.newDeployment("web", 1);
        web.getSpec().setRevisionHistoryLimit(0);
        String version = user.replicaSet("before").getMetadata().getResourceVersion();
        complete(web);
        eventually("the old one is gone", () -> user.isGone(user.replicaSets(), "before"));
        Set<String> created = new HashSet<>();
        new PodHistory(service.api(), user.namespace).since(version)
                .forEach(pod -> created.add(pod.getMetadata().getName()));
        created.removeAll(before);
        assertThat(created).hasSize(1);
        assertThat(user.replicaSetsOf("web")).hasSize(1);
    }

    @Test
    void aStuckRolloutReplacedHalfWayByAThirdTemplateLeavesBothOlderReplicaSetsAt0() {
        complete(rolling(user.newDeployment("web", 4), 1, 0));
        user.setImage("web", "app:does-not-exist");
        eventually("it is stuck", () -> sizes("web").equals(List.of(4, 1)));
        user.setImage("web", "app:3");
        V1Deployment web = user.awaitComplete("web");
        assertThat(Workloads.revision(web)).isEqualTo(3);
        assertThat(sizes("web")).containsExactly(0, 0, 4);
    }

    @Test
    void scalingInTheMiddleOfARolloutIsProportional() {
        complete(rolling(user.newDeployment("web", 10), 3, 2));
        user.setImage("web", "app:404");
        eventually("8 + 5", () -> sizes("web").equals(List.of(8, 5))
                && orZero(user.deployment("web").getStatus().getAvailableReplicas()) == 8
                && orZero(user.deployment("web").getStatus().getUpdatedReplicas()) == 5);
        user.scale("web", 30);
        eventually("20 + 13", () -> sizes("web").equals(List.of(20, 13)));
        eventually("the status follows", () -> counts(user.deployment("web")).startsWith("33/13/20/20"));
        assertThat(sizes("web")).containsExactly(20, 13);
    }

    @Test
    void theScaleSubresourceCanBeReadUpdatedAndPatched() throws Exception {
        complete(user.newDeployment("web", 1));
        AppsV1Api apps = new AppsV1Api(service.api());
        V1Scale scale = apps.readNamespacedDeploymentScale("web", user.namespace).execute();
        assertThat(scale.getSpec().getReplicas()).isEqualTo(1);
        assertThat(scale.getStatus().getReplicas()).isEqualTo(1);
        assertThat(scale.getStatus().getSelector()).isEqualTo("app=web");
        scale.getSpec().setReplicas(2);
        scale.getMetadata().setResourceVersion(null);
        apps.replaceNamespacedDeploymentScale("web", user.namespace, scale).execute();
        assertThat(user.awaitComplete("web").getSpec().getReplicas()).isEqualTo(2);
        user.deployments().patch(user.key("web"), "scale", PatchType.MERGE, "{\"spec\":{\"replicas\":4}}");
        assertThat(user.awaitComplete("web").getSpec().getReplicas()).isEqualTo(4);
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
    void deletionCascadesToReplicaSetsAndPods() {
        complete(user.newDeployment("web", 2));
        user.setImage("web", "app:2");
        user.awaitComplete("web");
        user.delete("web", "Background");
        eventually("nothing is left", () -> user.list(user.replicaSets(), Map.of()).isEmpty()
                && user.podsLabelled("web").isEmpty());
    }

    @Test
    void anOrphanedReplicaSetIsAdoptedAgainWithTheSameUidAndNoSecondOne() {
        complete(user.newDeployment("web", 1));
        String uid = user.newest("web").getMetadata().getUid();
        user.delete("web", "Orphan");
        eventually("the Deployment is gone and the ReplicaSet is an orphan",
                () -> user.isGone(user.deployments(), "web") && user.list(user.replicaSets(), Map.of()).stream()
                        .allMatch(set -> OwnerReferences.controllerOf(set.getMetadata()) == null));
        assertThat(user.podsLabelled("web")).hasSize(1);
        V1Deployment again = complete(user.newDeployment("web", 1));
        assertThat(user.list(user.replicaSets(), Map.of())).hasSize(1);
        assertThat(user.replicaSetsOf(again)).singleElement()
                .satisfies(set -> assertThat(set.getMetadata().getUid()).isEqualTo(uid));
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
    void annotationsAreCopiedToTheReplicaSetExceptLastAppliedAndTheHashIsTheSameEverywhere() {
        V1Deployment web = user.newDeployment("web", 5);
        web.getMetadata().setAnnotations(Map.of("test", "should-copy-to-replica-set",
                "kubectl.kubernetes.io/last-applied-configuration", "should-not-copy-to-replica-set"));
        complete(web);
        V1ReplicaSet set = user.newest("web");
        assertThat(set.getMetadata().getAnnotations()).containsEntry("test", "should-copy-to-replica-set")
                .doesNotContainKey("kubectl.kubernetes.io/last-applied-configuration");
        String hash = set.getMetadata().getLabels().get(HASH);
        assertThat(set.getMetadata().getName()).isEqualTo("web-" + hash);
        assertThat(set.getSpec().getSelector().getMatchLabels()).containsEntry(HASH, hash);
        assertThat(set.getSpec().getTemplate().getMetadata().getLabels()).containsEntry(HASH, hash);
        assertThat(user.podsLabelled("web")).hasSize(5)
                .allSatisfy(pod -> assertThat(pod.getMetadata().getLabels()).containsEntry(HASH, hash));
    }

    @Test
    void aSelectorChangeIsRefused() {
        complete(user.newDeployment("web", 1));
        assertThatThrownBy(() -> user.patch("web",
                "{'spec': {'selector': {'matchLabels': {'app': 'x'}}, 'template': {'metadata': {'labels': {'app': "
                        + "'x'}}}}}"))
                .isInstanceOfSatisfying(KubeApiException.class, e -> assertThat(e.isInvalid()).isTrue())
                .hasMessageContaining("field is immutable");
    }

    @Test
    void whilePausedNothingRollsOutButScalingWorksAndResumingMakesOneReplicaSetForAllEdits() {
        V1Deployment web = user.newDeployment("web", 2);
        web.getSpec().setPaused(true);
        user.deployments().create(web);
        user.awaitObserved(user.deployment("web"));
        assertThat(user.replicaSetsOf("web")).isEmpty();
        user.patch("web", "{'spec': {'paused': false}}");
        user.awaitComplete("web");
        user.patch("web", "{'spec': {'paused': true}}");
        user.setImage("web", "app:2");
        user.scale("web", 4);
        user.awaitObserved(user.setImage("web", "app:3"));
        eventually("it scales", () -> sizes("web").equals(List.of(4)));
        assertThat(condition(user.deployment("web"), "Progressing")).isEqualTo("Unknown/DeploymentPaused");
        user.patch("web", "{'spec': {'paused': false}}");
        user.awaitComplete("web");
        assertThat(user.replicaSetsOf("web")).hasSize(2);
        assertThat(user.newest("web").getSpec().getTemplate().getSpec().getContainers().get(0).getImage())
                .isEqualTo("app:3");
    }

    @Test
    void aHashCollisionRaisesTheCollisionCountTo1AndMakesANewReplicaSet() {
        complete(user.newDeployment("web", 1));
        V1ReplicaSet set = user.newest("web");
        user.patchSet(set.getMetadata().getName(),
                "{'spec': {'template': {'spec': {'terminationGracePeriodSeconds': 5}}}}");
        eventually("the collision is counted",
                () -> orZero(user.deployment("web").getStatus().getCollisionCount()) == 1);
        eventually("revision 2", () -> Workloads.revision(user.deployment("web")) == 2);
        user.awaitComplete("web");
        assertThat(user.replicaSetsOf("web")).hasSize(2);
    }

    @Test
    void theProgressDeadlineShowsAndClearsWhenTheRolloutCompletes() {
        V1Deployment web = neverReady(user.newDeployment("web", 1));
        web.getSpec().setProgressDeadlineSeconds(2);
        user.deployments().create(web);
        eventually("the deadline is exceeded", () -> condition(user.deployment("web"), "Progressing")
                .equals("False/ProgressDeadlineExceeded"));
        user.podsLabelled("web").forEach(pod -> user.patchPod(pod.getMetadata().getName(),
                "{'metadata': {'annotations': {'hollow.wheelhouse.dev/ready': 'true'}}}"));
        eventually("it clears", () -> condition(user.deployment("web"), "Progressing")
                .equals("True/NewReplicaSetAvailable"));
        assertThat(isComplete(user.deployment("web"))).isTrue();
    }

    @Test
    void twoDeploymentsWithOneSelectorStayIndependent() {
        V1Deployment first = user.newDeployment("first", 2);
        V1Deployment second = user.newDeployment("second", 3);
        for (V1Deployment each : List.of(first, second)) {
            each.getSpec().getSelector().setMatchLabels(Map.of("app", "both"));
            each.getSpec().getTemplate().getMetadata().setLabels(Map.of("app", "both"));
        }
        complete(first);
        complete(second);
        assertThat(user.podsLabelled("both")).hasSize(5);
        user.scale("first", 3);
        user.awaitComplete("first");
        user.setImage("second", "app:2");
        user.awaitComplete("second");
        assertThat(user.replicaSetsOf("first")).hasSize(1);
        assertThat(user.replicaSetsOf("second")).hasSize(2);
        assertThat(sizes("first")).containsExactly(3);
    }

    @Test
    void replicasAndTemplateChangedInOneUpdateNeverBlockAndDesiredReplicasAreRightAtTheEnd() {
        complete(rolling(user.newDeployment("web", 10), 3, 2));
        user.setImage("web", "app:404");
        eventually("it is stuck", () -> sizes("web").equals(List.of(8, 5)));
        replicasAndImage(20, "app:3");
        assertDesired(20);
        user.setImage("web", "app:missing");
        eventually("it is stuck again", () -> sizes("web").size() == 4 && sizes("web").getLast() > 0);
        replicasAndImage(5, "app:5");
        assertDesired(5);
    }

    private void replicasAndImage(int replicas, String image) {
        user.patch("web", "{'spec': {'replicas': " + replicas
                + ", 'template': {'spec': {'containers': [{'name': 'main', 'image': '" + image + "'}]}}}}");
        user.awaitComplete("web");
    }

    /**
     * Asserts the annotation with the desired number on the ReplicaSets that had pods when it changed, and the new one.
     */
    private void assertDesired(int replicas) {
        eventually("the desired-replicas annotations say " + replicas, () -> user.replicaSetsOf("web").reversed()
                .stream().limit(3).allMatch(set -> String.valueOf(replicas)
                        .equals(set.getMetadata().getAnnotations().get(Workloads.DESIRED))));
    }

    @Test
    void aStaleDesiredReplicasAnnotationNeverDeadlocksARollout() {
        complete(rolling(user.newDeployment("web", 3), 1, 0));
        user.setImage("web", "app:404");
        eventually("it is stuck", () -> sizes("web").equals(List.of(3, 1)));
        for (V1ReplicaSet set : user.replicaSetsOf("web")) {
            user.patchSet(set.getMetadata().getName(),
                    "{'metadata': {'annotations': {'" + Workloads.DESIRED + "': '17'}}}");
        }
        user.setImage("web", "app:3");
        user.awaitComplete("web");
        assertThat(sizes("web")).containsExactly(0, 0, 3);
        assertDesired(3);
    }

    @Test
    void aStaleDesiredReplicasAnnotationOnAnEmptyReplicaSetDoesNotKeepARollbackFromIt() {
        complete(rolling(user.newDeployment("web", 3), 1, 0));
        user.setImage("web", "app:2");
        user.awaitComplete("web");
        String first = user.replicaSetsOf("web").getFirst().getMetadata().getName();
        user.patchSet(first, "{'metadata': {'annotations': {'" + Workloads.DESIRED + "': '17'}}}");
        user.setImage("web", "app:404");
        eventually("it is stuck", () -> sizes("web").equals(List.of(0, 3, 1)));
        user.setImage("web", "app:1");
        user.awaitComplete("web");
        assertThat(sizes("web")).containsExactly(0, 0, 3);
        assertThat(user.newest("web").getMetadata().getName()).isEqualTo(first);
        assertDesired(3);
    }

    @Test
    void readyPodsCountAsUnavailableUntilMinReadySecondsHavePassed() {
        V1Deployment web = user.newDeployment("web", 10);
        web.getSpec().minReadySeconds(3600).progressDeadlineSeconds(7200);
        user.deployments().create(web);
        eventually("all are ready", () -> counts(user.deployment("web")).equals("10/10/10/0/10"));
        assertThat(condition(user.deployment("web"), "Available")).isEqualTo("False/MinimumReplicasUnavailable");
        user.patch("web", "{'spec': {'minReadySeconds': 1}}");
        eventually("all are available", () -> counts(user.deployment("web")).equals("10/10/10/10/0"));
        eventually("the condition says so",
                () -> condition(user.deployment("web"), "Available").equals("True/MinimumReplicasAvailable"));
    }

    @Test
    void podsThatAreNotReadyAreCountedAsSuch() {
        user.deployments().create(neverReady(user.newDeployment("web", 3)));
        eventually("none is ready", () -> counts(user.deployment("web")).equals("3/3/0/0/3"));
        assertThat(condition(user.deployment("web"), "Available")).isEqualTo("False/MinimumReplicasUnavailable");
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

    @Test
    void aRelabelledReplicaSetIsReleasedReplacedUnderAnotherNameAndAdoptedWhenItMatchesAgain() {
        V1Deployment web = complete(user.newDeployment("web", 1));
        V1ReplicaSet first = user.newest("web");
        String name = first.getMetadata().getName();
        user.replicaSets().patch(user.key(name), "", PatchType.JSON,
                "[{\"op\":\"replace\",\"path\":\"/metadata/labels\",\"value\":{\"new-name\":\"new-test\"}}]");
        eventually("it is released",
                () -> OwnerReferences.controllerOf(user.replicaSet(name).getMetadata()) == null);
        eventually("another one takes its place", () -> !user.replicaSetsOf("web").isEmpty());
        assertThat(user.newest("web").getMetadata().getName()).isNotEqualTo(name);
        user.replicaSets().patch(user.key(name), "", PatchType.JSON,
                "[{\"op\":\"replace\",\"path\":\"/metadata/labels\",\"value\":{\"app\":\"web\"}}]");
        eventually("it is adopted again", () -> {
            var reference = OwnerReferences.controllerOf(user.replicaSet(name).getMetadata());
            return reference != null && reference.getUid().equals(web.getMetadata().getUid());
        });
    }

    @Test
    void theObservedGenerationMovesEvenWhenTheChangeAsksForNothing() {
        complete(user.newDeployment("web", 1));
        V1Deployment changed = user.patch("web", "{'spec': {'revisionHistoryLimit': 7}}");
        user.awaitObserved(changed);
        assertThat(user.deployment("web").getStatus().getObservedGeneration())
                .isEqualTo(changed.getMetadata().getGeneration());
    }

    private static V1Deployment heldInTermination(V1Deployment deployment) {
        Workloads.heldInTermination(deployment.getSpec().getTemplate());
        return deployment;
    }

    @Test
    void terminatingPodsAreCountedAndRollingUpdateDoesNotWaitForThem() {
        complete(heldInTermination(user.newDeployment("web", 3)));
        user.setImage("web", "app:2");
        eventually("it is complete while all old pods terminate", () -> {
            V1Deployment web = user.deployment("web");
            return isComplete(web) && orZero(web.getStatus().getTerminatingReplicas()) == 3;
        });
        assertThat(user.podsLabelled("web")).hasSize(6);
        user.endTerminatingPods("web");
        eventually("none is counted", () -> Integer.valueOf(0).equals(
                user.deployment("web").getStatus().getTerminatingReplicas()));
        assertThat(user.podsLabelled("web")).hasSize(3);
    }

    @Test
    void recreateWaitsForTerminatingPods() {
        V1Deployment web = heldInTermination(user.newDeployment("web", 2));
        web.getSpec().setStrategy(new V1DeploymentStrategy().type("Recreate"));
        complete(web);
        user.setImage("web", "app:2");
        eventually("the old pods terminate",
                () -> orZero(user.deployment("web").getStatus().getTerminatingReplicas()) == 2);
        assertThat(user.podsLabelled("web")).allMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null);
        assertThat(user.replicaSetsOf("web")).hasSize(1);
        user.endTerminatingPods("web");
        user.awaitComplete("web");
        assertThat(user.podsLabelled("web")).hasSize(2);
    }
}
