package dev.wheelhouse.controllers.garbagecollector;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;

import static org.assertj.core.api.Assertions.assertThat;

class DecisionsTest {
    private static final OffsetDateTime NOW = OffsetDateTime.parse("2026-01-01T00:00:00Z");
    private static final Types TYPES = new Types(
            List.of(ResourceType.PODS, ResourceType.REPLICA_SETS, ResourceType.NODES, ResourceType.DEPLOYMENTS),
            List.of(new ResourceType("apps", "v1beta2", "replicasets", "ReplicaSet", true)));
    private static final ObjectRef POD = new ObjectRef("v1", "Pod", "ns", "pod", "u-pod");
    private static final ObjectRef RS = new ObjectRef("apps/v1", "ReplicaSet", "ns", "rs", "u-rs");
    private static final Question READ_POD = new Question(ResourceType.PODS, ObjectKey.of("ns", "pod"));
    private static final Question READ_RS = new Question(ResourceType.REPLICA_SETS, ObjectKey.of("ns", "rs"));

    private final Set<V1OwnerReference> knownAbsent = new HashSet<>();
    private final Set<ResourceType> onlyMergePatch = new HashSet<>();
    private final List<GraphNode.Dependent> dependents = new ArrayList<>();

    private View view(ObjectRef ref) {
        return view(new GraphNode(ref, true, false, false, dependents));
    }

    private View view(GraphNode node) {
        return new View(node, TYPES, knownAbsent::contains, onlyMergePatch);
    }

    private static V1ObjectMeta live(String name, V1OwnerReference... owners) {
        return new V1ObjectMeta().namespace("ns").name(name).uid("u-" + name).resourceVersion("7")
                .ownerReferences(List.of(owners));
    }

    private static V1OwnerReference rs(String name) {
        return new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet").name(name).uid("u-" + name)
                .controller(true).blockOwnerDeletion(true);
    }

    private static V1ObjectMeta foreground(V1ObjectMeta meta) {
        return meta.deletionTimestamp(NOW).finalizers(List.of("foregroundDeletion"));
    }

    private View podOwnedBy(V1OwnerReference... owners) {
        return view(POD).with(Map.of(READ_POD, Optional.of(live("pod", owners))));
    }

    private static Action only(CollectionDecision verdict) {
        assertThat(verdict).isInstanceOf(CollectionDecision.Write.class);
        assertThat(((CollectionDecision.Write) verdict).actions()).hasSize(1);
        return ((CollectionDecision.Write) verdict).actions().get(0);
    }

    private static Deletion deletion(CollectionDecision verdict) {
        assertThat(only(verdict)).isInstanceOf(Action.Delete.class);
        return ((Action.Delete) only(verdict)).deletion();
    }

    private static String patchBody(CollectionDecision verdict, PatchType type) {
        assertThat(only(verdict)).isInstanceOf(Action.Patch.class);
        Action.Patch patch = (Action.Patch) only(verdict);
        assertThat(patch.patchType()).isEqualTo(type);
        return patch.body();
    }

    @Test
    void readsTheObjectThenItsOwnersBeforeAnythingIsDeleted() {
        assertThat(Decisions.decideDelete(view(POD))).isEqualTo(new CollectionDecision.Ask(List.of(READ_POD)));
        View read = podOwnedBy(rs("rs"));
        assertThat(Decisions.decideDelete(read)).isEqualTo(new CollectionDecision.Ask(List.of(READ_RS)));
        CollectionDecision verdict = Decisions.decideDelete(read.with(Map.of(READ_RS, Optional.empty())));
        assertThat(deletion(verdict)).isEqualTo(new Deletion(null, "u-pod", "7", "Background"));
        assertThat(((CollectionDecision.Write) verdict).absent()).containsExactly(RS);
    }

