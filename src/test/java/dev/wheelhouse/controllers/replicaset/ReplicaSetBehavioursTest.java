package dev.wheelhouse.controllers.replicaset;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.SchedulingV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PriorityClass;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedInformerFactory;

import static dev.wheelhouse.Workloads.eventually;
import static dev.wheelhouse.Workloads.orZero;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The assertions of upstream's end-to-end and integration suites about ReplicaSets, on the whole system (upstream:
 * {@code test/e2e/apps/replica_set.go}, {@code test/integration/replicaset}). The controller's own tests, which step
 * it, cover behaviour that depends on the order of single steps: expectations, slow start, the whole order of victims.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@Tag("processes")
class ReplicaSetBehavioursTest {
    @TempDir
    private static Path directory;

    private RunningService service;
    private Workloads user;
    private int namespaces;

    @BeforeAll
    void start() {
        service = RunningService.start(directory, "--wheelhouse.nodes.cpu=64");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @BeforeEach
    void namespace() {
        user = new Workloads(service.bean(KubeClient.class), "replicas-" + ++namespaces);
    }

    private V1ReplicaSetStatus status(String name) {
        return user.replicaSet(name).getStatus();
    }

    private void awaitReady(String name, int replicas) {
        eventually(name + " has " + replicas + " ready pods",
                () -> orZero(status(name).getReadyReplicas()) == replicas
                        && orZero(status(name).getReplicas()) == replicas
                        && user.podsOf(user.replicaSet(name)).size() == replicas);
    }

    private V1ReplicaSet create(String name, int replicas) {
        user.replicaSets().create(user.newReplicaSet(name, replicas));
        awaitReady(name, replicas);
        return user.replicaSet(name);
    }

    private boolean isControlled(String pod, V1ReplicaSet by) {
        V1OwnerReference reference = OwnerReferences.controllerOf(user.pods().get(user.key(pod)).getMetadata());
        return reference != null && reference.getUid().equals(by.getMetadata().getUid());
    }

    @Test
    void itAdoptsMatchingOrphansAndReleasesPodsThatNoLongerMatch() {
        user.pods().create(user.newPod("orphan", Map.of("app", "web")));
        awaitCached();
        V1ReplicaSet web = user.replicaSets().create(user.newReplicaSet("web", 1));
        eventually("the orphan is adopted", () -> isControlled("orphan", web));
        awaitReady("web", 1);
        user.patchPod("orphan", "{'metadata': {'labels': {'app': 'not-matching'}}}");
        eventually("it is released",
                () -> OwnerReferences.controllerOf(user.pods().get(user.key("orphan")).getMetadata()) == null);
        eventually("another one takes its place", () -> user.podsOf(web).size() == 1);
    }

    @Test
    void anOwnerThatIsNoControllerStaysBesideTheNewController() {
        V1Pod pod = user.newPod("orphan", Map.of("app", "web"));
        String owner = user.replicaSets().create(user.newReplicaSet("elsewhere", 0)).getMetadata().getUid();
        pod.getMetadata().addOwnerReferencesItem(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet")
                .name("elsewhere").uid(owner).controller(false));
        user.pods().create(pod);
        awaitCached();
        V1ReplicaSet web = user.replicaSets().create(user.newReplicaSet("web", 1));
        eventually("it is adopted", () -> isControlled("orphan", web));
        assertThat(user.pods().get(user.key("orphan")).getMetadata().getOwnerReferences()).hasSize(2);
    }

    @Test
    void itNeverTouchesPodsThatAnotherControllerOwns() {
        V1ReplicaSet other = user.newReplicaSet("other", 2);
        other.getSpec().getSelector().setMatchLabels(Map.of("app", "web"));
        other.getSpec().getTemplate().getMetadata().setLabels(Map.of("app", "web"));
        user.replicaSets().create(other);
        awaitReady("other", 2);
        create("web", 1);
        user.patchSet("web", "{'spec': {'replicas': 0}}");
        awaitReady("web", 0);
        assertThat(user.podsOf(user.replicaSet("other"))).hasSize(2)
                .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null);
    }

    @Test
    void moreOrphansThanAskedForAreAdoptedAndTheSurplusIsDeleted() {
        for (String name : List.of("a", "b", "c")) {
            user.pods().create(user.newPod(name, Map.of("app", "web")));
        }
        awaitCached();
        user.replicaSets().create(user.newReplicaSet("web", 2));
        awaitReady("web", 2);
        assertThat(user.podsOf(user.replicaSet("web"))).extracting(pod -> pod.getMetadata().getName())
                .isSubsetOf("a", "b", "c");
    }

    @Test
    void readyAndAvailableReplicasAndTheObservedGenerationAreRight() {
        V1ReplicaSet web = user.newReplicaSet("web", 3);
        web.getSpec().setMinReadySeconds(3600);
        user.replicaSets().create(web);
        awaitReady("web", 3);
        assertThat(orZero(status("web").getAvailableReplicas())).isZero();
        V1ReplicaSet changed = user.patchSet("web", "{'spec': {'minReadySeconds': 1}}");
        eventually("all are available", () -> orZero(status("web").getAvailableReplicas()) == 3);
        assertThat(status("web").getObservedGeneration()).isEqualTo(changed.getMetadata().getGeneration());
    }

