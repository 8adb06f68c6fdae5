package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controllers.history.ControllerRevisions;
import dev.wheelhouse.controllers.history.RevisionData;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The assertions of upstream's end-to-end and integration suites about DaemonSets (upstream:
 * {@code test/e2e/apps/daemon_set.go}, {@code test/integration/daemonset}), with the embedded scheduler.
 */
class DaemonSetBehavioursTest {
    private static final String SURGE = "updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, "
            + "maxSurge: 1}}";

    private final DaemonSetSystem system = new DaemonSetSystem();

    DaemonSetBehavioursTest() {
        system.schedule();
    }

    @AfterEach
    void close() {
        system.close();
    }

    private void editTemplate(String name, Consumer<V1PodSpec> change) {
        system.edit(name, set -> change.accept(set.getSpec().getTemplate().getSpec()));
    }

    private void tolerate(String... keys) {
        editTemplate("log", spec -> spec.setTolerations(List.of(keys).stream()
                .map(key -> new V1Toleration().key(key).operator("Exists")).toList()));
    }

    @ParameterizedTest
    @CsvSource({"Succeeded, false", "Failed, false", "Succeeded, true", "Failed, true"})
    void aPodThatEndsIsReplacedAlsoWhileAFinalizerHoldsIt(String phase, boolean finalizer) {
        system.nodes("a1", "a2");
        system.create("log", "");
        system.run();
        V1Pod ended = system.podOn("log", "a1");
        if (finalizer) {
            system.editPod(ended, pod -> pod.getMetadata().addFinalizersItem("test.k8s.io/finalizer"));
        }
        system.phase(ended, phase, false);
        system.settle();
        assertThat(system.cluster.exists(ResourceType.PODS, ObjectKey.of(ended))).isEqualTo(finalizer);
        assertThat(system.nodesOf("log")).containsExactly("a1", "a2");
        system.run();
        assertThat(system.counts("log")).isEqualTo("[2, 2, 0, 2, 2, 2, 0]");
    }