    @Test
    void anOwnerOfTheSameNameButAnotherUidIsNoOwner() {
        View view = podOwnedBy(rs("rs")).with(Map.of(READ_RS, Optional.of(live("rs").uid("u-new"))));
        assertThat(deletion(Decisions.decideDelete(view)).propagation()).isEqualTo("Background");
    }

    @Test
    void anOwnerThatIsKnownToBeAbsentIsNotReadAgain() {
        knownAbsent.add(rs("rs"));
        assertThat(deletion(Decisions.decideDelete(podOwnedBy(rs("rs")))).uid()).isEqualTo("u-pod");
    }

    @Test
    void anObjectWithAnOwnerThatExistsStays() {
        View view = podOwnedBy(rs("rs")).with(Map.of(READ_RS, Optional.of(live("rs"))));
        assertThat(Decisions.decideDelete(view)).isEqualTo(new CollectionDecision.Leave("one of its owners exists"));
    }

    @Test
    void anObjectWithoutOwnersStays() {
        assertThat(Decisions.decideDelete(podOwnedBy())).isEqualTo(new CollectionDecision.Leave("it has no owner"));
    }

    @Test
    void danglingReferencesGoWhileAnotherOwnerHoldsTheObject() {
        View view = podOwnedBy(rs("rs"), rs("old")).with(Map.of(READ_RS, Optional.of(live("rs"))))
                .with(Map.of(new Question(ResourceType.REPLICA_SETS, ObjectKey.of("ns", "old")), Optional.empty()));
        assertThat(patchBody(Decisions.decideDelete(view), PatchType.STRATEGIC_MERGE)).isEqualTo(
                "{\"metadata\":{\"uid\":\"u-pod\",\"ownerReferences\":[{\"$patch\":\"delete\",\"uid\":\"u-old\"}]}}");
    }

    @Test
    void typesWithoutStrategicMergeGetTheWholeListAtItsVersion() {
        onlyMergePatch.add(ResourceType.PODS);
        View view = podOwnedBy(rs("rs"), rs("old")).with(Map.of(READ_RS, Optional.of(live("rs"))))
                .with(Map.of(new Question(ResourceType.REPLICA_SETS, ObjectKey.of("ns", "old")), Optional.empty()));
        assertThat(patchBody(Decisions.decideDelete(view), PatchType.MERGE)).contains("\"resourceVersion\":\"7\"")
                .contains("u-rs").doesNotContain("u-old");
    }

    @Test
    void aDependentWithoutDependentsOfAnOwnerThatIsDeletedInTheForegroundGoesInTheBackground() {
        View view = podOwnedBy(rs("rs")).with(Map.of(READ_RS, Optional.of(foreground(live("rs")))));
        assertThat(deletion(Decisions.decideDelete(view)).propagation()).isEqualTo("Background");
    }

    @Test
    void aDependentWithDependentsGoesInTheForegroundToo() {
        dependents.add(new GraphNode.Dependent(POD, false, true));
        V1OwnerReference deployment = new V1OwnerReference().apiVersion("apps/v1").kind("Deployment").name("web")
                .uid("u-web");
        View view = view(RS).with(Map.of(READ_RS, Optional.of(live("rs", deployment)))).with(Map.of(
                new Question(ResourceType.DEPLOYMENTS, ObjectKey.of("ns", "web")),
                Optional.of(foreground(live("web")))));
        assertThat(deletion(Decisions.decideDelete(view)).propagation()).isEqualTo("Foreground");
    }

    @Test
    void inACircleTheReferencesAreUnblockedFirst() {
        dependents.add(new GraphNode.Dependent(RS, true, true));
        View view = podOwnedBy(rs("rs")).with(Map.of(READ_RS, Optional.of(foreground(live("rs")))));
        CollectionDecision verdict = Decisions.decideDelete(view);
        assertThat(patchBody(verdict, PatchType.STRATEGIC_MERGE)).contains("\"blockOwnerDeletion\":false");
        assertThat(((CollectionDecision.Write) verdict).again()).isTrue();
        View unblocked = view(POD).with(Map.of(READ_POD, Optional.of(live("pod", rs("rs").blockOwnerDeletion(false)))))
                .with(Map.of(READ_RS, Optional.of(foreground(live("rs")))));
        assertThat(deletion(Decisions.decideDelete(unblocked)).propagation()).isEqualTo("Foreground");
    }

