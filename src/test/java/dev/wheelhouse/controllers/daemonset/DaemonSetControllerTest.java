package dev.wheelhouse.controllers.daemonset;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The controller step by step: its requests, expectations, delays and Events. */
class DaemonSetControllerTest {
    private final DaemonSetSystem system = new DaemonSetSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private List<String> writes(String beginning) {
        return system.cluster.requests.takeWrites().stream().filter(line -> line.startsWith(beginning)).toList();
    }

    @Test
    void aPodHasTheTemplateItsRevisionTheDaemonTolerationsAndTheAffinityToItsNode() {
        system.nodes("a1");
        system.create("log", "");
        system.settle();
        V1Pod pod = system.podOn("log", "a1");
        String hash = system.revisions().getFirst().getMetadata().getLabels().get(DaemonPods.HASH_LABEL);
        assertThat(pod.getMetadata().getGenerateName()).isEqualTo("log-");
        assertThat(pod.getMetadata().getLabels()).isEqualTo(Map.of("app", "log", DaemonPods.HASH_LABEL, hash,
                "pod-template-generation", "1"));
        assertThat(pod.getSpec().getNodeName()).isNull();
        assertThat(ModelJson.write(pod.getSpec().getAffinity())).isEqualTo("{\"nodeAffinity\":{"
                + "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{\"matchFields\":[{"
                + "\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"a1\"]}]}]}}}");
        assertThat(pod.getSpec().getTolerations()).extracting(t -> t.getKey() + " " + t.getEffect())
                .containsExactly("node.kubernetes.io/not-ready NoExecute", "node.kubernetes.io/unreachable NoExecute",
                        "node.kubernetes.io/disk-pressure NoSchedule", "node.kubernetes.io/memory-pressure NoSchedule",
                        "node.kubernetes.io/pid-pressure NoSchedule", "node.kubernetes.io/unschedulable NoSchedule");
        assertThat(OwnerReferences.controllerOf(pod.getMetadata())).isEqualTo(
                new V1OwnerReference().apiVersion("apps/v1").kind("DaemonSet").name("log")
                        .uid(system.set("log").getMetadata().getUid()).controller(true).blockOwnerDeletion(true));
        assertThat(system.cluster.eventTexts())
                .containsExactly("Normal SuccessfulCreate Created pod: " + pod.getMetadata().getName());
    }

    @Test
    void aSyncThatChangesNothingWritesNothing() {
        system.nodes("a1", "a2");
        system.create("log", "");
        system.run();
        system.cluster.requests.take();
        system.edit("log", set -> set.getMetadata().putAnnotationsItem("note", "x"));
        system.settle();
        assertThat(system.cluster.requests.take()).isEmpty();
    }

    @Test
    void noSyncCreatesOrDeletesAgainBeforeItsOwnWritesWereSeen() {
        system.nodes("a1", "a2", "a3");
        system.create("log", "");
        system.cluster.deliver();
        system.step();
        assertThat(writes("create pods")).hasSize(3);
        system.edit("log", set -> set.getSpec().setMinReadySeconds(1));
        for (int i = 0; i < 20; i++) {
            system.step();
            system.cluster.clock.advance(Duration.ofMillis(500));
        }
        assertThat(writes("create pods")).isEmpty();
        system.run();
        assertThat(system.nodesOf("log")).hasSize(3);
    }

    /** The status of a generation that was not acted on does not show that generation. */
    @Test
    void whileItsPodsAreExpectedOnlyTheStatusIsWrittenAndTheGenerationIsNotObserved() {
        system.nodes("a1");
        system.create("log", "");
        system.cluster.deliver();
        system.cluster.withhold(ResourceType.PODS);
        system.step();
        assertThat(system.set("log").getStatus().getObservedGeneration()).isEqualTo(1);
        system.image("log", "app:2");
        system.settle();
        assertThat(system.set("log").getStatus().getObservedGeneration()).isEqualTo(1);
    }

    @Test
    void oneSyncCreatesAtMost250Pods() {
        IntStream.range(0, 260).forEach(i -> system.nodes("n" + i));
        system.create("log", "");
        system.cluster.deliver();
        system.step();
        assertThat(writes("create pods")).hasSize(250);
        system.settle();
        assertThat(writes("create pods")).hasSize(10);
    }