    @Test
    void aNodeThatIsNotReadyHasAPodThatRunsWhenTheNodeIsReady() {
        system.nodes("a1");
        system.editNode("a1", node -> node.getStatus()
                .setConditions(List.of(new V1NodeCondition().type("Ready").status("False"))));
        system.create("log", "");
        system.run();
        assertThat(system.nodesOf("log")).containsExactly("a1");
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 0, 1, 0, 1]");
        system.editNode("a1", node -> node.getStatus().getConditions().getFirst().setStatus("True"));
        system.settle(Duration.ofSeconds(30));
        system.run();
        assertThat(system.counts("log")).isEqualTo("[1, 1, 0, 1, 1, 1, 0]");
    }

    @Test
    void aPodThatDoesNotFitOnItsNodeWaitsThereAndNowhereElse() {
        system.node("small", "1");
        system.node("large", "8");
        system.create("log", "");
        editTemplate("log", spec -> spec.getContainers().getFirst().setResources(Yaml.read(
                "{requests: {cpu: '2'}}", V1ResourceRequirements.class)));
        system.run();
        assertThat(system.nodesOf("log")).containsExactly("large", "small");
        assertThat(Pods.node(system.podOn("log", "small"))).isEmpty();
        assertThat(system.podOn("log", "small").getStatus().getConditions().getFirst().getReason())
                .isEqualTo("Unschedulable");
        assertThat(system.counts("log")).isEqualTo("[2, 2, 0, 1, 2, 1, 1]");
    }

    @Test
    void aHashCollisionRaisesTheCollisionCountAndTheTemplateGetsAnotherRevision() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        V1DaemonSet next = system.set("log");
        next.getSpec().getTemplate().getSpec().setTerminationGracePeriodSeconds(1L);
        V1ControllerRevision first = system.revisions().getFirst();
        String hash = ControllerRevisions.hash(RevisionData.of(next.getSpec().getTemplate()), null);
        system.cluster.create(ResourceType.CONTROLLER_REVISIONS, ControllerRevisions.make(ResourceType.DAEMON_SETS,
                next.getMetadata(), RevisionData.of(first), 2, hash, DaemonPods.HASH_LABEL, Map.of("app", "log")));
        editTemplate("log", spec -> spec.setTerminationGracePeriodSeconds(1L));
        system.settle(Duration.ofSeconds(1));
        system.run();
        assertThat(system.set("log").getStatus().getCollisionCount()).isEqualTo(1);
        assertThat(system.podOn("log", "a1").getSpec().getTerminationGracePeriodSeconds()).isEqualTo(1);
    }

    @Test
    void ofTwoRevisionsOfOneTemplateTheNewerStaysAndThePodsGetItsLabel() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        V1ControllerRevision first = system.revisions().getFirst();
        system.cluster.create(ResourceType.CONTROLLER_REVISIONS, ControllerRevisions.make(ResourceType.DAEMON_SETS,
                system.set("log").getMetadata(), RevisionData.of(first), 2, "new", DaemonPods.HASH_LABEL,
                Map.of("app", "log")));
        String pod = system.podOn("log", "a1").getMetadata().getUid();
        system.nodes("a2");
        system.run();
        assertThat(system.revisions()).extracting(revision -> revision.getMetadata().getName())
                .containsExactly("log-new");
        assertThat(system.podsOf("log")).hasSize(2)
                .allMatch(p -> DaemonPods.label(p, DaemonPods.HASH_LABEL).equals("new"))
                .anyMatch(p -> pod.equals(p.getMetadata().getUid()));
    }

    @Test
    void withASurgeOldPodsOnNodesThatAreNoLongerWantedStayUntilEnoughNewOnesAreAvailable() {
        system.nodes("y1", "y2", "z1", "z2", "c1", "c2");
        for (String node : List.of("y1", "y2", "z1", "z2", "c1", "c2")) {
            system.taint(node, "zone-" + node.charAt(0), "NoSchedule");
        }
        system.create("log", SURGE);
        tolerate("zone-y", "zone-c");
        system.run();
        assertThat(system.nodesOf("log")).containsExactly("c1", "c2", "y1", "y2");
        tolerate("zone-z", "zone-c");
        system.settle();
        assertThat(system.nodesOf("log")).as("two for the new zone, one beside an old one").hasSize(7)
                .contains("y1", "y2", "z1", "z2");
        system.run();
        assertThat(system.nodesOf("log")).containsExactly("c1", "c2", "z1", "z2");
        tolerate("zone-y", "zone-z", "zone-c");
        system.settle();
        assertThat(system.nodesOf("log")).hasSize(7);
        system.run();
        assertThat(system.counts("log")).isEqualTo("[6, 6, 0, 6, 6, 6, 0]");
        tolerate();
        system.run();
        assertThat(system.podsOf("log")).isEmpty();
        assertThat(system.counts("log")).isEqualTo("[0, 0, 0, 0, 0, 0, 0]");
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 3", "50%, 2", "100%, 0"})
    void aRollingUpdateReplacesAsManyPodsAtOnceAsMayBeUnavailable(String maxUnavailable, int untouched) {
        system.nodes("a1", "a2", "a3", "a4", "a5");
        system.create("log", "updateStrategy: {rollingUpdate: {maxUnavailable: " + maxUnavailable + "}}");
        system.run();
        system.image("log", "app:2");
        system.settle();
        assertThat(system.podsOf("log")).filteredOn(pod -> !Pods.isDeleting(pod)).hasSize(untouched);
        system.run();
        assertThat(system.imagesOf("log")).hasSize(5).containsOnly("app:2");
        assertThat(system.counts("log")).isEqualTo("[5, 5, 0, 5, 5, 5, 0]");
    }

    @Test
    void daemonSetsAreListedAndDeletedAsACollection() {
        system.create("log", "");
        system.create("net", "");
        system.settle();
        var sets = system.cluster.user().resource(ResourceType.DAEMON_SETS, V1DaemonSet.class);
        assertThat(sets.list("", LabelSelector.everything(), FieldSelector.everything(), ListOptions.consistent(0))
                .items()).hasSize(2);
        sets.deleteCollection("default", Deletion.unconditional());
        assertThat(system.cluster.all(ResourceType.DAEMON_SETS, V1DaemonSet.class)).isEmpty();
    }

    @Test
    void aConditionThatAnotherWritesIntoTheStatusSurvives() {
        system.nodes("a1");
        system.create("log", "");
        system.run();
        system.cluster.user().metadata(ResourceType.DAEMON_SETS).patch(DaemonSetSystem.key("log"), "status",
                PatchType.MERGE, "{\"status\":{\"conditions\":[{\"type\":\"StatusUpdate\",\"status\":\"True\","
                        + "\"reason\":\"E2E\",\"message\":\"Set from e2e test\"}]}}");
        system.nodes("a2");
        system.run();
        assertThat(system.set("log").getStatus().getConditions()).extracting(c -> c.getType() + " " + c.getMessage())
                .containsExactly("StatusUpdate Set from e2e test");
        assertThat(system.counts("log")).isEqualTo("[2, 2, 0, 2, 2, 2, 0]");
    }
}