    @Test
    void fullyLabelledReplicasHaveAllLabelsOfTheTemplate() {
        V1ReplicaSet web = user.newReplicaSet("web", 2);
        web.getSpec().getTemplate().getMetadata().setLabels(Map.of("app", "web", "extra", "label"));
        user.replicaSets().create(web);
        awaitReady("web", 2);
        assertThat(status("web").getFullyLabeledReplicas()).isEqualTo(2);
        String pod = user.podsOf(user.replicaSet("web")).get(0).getMetadata().getName();
        user.patchPod(pod, "{'metadata': {'labels': {'extra': null}}}");
        eventually("one has lost a label", () -> orZero(status("web").getFullyLabeledReplicas()) == 1);
        assertThat(status("web").getReplicas()).isEqualTo(2);
    }

    @Test
    void thePodWithTheLowerDeletionCostIsDeletedFirst() {
        create("web", 2);
        List<V1Pod> pods = user.podsOf(user.replicaSet("web"));
        String dear = pods.get(0).getMetadata().getName();
        user.patchPod(dear, "{'metadata': {'annotations': {'controller.kubernetes.io/pod-deletion-cost': '100'}}}");
        user.patchPod(pods.get(1).getMetadata().getName(),
                "{'metadata': {'annotations': {'controller.kubernetes.io/pod-deletion-cost': '-10'}}}");
        awaitCached();
        user.patchSet("web", "{'spec': {'replicas': 1}}");
        awaitReady("web", 1);
        assertThat(user.podsOf(user.replicaSet("web"))).singleElement()
                .satisfies(pod -> assertThat(pod.getMetadata().getName()).isEqualTo(dear));
    }

    /** Waits until the controllers' cache has the namespace's pods as the server has them. */
    private void awaitCached() {
        var cache = service.bean(SharedInformerFactory.class).informer(ResourceType.PODS, V1Pod.class);
        eventually("the cache has the pods", () -> user.list(user.pods(), Map.of()).stream().allMatch(pod -> {
            V1Pod cached = cache.get(user.key(pod.getMetadata().getName()));
            return cached != null && cached.getMetadata().getResourceVersion()
                    .equals(pod.getMetadata().getResourceVersion());
        }));
    }

    @Test
    void aPodThatIsNotReadyIsDeletedBeforeOneThatIs() {
        user.pods().create(withAnnotation(user.newPod("unready", Map.of("app", "web")), "ready", "false"));
        user.pods().create(user.newPod("ready", Map.of("app", "web")));
        eventually("both run, and one is ready", () -> List.of("ready", "unready").stream()
                .allMatch(pod -> "Running".equals(user.pods().get(user.key(pod)).getStatus().getPhase()))
                && Pods.isReady(user.pods().get(user.key("ready"))));
        awaitCached();
        user.replicaSets().create(user.newReplicaSet("web", 1));
        eventually("one is left", () -> user.podsLabelled("web").size() == 1);
        assertThat(user.podsLabelled("web").get(0).getMetadata().getName()).isEqualTo("ready");
    }

    private static V1Pod withAnnotation(V1Pod pod, String key, String value) {
        pod.getMetadata().putAnnotationsItem("hollow.wheelhouse.dev/" + key, value);
        return pod;
    }

    @Test
    void deletedAndFailedPodsAreReplaced() {
        V1ReplicaSet web = create("web", 2);
        List<V1Pod> pods = user.podsOf(web);
        user.pods().delete(user.key(pods.get(0).getMetadata().getName()), Deletion.unconditional());
        user.pods().patch(user.key(pods.get(1).getMetadata().getName()), "status", PatchType.MERGE,
                "{\"status\":{\"phase\":\"Failed\"}}");
        eventually("two others run", () -> user.podsOf(web).stream()
                .filter(pod -> pods.stream().noneMatch(
                        old -> old.getMetadata().getUid().equals(pod.getMetadata().getUid())))
                .filter(pod -> "Running".equals(pod.getStatus().getPhase())).count() >= 1
                && orZero(status("web").getReadyReplicas()) == 2);
    }

    private V1ReplicaSetCondition failure(String name) {
        List<V1ReplicaSetCondition> conditions = status(name).getConditions();
        return conditions == null
                ? null
                : conditions.stream().filter(c -> c.getType().equals("ReplicaFailure")).findFirst().orElse(null);
    }

    private void createRefused(String priorityClass) {
        V1ReplicaSet web = user.newReplicaSet("web", 3);
        web.getSpec().getTemplate().getSpec().setPriorityClassName(priorityClass);
        user.replicaSets().create(web);
        eventually("the refusal shows", () -> failure("web") != null);
        assertThat(failure("web").getStatus()).isEqualTo("True");
        assertThat(failure("web").getReason()).isEqualTo("FailedCreate");
        assertThat(failure("web").getMessage()).contains("forbidden", priorityClass);
    }