    @Test
    void afterAConflictTheVersionIsNotDemandedIfTheOwnersAreTheSame() {
        View conflicted = podOwnedBy(rs("rs")).with(Map.of(READ_RS, Optional.empty())).afterConflict(READ_POD,
                live("pod", rs("rs")));
        assertThat(Decisions.decideDelete(conflicted)).isEqualTo(new CollectionDecision.Ask(List.of(READ_POD)));
        View same = conflicted.with(Map.of(READ_POD, Optional.of(live("pod", rs("rs")).resourceVersion("8"))));
        assertThat(deletion(Decisions.decideDelete(same))).isEqualTo(new Deletion(null, "u-pod", null, "Background"));
        View others = conflicted.with(Map.of(READ_POD,
                Optional.of(live("pod", rs("rs").controller(false)).resourceVersion("8"))));
        assertThat(deletion(Decisions.decideDelete(others)).resourceVersion()).isEqualTo("8");
    }

    @Test
    void whatIsBeingDeletedIsLeftAloneUnlessItWaitsForItsDependents() {
        assertThat(Decisions.decideDelete(view(new GraphNode(RS, true, true, false, dependents))))
                .isEqualTo(new CollectionDecision.Leave("it is being deleted"));
        dependents.add(new GraphNode.Dependent(POD, false, true));
        dependents.add(new GraphNode.Dependent(new ObjectRef("v1", "Pod", "ns", "free", "u-free"), false, false));
        View waiting = view(new GraphNode(RS, true, true, true, dependents)).with(Map.of(READ_RS,
                Optional.of(foreground(live("rs")))));
        assertThat(Decisions.decideDelete(waiting)).isEqualTo(new CollectionDecision.DependentsFirst(List.of("u-pod")));
    }

    @Test
    void whenNoDependentBlocksTheForegroundFinalizerGoes() {
        dependents.add(new GraphNode.Dependent(POD, false, false));
        V1ObjectMeta live = foreground(live("rs")).finalizers(List.of("other", "foregroundDeletion"));
        View view = view(new GraphNode(RS, true, true, true, dependents)).with(Map.of(READ_RS, Optional.of(live)));
        assertThat(patchBody(Decisions.decideDelete(view), PatchType.MERGE))
                .isEqualTo("{\"metadata\":{\"resourceVersion\":\"7\",\"finalizers\":[\"other\"]}}");
    }

    @Test
    void anObjectThatIsNotThereLeavesTheGraph() {
        assertThat(Decisions.decideDelete(view(POD).with(Map.of(READ_POD, Optional.empty()))))
                .isEqualTo(new CollectionDecision.Gone(POD));
        assertThat(Decisions.decideDelete(view(POD).with(Map.of(READ_POD, Optional.of(live("pod").uid("u-new"))))))
                .isEqualTo(new CollectionDecision.Gone(POD));
    }

    @Test
    void anOwnerOfAnUnknownKindKeepsTheObject() {
        V1OwnerReference unknown = new V1OwnerReference().apiVersion("example.com/v1").kind("Thing").name("t").uid("u");
        assertThat(Decisions.decideDelete(podOwnedBy(unknown)))
                .isEqualTo(new CollectionDecision.UnknownKind("owner Thing in example.com/v1"));
    }

    @Test
    void anOwnerInAVersionThatIsNotServedKeepsTheObject() {
        assertThat(Decisions.decideDelete(podOwnedBy(rs("rs").apiVersion("apps/v1beta1"))))
                .isEqualTo(new CollectionDecision.UnknownKind("owner ReplicaSet in apps/v1beta1"));
    }

