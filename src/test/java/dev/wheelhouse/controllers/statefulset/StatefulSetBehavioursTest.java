package dev.wheelhouse.controllers.statefulset;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.openapi.models.V1StatefulSetOrdinals;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.history.ControllerRevisions;
import dev.wheelhouse.controllers.history.RevisionData;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static dev.wheelhouse.controllers.statefulset.StatefulSetSystem.CLAIMS;
import static dev.wheelhouse.controllers.statefulset.StatefulSetSystem.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The assertions of upstream's suites about StatefulSets (upstream: {@code test/e2e/apps/statefulset.go},
 * {@code test/integration/statefulset}), and what a StatefulSet does when a write fails.
 */
class StatefulSetBehavioursTest {
    private static final String PARALLEL = "podManagementPolicy: Parallel";
    private static final KubeApiException OUT_OF_ORDER = new KubeApiException("write", 500, "InternalError",
            "out of order", null);
    private static final String ON_DELETE = "updateStrategy: {type: OnDelete}";

    private final StatefulSetSystem system = new StatefulSetSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private static String retention(String whenDeleted, String whenScaled) {
        return "persistentVolumeClaimRetentionPolicy: {whenDeleted: " + whenDeleted + ", whenScaled: " + whenScaled
                + "}";
    }

    // ---- identity

    @Test
    void eachPodHasANameAnOrdinalAHostAndTheLabelOfItsRevision() {
        system.create(2);
        system.run();

        V1Pod pod = system.pod("web-1");
        String revision = system.set().getStatus().getCurrentRevision();
        assertThat(pod.getMetadata().getLabels()).containsExactlyInAnyOrderEntriesOf(Map.of("app", "web",
                "statefulset.kubernetes.io/pod-name", "web-1", "apps.kubernetes.io/pod-index", "1",
                "controller-revision-hash", revision));
        assertThat(pod.getSpec().getHostname()).isEqualTo("web-1");
        assertThat(pod.getSpec().getSubdomain()).isEqualTo("web");
        assertThat(pod.getMetadata().getGenerateName()).isEqualTo("web-");
        assertThat(OwnerReferences.isControlledBy(pod, system.set().getMetadata())).isTrue();
    }

    @Test
    void aRecreatedPodHasTheSameIdentityAndTheSameClaim() {
        system.create(1, CLAIMS);
        system.run();
        String before = system.pod("web-0").getMetadata().getUid();
        system.end("web-0");
        system.run();

        assertThat(system.pod("web-0").getMetadata().getUid()).isNotEqualTo(before);
        assertThat(system.pod("web-0").getSpec().getVolumes().getFirst().getPersistentVolumeClaim().getClaimName())
                .isEqualTo("data-web-0");
        assertThat(system.claims()).containsExactly("data-web-0");
    }

    @Test
    void theLabelsOfAPodsIdentityAreRepaired() {
        system.create(1);
        system.run();
        system.editPod("web-0", pod -> pod.getMetadata().getLabels().remove(Identity.POD_NAME));
        system.settle();

        assertThat(system.pod("web-0").getMetadata().getLabels()).containsEntry(Identity.POD_NAME, "web-0");
        assertThat(system.cluster.eventTexts())
                .contains("Normal SuccessfulUpdate Update Pod web-0 in StatefulSet web successful");
    }

    @Test
    void matchingOrphansAreAdoptedAndPodsThatNoLongerMatchAreReleased() {
        system.create(1);
        system.run();
        String uid = system.pod("web-0").getMetadata().getUid();
        system.editPod("web-0", pod -> pod.getMetadata().setOwnerReferences(null));
        system.settle();
        assertThat(OwnerReferences.isControlledBy(system.pod("web-0"), system.set().getMetadata())).isTrue();

        system.editPod("web-0", pod -> pod.getMetadata().getLabels().put("app", "other"));
        system.settle();
        assertThat(OwnerReferences.of(system.pod("web-0").getMetadata())).isEmpty();

        system.editPod("web-0", pod -> pod.getMetadata().getLabels().put("app", "web"));
        system.settle(Duration.ofSeconds(5));
        assertThat(OwnerReferences.isControlledBy(system.pod("web-0"), system.set().getMetadata())).isTrue();
        assertThat(system.pod("web-0").getMetadata().getUid()).isEqualTo(uid);
    }