    @Test
    void afterARefusedCreationTheOthersAreNotTriedAndTheStatusIsWrittenAllTheSame() {
        system.nodes("a1", "a2", "a3", "a4");
        int[] allowed = {2};
        system.cluster.requests.fault(Requests.Fault.on("create", ResourceType.PODS, () -> allowed[0]-- > 0
                ? null
                : new KubeApiException("create pods", 403, "Forbidden",
                        "pods \"log-x\" is forbidden: exceeded quota: two",
                        null)));
        system.create("log", "");
        system.cluster.deliver();
        system.step();
        assertThat(writes("create pods")).hasSize(3);
        assertThat(system.set("log").getStatus().getObservedGeneration()).isEqualTo(1);
        assertThat(system.counts("log")).isEqualTo("[4, 2, 0, 0, 2, 0, 4]");
        assertThat(system.cluster.eventTexts()).hasSize(3)
                .endsWith("Warning FailedCreate Error creating: pods \"log-x\" is forbidden: exceeded quota: two");
        system.cluster.requests.noFault();
        system.settle(Duration.ofMinutes(2));
        assertThat(system.nodesOf("log")).containsExactly("a1", "a2", "a3", "a4");
    }

    @Test
    void aCreationWithoutAnswerThatLandedIsNotDoneTwice() {
        system.nodes("a1");
        system.cluster.requests.fault(Requests.Fault.afterwards(Requests.Fault.on("create", ResourceType.PODS,
                () -> new KubeApiException("create pods", new IOException("timed out")))));
        system.create("log", "");
        system.cluster.deliver();
        system.step();
        system.cluster.requests.noFault();
        system.settle(Duration.ofMinutes(6));
        assertThat(system.pods()).hasSize(1);
    }