    @Test
    void anOwnerInAnotherVersionThatIsServedIsReadInThePreferredOne() {
        View read = podOwnedBy(rs("rs").apiVersion("apps/v1beta2"));
        assertThat(Decisions.decideDelete(read)).isEqualTo(new CollectionDecision.Ask(List.of(READ_RS)));
        assertThat(deletion(Decisions.decideDelete(read.with(Map.of(READ_RS, Optional.empty())))).uid())
                .isEqualTo("u-pod");
    }

    @Test
    void aClusterScopedObjectCannotBelongToANamespacedOwner() {
        ObjectRef node = new ObjectRef("v1", "Node", "", "node", "u-node");
        View view = view(node).with(Map.of(new Question(ResourceType.NODES, ObjectKey.cluster("node")),
                Optional.of(live("node", rs("rs")))));
        assertThat(Decisions.decideDelete(view)).isInstanceOf(CollectionDecision.Terminal.class);
    }

    @Test
    void aClusterScopedOwnerIsReadWithoutNamespace() {
        V1OwnerReference node = new V1OwnerReference().apiVersion("v1").kind("Node").name("n").uid("u-n");
        assertThat(Decisions.decideDelete(podOwnedBy(node)))
                .isEqualTo(
                        new CollectionDecision.Ask(List.of(new Question(ResourceType.NODES, ObjectKey.cluster("n")))));
    }

    @Test
    void aFinalizerThatStandsForAPolicyIsHonoured() {
        knownAbsent.add(rs("rs"));
        View orphan = view(POD)
                .with(Map.of(READ_POD, Optional.of(live("pod", rs("rs")).finalizers(List.of("orphan")))));
        assertThat(deletion(Decisions.decideDelete(orphan)).propagation()).isEqualTo("Orphan");
        View foreground = view(POD).with(Map.of(READ_POD,
                Optional.of(live("pod", rs("rs")).finalizers(List.of("foregroundDeletion")))));
        assertThat(deletion(Decisions.decideDelete(foreground)).propagation()).isEqualTo("Foreground");
    }

    @Test
    void orphaningTakesTheReferencesOutFirstAndThenTheFinalizer() {
        dependents.add(new GraphNode.Dependent(POD, false, true));
        V1ObjectMeta owner = live("rs").deletionTimestamp(NOW).finalizers(List.of("orphan"));
        View view = view(new GraphNode(RS, true, true, false, dependents));
        assertThat(Decisions.decideOrphan(view)).isEqualTo(new CollectionDecision.Ask(List.of(READ_RS)));
        view = view.with(Map.of(READ_RS, Optional.of(owner)));
        Action batch = only(Decisions.decideOrphan(view));
        assertThat(((Action.Batch) batch).writes()).singleElement().satisfies(write -> {
            assertThat(((Action.Patch) write).body()).isEqualTo(
                    "{\"metadata\":{\"uid\":\"u-pod\",\"ownerReferences\":[{\"$patch\":\"delete\","
                            + "\"uid\":\"u-rs\"}]}}");
            assertThat(((Action.Patch) write).harmless()).containsExactly(404);
        });
        assertThat(patchBody(Decisions.decideOrphan(view.withOrphaned(Set.of("u-pod"))), PatchType.MERGE))
                .isEqualTo("{\"metadata\":{\"resourceVersion\":\"7\",\"finalizers\":[]}}");
    }

    @Test
    void nothingIsOrphanedOnceSomebodyHasTakenTheFinalizerAway() {
        dependents.add(new GraphNode.Dependent(POD, false, true));
        View view = view(new GraphNode(RS, true, true, false, dependents)).with(Map.of(READ_RS,
                Optional.of(live("rs").deletionTimestamp(NOW))));
        assertThat(Decisions.decideOrphan(view)).isInstanceOf(CollectionDecision.Leave.class);
    }
}