    @Test
    void aPodWithAnotherNameIsNotAdoptedAlthoughItsLabelsMatch() {
        V1Pod other = Manifests.pod("other-0", Map.of("app", "web"));
        system.cluster.create(ResourceType.PODS, other);
        system.create(1);
        system.run();

        assertThat(OwnerReferences.of(system.pod("other-0").getMetadata())).isEmpty();
        assertThat(system.names()).containsExactly("other-0", "web-0");
    }

    // ---- order

    @Test
    void podsAreCreatedOneByOneEachAfterTheOneBeforeIsReady() {
        system.create(3);
        system.settle();
        assertThat(system.names()).containsExactly("web-0");
        system.unready("web-0");
        system.settle();
        assertThat(system.names()).containsExactly("web-0");
        system.ready("web-0");
        system.settle();
        assertThat(system.names()).containsExactly("web-0", "web-1");
        system.run();
        assertThat(system.names()).containsExactly("web-0", "web-1", "web-2");
        assertThat(system.counts()).containsExactly(3, 3, 3, 3, 3);
    }

    @Test
    void podsAreDeletedOneByOneFromTheLastEachAfterTheOneBeforeIsGone() {
        system.create(3);
        system.run();
        system.writes();
        system.scale(0);
        system.settle();
        assertThat(system.writes()).containsExactly("delete pods web-2");
        system.end("web-2");
        system.settle();
        assertThat(system.writes()).containsExactly("delete pods web-1");
        system.run();
        assertThat(system.names()).isEmpty();
        assertThat(system.counts()).containsExactly(0, 0, 0, 0, 0);
    }

    @Test
    void scalingHaltsInBothDirectionsWhileAPodIsNotReady() {
        system.create(2);
        system.run();
        system.unready("web-0");
        system.settle();
        system.writes();
        system.scale(3);
        system.settle();
        assertThat(system.writes()).isEmpty();
        system.scale(1);
        system.settle();
        assertThat(system.writes()).isEmpty();
        system.ready("web-0");
        system.settle();
        assertThat(system.writes()).containsExactly("delete pods web-1");
    }

    @Test
    void aParallelSetScalesToTheEndAlthoughPodsAreNotReady() {
        system.create(3, PARALLEL);
        system.settle();
        assertThat(system.names()).containsExactly("web-0", "web-1", "web-2");
        system.unready("web-1");
        system.settle();
        system.scale(5);
        system.settle();
        assertThat(system.names()).hasSize(5);
        system.scale(1);
        system.settle();
        assertThat(system.names()).containsExactly("web-0");
    }

    @Test
    void aPodWhosePredecessorHasFailedIsCreatedAfterThatOneHasBeenReplaced() {
        system.create(2);
        system.run();
        system.writes();
        system.end("web-1");
        system.phase("web-0", "Failed", false);
        system.settle();
        assertThat(system.writes()).containsExactly("delete pods web-0", "create pods web-0");
        system.run();
        assertThat(system.writes()).containsExactly("create pods web-1");
    }

    @Test
    void aPodThatTerminatesIsWaitedForAndThenReplaced() {
        system.create(2);
        system.run();
        system.writes();
        system.delete("web-0");
        system.settle();
        assertThat(system.writes()).isEmpty();
        assertThat(system.counts()).containsExactly(2, 2, 2, 1, 1);
        system.end("web-0");
        system.settle();
        assertThat(system.writes()).containsExactly("create pods web-0");
    }