    @Test
    void aRestartedControllerFindsItsPodsAndWritesNothing() {
        system.nodes("a1", "a2");
        system.create("log", "");
        system.run();
        system.cluster.requests.take();
        system.restart();
        system.settle();
        assertThat(system.cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void aFailedPodIsReplacedAtOnceAndTheNextOnesAfterGrowingDelays() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        for (Duration delay : List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2))) {
            V1Pod pod = system.podOn("log", "a1");
            system.phase(pod, "Failed", false);
            if (!delay.isZero()) {
                system.settle(delay.minusMillis(1));
                assertThat(system.podOn("log", "a1").getMetadata().getUid()).isEqualTo(pod.getMetadata().getUid());
            }
            system.settle(delay);
            assertThat(system.cluster.eventTexts()).contains("Warning FailedDaemonPod Found failed daemon pod "
                    + ObjectKey.of(pod) + " on node a1, will try to kill it",
                    "Normal SuccessfulDelete Deleted pod: " + pod.getMetadata().getName());
            system.run();
            assertThat(system.podOn("log", "a1").getMetadata().getUid()).isNotEqualTo(pod.getMetadata().getUid());
        }
    }

    @Test
    void aSucceededPodIsDeletedAndReplaced() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        V1Pod pod = system.podOn("log", "a1");
        system.phase(pod, "Succeeded", false);
        system.run();
        assertThat(system.cluster.eventTexts()).contains("Normal SucceededDaemonPod Found succeeded daemon pod "
                + ObjectKey.of(pod) + " on node a1, will try to delete it");
        assertThat(system.podOn("log", "a1").getMetadata().getUid()).isNotEqualTo(pod.getMetadata().getUid());
    }

    @Test
    void aDeletedPodThatIsNotBoundIsGoneAndOneStatusSaysSo() {
        system.nodes("a1");
        system.create("log", "");
        system.settle();
        writes("");
        system.edit("log", set -> set.getSpec().getTemplate().getSpec().putNodeSelectorItem("disk", "slow"));
        system.settle();
        assertThat(system.podsOf("log")).isEmpty();
        assertThat(system.set("log").getStatus().getNumberMisscheduled()).isZero();
        assertThat(writes("update")).singleElement().asString().contains("daemonsets");
    }

    @Test
    void aPodThatTheRollingUpdateDeletesCountsUntilItIsReplaced() {
        system.nodes("a1");
        system.create("log", "");
        system.settle();
        writes("");
        system.nodes("a2");
        system.image("log", "app:2");
        system.settle();
        List<String> writes = writes("");
        assertThat(writes).filteredOn(line -> line.startsWith("create pods")).hasSize(2);
        assertThat(writes).filteredOn(line -> line.startsWith("update daemonsets.apps/status")).hasSize(2);
    }

    @Test
    void aPodThatTerminatesHoldsItsPlace() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        V1Pod pod = system.podOn("log", "a1");
        system.cluster.delete(ResourceType.PODS, ObjectKey.of(pod), Deletion.unconditional());
        system.settle();
        assertThat(system.podsOf("log")).hasSize(1).allMatch(Pods::isDeleting);
        system.cluster.remove(ResourceType.PODS, ObjectKey.of(pod));
        system.settle();
        assertThat(system.podsOf("log")).hasSize(1).noneMatch(Pods::isDeleting);
    }

    @Test
    void matchingPodsAreAdoptedAndOfTwoOnANodeTheOldestStays() {
        system.nodes("a1");
        V1Pod old = system.cluster.create(ResourceType.PODS, Manifests.pod("old", Map.of("app", "log")));
        system.cluster.bind(ObjectKey.of(old), "a1");
        system.cluster.clock.advance(Duration.ofSeconds(5));
        V1Pod young = system.cluster.create(ResourceType.PODS, Manifests.pod("young", Map.of("app", "log")));
        system.cluster.bind(ObjectKey.of(young), "a1");
        system.create("log", "updateStrategy: {type: OnDelete}");
        system.run();
        assertThat(system.podsOf("log")).extracting(pod -> pod.getMetadata().getName()).containsExactly("old");
    }

    @Test
    void aBoundPodStaysBesideAnOlderOneThatIsNotBound() {
        system.nodes("a1");
        V1Pod waiting = Manifests.pod("waiting", Map.of("app", "log"));
        waiting.getSpec().setAffinity(Yaml.read("""
                {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
                 {matchFields: [{key: metadata.name, operator: In, values: [a1]}]}]}}}""", V1Affinity.class));
        system.cluster.create(ResourceType.PODS, waiting);
        system.cluster.clock.advance(Duration.ofSeconds(5));
        V1Pod bound = system.cluster.create(ResourceType.PODS, Manifests.pod("bound", Map.of("app", "log")));
        system.cluster.bind(ObjectKey.of(bound), "a1");
        system.create("log", "updateStrategy: {type: OnDelete}");
        system.settle();
        assertThat(system.podsOf("log")).extracting(pod -> pod.getMetadata().getName()).containsExactly("bound");
    }

    @Test
    void aPodThatNoLongerMatchesIsReleasedAndReplaced() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        V1Pod pod = system.podOn("log", "a1");
        system.editPod(pod, p -> p.getMetadata().putLabelsItem("app", "other"));
        system.run();
        assertThat(OwnerReferences.controllerOf(
                system.cluster.read(ResourceType.PODS, ObjectKey.of(pod), V1Pod.class).getMetadata())).isNull();
        assertThat(system.podsOf("log")).hasSize(1);
    }

    @Test
    void aDaemonSetThatIsBeingDeletedIsLeftAlone() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        system.edit("log", set -> set.getMetadata().addFinalizersItem("example.com/hold"));
        system.cluster.delete(ResourceType.DAEMON_SETS, DaemonSetSystem.key("log"));
        system.nodes("a2");
        system.cluster.requests.take();
        system.settle();
        assertThat(system.cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void podsBecomeAvailableAfterMinReadySecondsWithoutAnotherEvent() {
        system.nodes("a1");
        system.create("log", "minReadySeconds: 30");
        system.run();
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 1, 1, 0, 1]");
        system.settle(Duration.ofSeconds(29));
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 1, 1, 0, 1]");
        system.settle(Duration.ofSeconds(31));
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 1, 1, 1, 0]");
    }

    @Test
    void aNodeThatChangesWakesOnlyTheDaemonSetsThatHaveToAct() {
        system.nodes("a1", "b1");
        system.create("log", "");
        system.create("other", "");
        system.edit("other",
                set -> set.getSpec().getTemplate().getSpec().setNodeSelector(Map.of("kind", "b")));
        system.run();
        system.cluster.requests.take();
        system.editNode("a1", node -> node.getMetadata().putLabelsItem("note", "x"));
        system.cluster.deliver();
        assertThat(system.step()).isPositive();
        system.editNode("a1", node -> node.getMetadata().putLabelsItem("kind", "b"));
        system.run();
        assertThat(system.nodesOf("other")).containsExactly("a1", "b1");
    }

    @Test
    void aPodForANodeThatDoesNotExistIsDeletedUnlessItIsBound() {
        system.nodes("a1", "a2");
        system.create("log", "");
        system.settle();
        system.ready(system.podOn("log", "a1"), true);
        system.cluster.remove(ResourceType.NODES, ObjectKey.cluster("a1"));
        system.cluster.remove(ResourceType.NODES, ObjectKey.cluster("a2"));
        system.settle();
        system.edit("log", set -> set.getMetadata().putAnnotationsItem("wake", "up"));
        system.settle();
        assertThat(system.nodesOf("log")).containsExactly("a1");
        assertThat(system.counts("log")).isEqualTo("[0, 0, 0, 0, 0, 0, 0]");
    }

    @Test
    void thePlanIsTheNextSync() {
        system.nodes("a1", "a2");
        system.create("log", "");
        system.cluster.deliver();
        assertThat(system.controller.plan(DaemonSetSystem.key("log")))
                .extracting(action -> action.getClass().getSimpleName())
                .containsExactly("Create", "Batch", "Event", "Event", "UpdateStatus");
        assertThat(system.controller.syncs()).isEqualTo(ResourceType.DAEMON_SETS);
        system.run();
        assertThat(system.controller.plan(DaemonSetSystem.key("log"))).isEmpty();
    }

    @Test
    void aDaemonSetThatSelectsAllPodsGetsNoneInItsPlanEither() {
        system.nodes("a1");
        V1DaemonSet set = system.create("other", "");
        set.setMetadata(new V1ObjectMeta().namespace("default").name("log"));
        set.getSpec().setSelector(new V1LabelSelector());
        system.cluster.store(ResourceType.DAEMON_SETS, set);
        system.cluster.deliver();
        assertThat(system.controller.plan(DaemonSetSystem.key("log"))).singleElement()
                .isInstanceOfSatisfying(Action.Event.class, event -> assertThat(event.reason())
                        .isEqualTo("SelectingAll"));
    }

    // ---- revisions

    private V1ControllerRevision revision(String image) {
        return system.revisions().stream()
                .filter(revision -> ModelJson.write(revision.getData()).contains("\"" + image + "\""))
                .findFirst().orElseThrow();
    }

    @Test
    void aTemplateHasOneRevisionWithTheAnnotationsOfTheDaemonSetAndTheLabelsOfTheTemplate() {
        system.create("log", "");
        system.settle();
        V1ControllerRevision revision = system.revisions().getFirst();
        String hash = revision.getMetadata().getLabels().get(DaemonPods.HASH_LABEL);
        assertThat(revision.getRevision()).isEqualTo(1);
        assertThat(revision.getMetadata().getName()).isEqualTo("log-" + hash);
        assertThat(revision.getMetadata().getLabels()).containsEntry("app", "log");
        assertThat(revision.getMetadata().getAnnotations())
                .containsEntry("deprecated.daemonset.template.generation", "1");
        assertThat(OwnerReferences.isControlledBy(revision, system.set("log").getMetadata())).isTrue();
    }

    @Test
    void aTemplateThatReturnsGetsTheHighestNumberAgainAndItsPodsStay() {
        system.nodes("a1");
        system.create("log", "updateStrategy: {type: OnDelete}");
        system.run();
        String pod = system.podOn("log", "a1").getMetadata().getUid();
        system.image("log", "app:2");
        system.settle();
        assertThat(revision("app:2").getRevision()).isEqualTo(2);
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 1, 0, 1, 0]");
        system.image("log", "app:1");
        system.settle();
        assertThat(revision("app:1").getRevision()).isEqualTo(3);
        assertThat(system.revisions()).hasSize(2);
        assertThat(system.podOn("log", "a1").getMetadata().getUid()).isEqualTo(pod);
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 1, 1, 1, 0]");
    }

    @Test
    void theOldestRevisionsWithoutPodsAreDeletedBeyondTheLimit() {
        system.nodes("a1");
        system.create("log", "revisionHistoryLimit: 1, updateStrategy: {type: OnDelete}");
        system.run();
        for (int version = 2; version <= 5; version++) {
            system.image("log", "app:" + version);
            system.settle();
        }
        assertThat(system.revisions()).extracting(V1ControllerRevision::getRevision).containsExactlyInAnyOrder(1L, 5L);
        system.cluster.remove(ResourceType.PODS, ObjectKey.of(system.podOn("log", "a1")));
        system.run();
        system.image("log", "app:6");
        system.settle();
        assertThat(system.revisions()).extracting(V1ControllerRevision::getRevision).containsExactlyInAnyOrder(5L, 6L);
    }

    @Test
    void aRevisionWithoutTheLabelGetsItsOwnNameAsHash() {
        system.create("log", "");
        system.settle();
        V1ControllerRevision revision = system.revisions().getFirst();
        system.cluster.edit(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class, ObjectKey.of(revision),
                r -> r.getMetadata().getLabels().remove(DaemonPods.HASH_LABEL));
        system.settle();
        assertThat(system.revisions().getFirst().getMetadata().getLabels()).containsEntry(DaemonPods.HASH_LABEL,
                revision.getMetadata().getName());
    }
}