    @Test
    void aRefusedCreationSetsReplicaFailureAndClearsWhenItSucceeds() throws Exception {
        createRefused("late");
        new SchedulingV1Api(service.api())
                .createPriorityClass(new V1PriorityClass().metadata(new V1ObjectMeta().name("late")).value(7))
                .execute();
        user.patchSet("web", "{'metadata': {'labels': {'look': 'again'}}}");
        awaitReady("web", 3);
        eventually("the condition clears", () -> failure("web") == null);
    }

    @Test
    void scalingDownClearsARefusal() {
        createRefused("never");
        user.patchSet("web", "{'spec': {'replicas': 0}}");
        eventually("the condition clears", () -> failure("web") == null);
    }

    @Test
    void theScaleSubresourceCanBeReadUpdatedAndPatched() throws Exception {
        create("web", 1);
        AppsV1Api apps = new AppsV1Api(service.api());
        V1Scale scale = apps.readNamespacedReplicaSetScale("web", user.namespace).execute();
        assertThat(scale.getSpec().getReplicas()).isEqualTo(1);
        scale.getSpec().setReplicas(2);
        scale.getMetadata().setResourceVersion(null);
        apps.replaceNamespacedReplicaSetScale("web", user.namespace, scale).execute();
        awaitReady("web", 2);
        user.replicaSets().patch(user.key("web"), "scale", PatchType.MERGE, "{\"spec\":{\"replicas\":4}}");
        awaitReady("web", 4);
    }

    @Test
    void replacePatchListAndDeletecollectionWork() {
        create("one", 1);
        create("two", 1);
        user.update("one", user.replicaSets(), one -> {
            one.getSpec().setReplicas(2);
            one.getMetadata().putLabelsItem("test", "replaced");
            user.replicaSets().update(one);
        });
        awaitReady("one", 2);
        user.patchSet("two", "{'spec': {'replicas': 3, 'template': {'spec': {'terminationGracePeriodSeconds': 0}}}}");
        awaitReady("two", 3);
        assertThat(user.list(user.replicaSets(), Map.of("test", "replaced"))).hasSize(1);
        assertThat(user.list(user.replicaSets(), Map.of())).hasSize(2);
        user.replicaSets().deleteCollection(user.namespace, Deletion.unconditional());
        eventually("all are gone, and their pods", () -> user.list(user.replicaSets(), Map.of()).isEmpty()
                && user.list(user.pods(), Map.of()).isEmpty());
    }

    @Test
    void foreignConditionsInTheStatusSurvive() {
        create("web", 1);
        user.update("web", user.replicaSets(), web -> {
            web.getStatus().addConditionsItem(new V1ReplicaSetCondition().type("StatusUpdate").status("True")
                    .reason("E2E").message("Set from a test"));
            user.replicaSets().updateStatus(web);
        });
        user.patchSet("web", "{'spec': {'replicas': 2}}");
        awaitReady("web", 2);
        assertThat(status("web").getConditions()).anyMatch(c -> c.getType().equals("StatusUpdate"));
    }

    @Test
    void aSelectorChangeIsRefused() {
        create("web", 0);
        assertThatThrownBy(() -> user.patchSet("web", "{'spec': {'selector': {'matchLabels': {'app': 'x'}}, "
                + "'template': {'metadata': {'labels': {'app': 'x'}}}}}"))
                .isInstanceOfSatisfying(KubeApiException.class, e -> assertThat(e.isInvalid()).isTrue())
                .hasMessageContaining("field is immutable");
    }

    @Test
    void terminatingPodsAreCounted() {
        V1ReplicaSet web = user.newReplicaSet("web", 2);
        Workloads.heldInTermination(web.getSpec().getTemplate());
        user.replicaSets().create(web);
        awaitReady("web", 2);
        user.patchSet("web", "{'spec': {'replicas': 0}}");
        eventually("both terminate", () -> orZero(status("web").getTerminatingReplicas()) == 2);
        user.endTerminatingPods("web");
        eventually("none is left", () -> Integer.valueOf(0).equals(status("web").getTerminatingReplicas()));
    }

    @Test
    void aReplicationControllerKeepsItsPodsLikeAReplicaSet() throws Exception {
        CoreV1Api core = new CoreV1Api(service.api());
        core.createNamespacedReplicationController(user.namespace, Yaml.loadAs("""
                apiVersion: v1
                kind: ReplicationController
                metadata: {name: old}
                spec:
                  replicas: 2
                  selector: {app: old}
                  template:
                    metadata: {labels: {app: old}}
                    spec:
                      containers: [{name: main, image: "app:1"}]
                """, V1ReplicationController.class)).execute();
        eventually("both are available", () -> Integer.valueOf(2).equals(core
                .readNamespacedReplicationController("old", user.namespace).execute().getStatus()
                .getAvailableReplicas()));
        eventually("its Events come from upstream's component",
                () -> core.listNamespacedEvent(user.namespace).execute().getItems().stream()
                        .anyMatch(event -> "SuccessfulCreate".equals(event.getReason())
                                && "replication-controller".equals(event.getSource().getComponent())));
        core.deleteNamespacedReplicationController("old", user.namespace).propagationPolicy("Background").execute();
        eventually("its pods go with it", () -> user.podsLabelled("old").isEmpty());
    }
}