    @Test
    void finishedPodsAreReplacedWhateverTheirExitCode() {
        system.create(2, PARALLEL);
        system.run();
        system.writes();
        system.phase("web-0", "Succeeded", false);
        system.phase("web-1", "Failed", false);
        system.run();
        assertThat(system.writes()).containsExactlyInAnyOrder("delete pods web-0", "delete pods web-1",
                "create pods web-0", "create pods web-1");
    }

    // ---- ordinals

    @Test
    void ordinalsBeginAtTheirStartAndFollowIt() {
        system.create(2, "ordinals: {start: 3}");
        system.run();
        assertThat(system.names()).containsExactly("web-3", "web-4");
        system.edit(set -> set.getSpec().setOrdinals(new V1StatefulSetOrdinals().start(4)));
        system.run();
        assertThat(system.names()).containsExactly("web-4", "web-5");
        system.edit(set -> set.getSpec().setOrdinals(null));
        system.run();
        assertThat(system.names()).containsExactly("web-0", "web-1");
    }

    // ---- updates

    @Test
    void aRollingUpdateReplacesThePodsFromTheLastEachAfterTheOneBeforeIsReady() {
        system.create(3);
        system.run();
        String first = system.set().getStatus().getCurrentRevision();
        system.writes();
        system.image("app:2");
        system.settle();
        assertThat(system.writes()).containsExactly("delete pods web-2");
        assertThat(system.set().getStatus().getCurrentRevision()).isEqualTo(first);
        assertThat(system.set().getStatus().getUpdateRevision()).isNotEqualTo(first);
        system.run();
        assertThat(system.writes()).containsExactly("create pods web-2", "delete pods web-1", "create pods web-1",
                "delete pods web-0", "create pods web-0");
        assertThat(system.images()).containsOnly("app:2");
        assertThat(system.set().getStatus().getCurrentRevision())
                .isEqualTo(system.set().getStatus().getUpdateRevision()).isNotEqualTo(first);
    }

    @Test
    void aTemplateThatIsSetBackGetsItsEarlierRevisionWithANewNumber() {
        system.create(1);
        system.run();
        String first = system.set().getStatus().getUpdateRevision();
        system.image("app:2");
        system.run();
        system.image("app:1");
        system.run();

        assertThat(system.set().getStatus().getUpdateRevision()).isEqualTo(first);
        assertThat(system.revisions()).extracting(V1ControllerRevision::getRevision).containsExactly(2L, 3L);
        assertThat(system.revisions().getLast().getMetadata().getName()).isEqualTo(first);
        assertThat(system.images()).containsExactly("app:1");
    }

    @Test
    void aPodOfABrokenRevisionStaysAfterARollbackUntilSomebodyDeletesIt() {
        system.create(2);
        system.run();
        system.image("broken");
        system.settle();
        system.end("web-1");
        system.settle();
        system.writes();
        system.image("app:1");
        system.settle();
        assertThat(system.writes()).isEmpty();
        assertThat(system.images()).containsExactly("app:1", "broken");
        system.end("web-1");
        system.run();
        assertThat(system.images()).containsExactly("app:1", "app:1");
    }

    @Test
    void aPartitionHoldsTheUpdateBackForTheOrdinalsBelowIt() {
        system.create(3, "updateStrategy: {rollingUpdate: {partition: 2}}");
        system.run();
        system.image("app:2");
        system.run();
        assertThat(system.images()).containsExactly("app:1", "app:1", "app:2");
        system.end("web-0");
        system.end("web-2");
        system.run();
        assertThat(system.images()).containsExactly("app:1", "app:1", "app:2");
        system.partition(1);
        system.run();
        assertThat(system.images()).containsExactly("app:1", "app:2", "app:2");
        system.partition(0);
        system.run();
        assertThat(system.images()).containsOnly("app:2");
    }

