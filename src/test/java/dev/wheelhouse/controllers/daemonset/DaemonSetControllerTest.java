package dev.wheelhouse.controllers.daemonset;

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
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Manifests;
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