    @Test
    void aDeletedPodBelowThePartitionComesBackAtTheCurrentRevisionAlthoughAnotherOneHasFailed() {
        system.create(2, "updateStrategy: {rollingUpdate: {partition: 1}}");
        system.run();
        system.image("app:2");
        system.run();
        system.end("web-0");
        system.unready("web-1");
        system.run();
        assertThat(system.images()).containsExactly("app:1", "app:2");
        assertThat(system.counts()).containsExactly(2, 1, 1, 1, 1);
    }

    @Test
    void aSetThatUpdatesOnDeletionReplacesOnlyThePodsThatAUserDeletes() {
        system.create(2, ON_DELETE);
        system.run();
        system.image("app:2");
        system.run();
        assertThat(system.images()).containsOnly("app:1");
        system.delete("web-0");
        system.run();
        assertThat(system.images()).containsExactly("app:2", "app:1");
    }

    @Test
    void maxUnavailableIsDroppedAsItsFeatureIsDisabledByDefault() {
        system.create(3, PARALLEL, "updateStrategy: {rollingUpdate: {maxUnavailable: 2}}");
        system.run();
        assertThat(system.set().getSpec().getUpdateStrategy().getRollingUpdate().getMaxUnavailable()).isNull();
        system.writes();
        system.image("app:2");
        system.settle();
        assertThat(system.writes()).containsExactly("delete pods web-2");
    }

    @Test
    void theHistoryKeepsAsManyUnusedRevisionsAsItsLimitSays() {
        system.create(1, "revisionHistoryLimit: 1");
        system.run();
        for (int i = 2; i <= 4; i++) {
            system.image("app:" + i);
            system.run();
        }
        assertThat(system.revisions()).extracting(V1ControllerRevision::getRevision).containsExactly(3L, 4L);
    }

    @Test
    void aNewSetOfTheSameNameAdoptsTheRevisionsOfTheOneThatLeftThem() {
        system.create(1);
        system.run();
        String revision = system.revisions().getFirst().getMetadata().getName();
        system.cluster.delete(ResourceType.STATEFUL_SETS, key("web"),
                Deletion.unconditional().withPropagation("Background"));
        system.cluster.edit(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class, key(revision),
                r -> r.getMetadata().setOwnerReferences(null));
        system.settle();
        system.create(0);
        system.settle();

        assertThat(system.revisions()).hasSize(1);
        assertThat(OwnerReferences.isControlledBy(system.revisions().getFirst(), system.set().getMetadata())).isTrue();
        assertThat(system.set().getStatus().getUpdateRevision()).isEqualTo(revision);
    }

    @Test
    void aRevisionWhoseNameIsTakenGetsAnotherOneAndTheStatusCountsTheCollision() {
        system.create(1);
        String data = RevisionData.of(system.set().getSpec().getTemplate());
        String taken = ControllerRevisions.name("web", ControllerRevisions.hash(data, 0));
        system.cluster.create(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class,
                "{metadata: {namespace: default, name: %s}, revision: 7, data: {spec: {}}}", taken);
        system.run();

        assertThat(system.set().getStatus().getCollisionCount()).isEqualTo(1);
        assertThat(system.set().getStatus().getUpdateRevision())
                .isEqualTo(ControllerRevisions.name("web", ControllerRevisions.hash(data, 1)));
        assertThat(system.counts()).containsExactly(1, 1, 1, 1, 1);
    }

    @Test
    void aRevisionOfAnOlderReleaseInOtherBytesRollsNothing() {
        system.create(1);
        system.run();
        V1ControllerRevision revision = system.revisions().getFirst();
        String old = RevisionData.of(revision).replace("{\"labels\"", "{\"creationTimestamp\":null,\"labels\"");
        system.cluster.remove(ResourceType.CONTROLLER_REVISIONS, key(revision.getMetadata().getName()));
        system.cluster.create(ResourceType.CONTROLLER_REVISIONS, new V1ControllerRevision().apiVersion("apps/v1")
                .kind("ControllerRevision").revision(1L)
                .data(ModelJson.read(old, JsonNode.class))
                .metadata(new V1ObjectMeta().namespace("default")
                        .name(revision.getMetadata().getName()).labels(revision.getMetadata().getLabels())
                        .ownerReferences(revision.getMetadata().getOwnerReferences())));
        system.restart();
        system.cluster.requests.take();
        system.settle();

        assertThat(system.cluster.requests.takeWrites()).isEmpty();
        assertThat(system.revisions()).hasSize(1);
    }

    // ---- availability

    @Test
    void minReadySecondsDelayTheNextPodAndTheAvailableCount() {
        system.create(2, "minReadySeconds: 10");
        system.settle();
        system.ready("web-0");
        system.settle(Duration.ofSeconds(9));
        assertThat(system.names()).containsExactly("web-0");
        assertThat(system.counts()).containsExactly(1, 1, 0, 1, 1);
        system.settle(Duration.ofSeconds(10));
        assertThat(system.names()).containsExactly("web-0", "web-1");
        assertThat(system.counts()).containsExactly(2, 1, 1, 2, 2);
    }

    @Test
    void minReadySecondsDelayARollingUpdate() {
        system.create(2, PARALLEL, "minReadySeconds: 10");
        system.run();
        system.settle(Duration.ofSeconds(10));
        system.image("app:2");
        system.settle();
        system.end("web-1");
        system.settle();
        system.writes();
        system.ready("web-1");
        system.settle(Duration.ofSeconds(9));
        assertThat(system.writes()).isEmpty();
        system.settle(Duration.ofSeconds(10));
        assertThat(system.writes()).containsExactly("delete pods web-0");
    }

    @Test
    void podsThatAreNotReadyAreCountedAsSuch() {
        system.create(2, PARALLEL);
        system.run();
        system.unready("web-1");
        system.settle();
        assertThat(system.counts()).containsExactly(2, 1, 1, 2, 2);
    }

    // ---- claims

    @Test
    void eachPodHasAClaimOfItsOwnThatOutlivesIt() {
        system.create(2, CLAIMS);
        system.run();
        assertThat(system.claims()).containsExactly("data-web-0", "data-web-1");
        assertThat(system.claim("data-web-1").getMetadata().getLabels()).containsEntry("app", "web");
        assertThat(system.writes()).containsExactly("create persistentvolumeclaims data-web-0", "create pods web-0",
                "create persistentvolumeclaims data-web-1", "create pods web-1");
        system.scale(1);
        system.run();
        assertThat(system.claims()).containsExactly("data-web-0", "data-web-1");
        assertThat(system.ownersOf("data-web-1")).isEmpty();
    }

    @Test
    void aMissingClaimOfAPendingPodIsCreatedAgain() {
        system.create(1, CLAIMS);
        system.settle();
        system.cluster.remove(ResourceType.PERSISTENT_VOLUME_CLAIMS, key("data-web-0"));
        system.editPod("web-0", pod -> pod.getMetadata().setAnnotations(Map.of("look", "again")));
        system.settle();
        assertThat(system.claims()).containsExactly("data-web-0");
    }

    @Test
    void aClaimThatIsBeingDeletedKeepsItsPodFromBeingCreated() {
        system.cluster.create(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {namespace: default, name: data-web-0, finalizers: [example.com/hold]}, spec: {accessModes:
                 [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}""");
        system.cluster.delete(ResourceType.PERSISTENT_VOLUME_CLAIMS, key("data-web-0"));
        system.create(1, CLAIMS);
        system.settle();
        assertThat(system.names()).isEmpty();
        assertThat(system.cluster.eventTexts()).contains("Warning FailedCreate Create Pod web-0 in StatefulSet web"
                + " failed error: pvc data-web-0 is being deleted");
        system.cluster.remove(ResourceType.PERSISTENT_VOLUME_CLAIMS, key("data-web-0"));
        system.settle(Duration.ofMinutes(1));
        assertThat(system.names()).containsExactly("web-0");
    }

    @Test
    void claimsThatAreDeletedWithTheSetAreOwnedByIt() {
        system.create(1, CLAIMS, retention("Delete", "Retain"));
        system.run();
        assertThat(system.ownersOf("data-web-0")).containsExactly("StatefulSet/web");
    }

    @Test
    void claimsThatAreDeletedOnScalingAreOwnedByTheirCondemnedPods() {
        system.create(2, CLAIMS, retention("Retain", "Delete"));
        system.run();
        assertThat(system.ownersOf("data-web-1")).isEmpty();
        system.scale(1);
        system.settle();
        assertThat(system.ownersOf("data-web-1")).containsExactly("Pod/web-1");
        assertThat(system.ownersOf("data-web-0")).isEmpty();
    }

    @Test
    void aPodIsCreatedWhenTheClaimThatIsDeletedWithItsPredecessorIsGone() {
        system.create(2, CLAIMS, retention("Retain", "Delete"));
        system.run();
        system.scale(1);
        system.run();
        system.scale(2);
        system.settle();
        assertThat(system.pods()).extracting(pod -> pod.getMetadata().getName()).containsExactly("web-0");

        system.cluster.remove(ResourceType.PERSISTENT_VOLUME_CLAIMS, StatefulSetSystem.key("data-web-1"));
        system.settle();
        assertThat(system.pods()).extracting(pod -> pod.getMetadata().getName()).containsExactly("web-0", "web-1");
    }

    @Test
    void claimsThatAreDeletedInBothCasesChangeTheirOwnerWithTheScale() {
        system.create(2, CLAIMS, retention("Delete", "Delete"));
        system.run();
        assertThat(system.ownersOf("data-web-1")).containsExactly("StatefulSet/web");
        system.scale(1);
        system.settle();
        assertThat(system.ownersOf("data-web-1")).containsExactly("Pod/web-1");
        assertThat(system.ownersOf("data-web-0")).containsExactly("StatefulSet/web");
    }

    @Test
    void theOwnersOfClaimsFollowAPolicyThatChanges() {
        system.create(1, CLAIMS, retention("Delete", "Retain"));
        system.run();
        system.edit(set -> set.getSpec().getPersistentVolumeClaimRetentionPolicy().setWhenDeleted("Retain"));
        system.settle();
        assertThat(system.ownersOf("data-web-0")).isEmpty();
        system.edit(set -> set.getSpec().getPersistentVolumeClaimRetentionPolicy().setWhenDeleted("Delete"));
        system.settle();
        assertThat(system.ownersOf("data-web-0")).containsExactly("StatefulSet/web");
    }

    @Test
    void aClaimThatAnotherControllerManagesKeepsItsOwners() {
        system.create(1, CLAIMS, retention("Delete", "Delete"));
        system.settle();
        system.cluster.edit(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class, key("data-web-0"),
                claim -> claim.getMetadata().setOwnerReferences(List.of(new V1OwnerReference().apiVersion("v1")
                        .kind("ConfigMap").name("manager").uid("other").controller(true))));
        system.editPod("web-0", pod -> pod.getMetadata().setAnnotations(Map.of("look", "again")));
        system.run();
        assertThat(system.ownersOf("data-web-0")).containsExactly("ConfigMap/manager");
        assertThat(system.cluster.eventTexts()).contains("Warning ConflictingController PersistentVolumeClaim"
                + " data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy"
                + " is ignored for this claim");
    }

    @Test
    void aNewPodWaitsForTheClaimThatIsDeletedWithTheOldOne() {
        system.create(2, CLAIMS, retention("Retain", "Delete"));
        system.run();
        system.scale(1);
        system.run();
        system.scale(2);
        system.settle();
        assertThat(system.names()).containsExactly("web-0");
        system.cluster.remove(ResourceType.PERSISTENT_VOLUME_CLAIMS, key("data-web-1"));
        system.edit(set -> set.getMetadata().setAnnotations(Map.of("look", "again")));
        system.run();
        assertThat(system.names()).containsExactly("web-0", "web-1");
    }

    // ---- the API

    @Test
    void theScaleSubresourceCanBeReadAndPatched() {
        system.create(1);
        system.run();
        var scales = system.cluster.user().resource(ResourceType.STATEFUL_SETS, V1Scale.class);
        V1Scale scale = scales.patch(key("web"), "scale", PatchType.MERGE, "{\"spec\": {\"replicas\": 3}}");
        assertThat(scale.getStatus().getSelector()).isEqualTo("app=web");
        system.run();
        assertThat(system.names()).hasSize(3);
    }

    @Test
    void aStatusThatAUserWritesIsCorrectedWithTheNextChange() {
        system.create(1);
        system.run();
        system.edit(set -> set.setStatus(new V1StatefulSetStatus().replicas(1)));
        system.settle();
        assertThat(system.counts()).containsExactly(1, 1, 1, 1, 1);
    }

    @Test
    void anUpdateThatChangesNothingOfTheClaimTemplatesIsAccepted() {
        system.create(1, CLAIMS);
        system.edit(set -> set.getMetadata().setAnnotations(Map.of("a", "b")));
        assertThat(system.set().getMetadata().getGeneration()).isEqualTo(1);
        assertThatThrownBy(() -> system.edit(set -> set.getSpec().getVolumeClaimTemplates().getFirst().getSpec()
                .setAccessModes(List.of("ReadOnlyMany")))).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("updates to statefulset spec for fields other than 'replicas', 'ordinals',"
                        + " 'template', 'updateStrategy', 'revisionHistoryLimit',"
                        + " 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
    }

    @Test
    void theObservedGenerationFollowsEvenIfNothingIsToBeDone() {
        system.create(1);
        system.run();
        system.writes();
        system.edit(set -> set.getSpec().setRevisionHistoryLimit(3));
        system.settle();
        assertThat(system.set().getStatus().getObservedGeneration()).isEqualTo(2);
        assertThat(system.writes()).isEmpty();
    }

    @Test
    void aSetThatIsBeingDeletedOnlyReportsItsStatus() {
        system.create(2, PARALLEL);
        system.run();
        system.cluster.delete(ResourceType.STATEFUL_SETS, key("web"),
                Deletion.unconditional().withPropagation("Foreground"));
        system.settle();
        system.writes();
        system.end("web-0");
        system.settle();
        assertThat(system.writes()).isEmpty();
        assertThat(system.counts()).containsExactly(1, 1, 1, 1, 1);
    }

    // ---- failures

    private void fail(String verb, ResourceType type) {
        system.cluster.requests.fault(Requests.Fault.on(verb, type, () -> OUT_OF_ORDER));
    }

    @Test
    void aPodThatCannotBeCreatedIsToldAndTriedAgain() {
        fail("create", ResourceType.PODS);
        system.create(1);
        system.settle();
        assertThat(system.names()).isEmpty();
        system.cluster.requests.noFault();
        system.settle(Duration.ofSeconds(1));
        assertThat(system.names()).containsExactly("web-0");
        assertThat(new LinkedHashSet<>(system.cluster.eventTexts())).containsExactly(
                "Warning FailedCreate Create Pod web-0 in StatefulSet web failed error: out of order",
                "Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful");
    }

    @Test
    void aParallelSetTriesOnePodAloneAfterAFailure() {
        fail("create", ResourceType.PODS);
        system.create(10, PARALLEL, CLAIMS);
        system.settle();
        assertThat(new TreeSet<>(system.writes())).containsExactly("create persistentvolumeclaims data-web-0",
                "create pods web-0");
    }

    @Test
    void aParallelSetCreatesItsPodsInBatchesThatGrow() {
        system.cluster.requests.fault((verb, type, pod) -> pod.name().equals("web-4") ? OUT_OF_ORDER : null);
        system.create(12, PARALLEL);
        system.settle();
        assertThat(new TreeSet<>(system.writes())).containsExactly("create pods web-0", "create pods web-1",
                "create pods web-2", "create pods web-3", "create pods web-4", "create pods web-5",
                "create pods web-6");
    }

    @Test
    void thePodsThatAParallelSetHasCountInItsBatches() {
        system.create(1, PARALLEL);
        system.settle();
        fail("create", ResourceType.PODS);
        system.scale(5);
        system.settle();
        assertThat(new TreeSet<>(system.cluster.eventTexts())).contains(
                "Warning FailedCreate Create Pod web-1 in StatefulSet web failed error: out of order",
                "Warning FailedCreate Create Pod web-2 in StatefulSet web failed error: out of order")
                .noneMatch(event -> event.contains("Pod web-3"));
    }

    @Test
    void aClaimThatCannotBeCreatedKeepsItsPodFromBeingCreated() {
        fail("create", ResourceType.PERSISTENT_VOLUME_CLAIMS);
        system.create(1, CLAIMS);
        system.settle();
        assertThat(system.names()).isEmpty();
        assertThat(new LinkedHashSet<>(system.cluster.eventTexts())).containsExactly(
                "Warning FailedCreate Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: out of"
                        + " order",
                "Warning FailedCreate Create Pod web-0 in StatefulSet web failed error: failed to create PVC"
                        + " data-web-0: out of order");
        system.cluster.requests.noFault();
        system.settle(Duration.ofSeconds(1));
        assertThat(system.names()).containsExactly("web-0");
    }

    @Test
    void aPodWhoseCreationGotNoAnswerIsNotCreatedTwice() {
        system.cluster.requests.fault(Requests.Fault.afterwards(Requests.Fault.on("create", ResourceType.PODS,
                () -> new KubeApiException("create", new IOException("lost")))));
        system.create(1);
        system.settle();
        system.cluster.requests.noFault();
        system.settle(Duration.ofSeconds(5));
        assertThat(system.writes()).containsExactly("create pods web-0");
    }

    @Test
    void aConflictOfTheStatusIsResolvedByTheNextSync() {
        system.cluster.requests.failNext("update_status", 409, "Conflict", "changed");
        system.create(1);
        system.run();
        system.settle(Duration.ofSeconds(2));
        assertThat(system.counts()).containsExactly(1, 1, 1, 1, 1);
    }

    @Test
    void aControllerThatStartsInTheMidstOfAnUpdateGoesOnWithIt() {
        system.create(3);
        system.run();
        system.image("app:2");
        system.settle();
        system.end("web-2");
        system.settle();
        system.restart();
        system.run();
        assertThat(system.images()).containsOnly("app:2");
        assertThat(system.revisions()).hasSize(2);
    }

    @Test
    void aSyncOfAnUnchangedSetWritesNothing() {
        system.create(3, CLAIMS, retention("Delete", "Delete"));
        system.run();
        system.restart();
        system.cluster.requests.take();
        system.settle();
        assertThat(system.cluster.requests.take()).noneMatch(line -> !line.startsWith("list")
                && !line.startsWith("watch"));
    }

    @Test
    void thePlanNamesTheWritesThatASyncWouldMake() {
        system.create(2, CLAIMS);
        system.cluster.deliver();
        assertThat(system.controller.plan(key("web"))).extracting(
                action -> action instanceof Action.Write write ? write.verb() + " " + write.target().name() : "")
                .first(InstanceOfAssertFactories.STRING).startsWith("create web-");
        system.run();
        assertThat(system.controller.plan(key("web"))).isEmpty();
    }
}
