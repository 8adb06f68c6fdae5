package dev.wheelhouse.controllers.garbagecollector;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import static org.assertj.core.api.Assertions.assertThat;

class DependencyGraphTest {
    private final DependencyGraph graph = new DependencyGraph();

    private static ObjectRef ref(String kind, String namespace, String name) {
        return new ObjectRef("v1", kind, namespace, name, "uid-" + name);
    }

    private static V1OwnerReference owner(String kind, String name) {
        return new V1OwnerReference().apiVersion("v1").kind(kind).name(name).uid("uid-" + name);
    }

    private static V1ObjectMeta meta(V1OwnerReference... owners) {
        return new V1ObjectMeta().ownerReferences(List.of(owners));
    }

    private static V1ObjectMeta deleting(String finalizer) {
        return new V1ObjectMeta().deletionTimestamp(OffsetDateTime.parse("2026-01-01T00:00:00Z"))
                .finalizers(List.of(finalizer));
    }

    private static Effect delete(String name) {
        return new Effect.AttemptToDelete("uid-" + name);
    }

    @Test
    void anOwnerThatHasNotBeenSeenIsVirtualAndLookedAt() {
        List<Effect> effects = graph.seen(ref("Pod", "a", "pod"), null, meta(owner("Job", "job")));
        assertThat(effects).containsExactly(delete("job"));
        assertThat(graph.view("uid-job")).satisfies(v -> {
            assertThat(v.observed()).isFalse();
            assertThat(v.identity()).isEqualTo(ref("Job", "a", "job"));
        });
        assertThat(graph.seen(ref("Job", "a", "job"), null, meta())).isEmpty();
        assertThat(graph.view("uid-job").observed()).isTrue();
    }

    /** One object can name tens of thousands of owners that no informer has shown. */
    @Test
    void anObjectWithManyUnseenOwnersIsLookedAtInPlaceOfEachOfThem() {
        V1OwnerReference[] owners = new V1OwnerReference[20_000];
        Arrays.setAll(owners, i -> owner("Job", "job" + i));
        V1ObjectMeta many = meta(owners);
        assertThat(graph.seen(ref("ConfigMap", "a", "many"), null, many)).containsExactly(delete("many"));
        assertThat(graph.awaitsOwners("uid-many")).isTrue();
        assertThat(graph.seen(ref("Job", "a", "job7"), null, meta())).isEmpty();
        assertThat(graph.gone(ref("Job", "a", "job7"), true)).containsExactly(delete("many"));
        assertThat(graph.gone(ref("ConfigMap", "a", "many"), true)).isEmpty();
        assertThat(graph.size()).as("what is left of its owners").isZero();
    }

    @Test
    void anUnseenOwnerGoesWithItsLastDependent() {
        graph.seen(ref("Pod", "a", "p1"), null, meta(owner("Job", "job"), owner("Job", "other")));
        graph.seen(ref("Pod", "a", "p2"), null, meta(owner("Job", "job")));
        graph.seen(ref("Pod", "a", "p3"), null, meta(owner("Job", "job")));
        graph.seen(ref("Pod", "a", "p1"), meta(owner("Job", "job"), owner("Job", "other")), meta(owner("Job", "job")));
        assertThat(graph.view("uid-other")).isNull();
        graph.gone(ref("Pod", "a", "p1"), true);
        graph.gone(ref("Pod", "a", "p2"), true);
        assertThat(graph.view("uid-job").dependents()).hasSize(1);
        graph.gone(ref("Pod", "a", "p3"), true);
        assertThat(graph.size()).isZero();
    }

    @Test
    void aSecondDependentDoesNotAskAgain() {
        graph.seen(ref("Pod", "a", "p1"), null, meta(owner("Job", "job")));
        assertThat(graph.seen(ref("Pod", "a", "p2"), null, meta(owner("Job", "job")))).isEmpty();
    }

    @Test
    void whenAnOwnerGoesItsDependentsAreLookedAtAndItIsRememberedAsAbsent() {
        graph.seen(ref("Job", "a", "job"), null, meta());
        graph.seen(ref("Pod", "a", "p1"), null, meta(owner("Job", "job")));
        graph.seen(ref("Pod", "a", "p2"), null, meta(owner("Job", "job")));
        assertThat(graph.gone(ref("Job", "a", "job"), true)).containsExactly(delete("p1"), delete("p2"));
        assertThat(graph.isKnownAbsent(owner("Job", "job"), "a")).isTrue();
        assertThat(graph.isKnownAbsent(owner("Job", "job"), "b")).isFalse();
        assertThat(graph.view("uid-job")).isNull();
    }

    @Test
    void anOwnerThatAListLacksIsNotTakenForAbsentAsASickServerMayListNothing() {
        graph.seen(ref("Job", "a", "job"), null, meta());
        graph.seen(ref("Pod", "a", "pod"), null, meta(owner("Job", "job")));
        assertThat(graph.gone(ref("Job", "a", "job"), false)).as("whether the owner exists is asked")
                .containsExactly(delete("job"));
        assertThat(graph.isKnownAbsent(owner("Job", "job"), "a")).isFalse();
        assertThat(graph.view("uid-job").observed()).isFalse();
        assertThat(graph.absent(ref("Job", "a", "job"))).as("it does not").containsExactly(delete("pod"));
        assertThat(graph.isKnownAbsent(owner("Job", "job"), "a")).isTrue();
    }

    @Test
    void whenADependentGoesTheOwnerThatWaitsForItIsLookedAt() {
        graph.seen(ref("Job", "a", "job"), null, meta());
        graph.seen(ref("Pod", "a", "pod"), null, meta(owner("Job", "job").blockOwnerDeletion(true)));
        assertThat(graph.seen(ref("Job", "a", "job"), meta(), deleting("foregroundDeletion")))
                .containsExactly(delete("pod"), delete("job"));
        assertThat(graph.gone(ref("Pod", "a", "pod"), true)).containsExactly(delete("job"));
        assertThat(graph.view("uid-job").dependents()).isEmpty();
    }

    @Test
    void aDeletionThatOrphansIsSeenOnce() {
        graph.seen(ref("Job", "a", "job"), null, meta());
        assertThat(graph.seen(ref("Job", "a", "job"), meta(), deleting("orphan")))
                .containsExactly(new Effect.AttemptToOrphan("uid-job"));
        assertThat(graph.seen(ref("Job", "a", "job"), deleting("orphan"), deleting("orphan"))).isEmpty();
    }

    @Test
    void anObjectThatIsFirstSeenWhileItIsBeingDeletedIsTreatedAlike() {
        assertThat(graph.seen(ref("Job", "a", "job"), null, deleting("orphan")))
                .containsExactly(new Effect.AttemptToOrphan("uid-job"));
        assertThat(graph.seen(ref("Job", "a", "other"), null, deleting("foregroundDeletion")))
                .containsExactly(delete("other"));
        assertThat(graph.view("uid-other").deletingDependents()).isTrue();
    }

    @Test
    void aReferenceThatNoLongerBlocksWakesTheOwner() {
        graph.seen(ref("Job", "a", "job"), null, meta());
        V1ObjectMeta blocking = meta(owner("Job", "job").blockOwnerDeletion(true));
        graph.seen(ref("Pod", "a", "pod"), null, blocking);
        assertThat(graph.seen(ref("Pod", "a", "pod"), blocking, meta(owner("Job", "job").blockOwnerDeletion(false))))
                .containsExactly(delete("job"));
        assertThat(graph.view("uid-job").dependents()).hasSize(1);
        assertThat(graph.seen(ref("Pod", "a", "pod"), null, meta())).isEmpty();
        assertThat(graph.view("uid-job").dependents()).isEmpty();
    }

    @Test
    void aChangedReferenceMovesTheDependent() {
        graph.seen(ref("Job", "a", "one"), null, meta());
        graph.seen(ref("Job", "a", "two"), null, meta());
        graph.seen(ref("Pod", "a", "pod"), null, meta(owner("Job", "one")));
        graph.seen(ref("Pod", "a", "pod"), null, meta(owner("Job", "two")));
        assertThat(graph.view("uid-one").dependents()).isEmpty();
        assertThat(graph.view("uid-two").dependents()).hasSize(1);
    }

    @Test
    void anOwnerInAnotherNamespaceIsReportedWhicheverIsSeenFirst() {
        V1OwnerReference job = owner("Job", "job");
        graph.seen(ref("Job", "a", "job"), null, meta());
        assertThat(graph.seen(ref("Pod", "b", "late"), null, meta(job)))
                .containsExactly(new Effect.OwnerElsewhere(ref("Pod", "b", "late"), job), delete("late"));

        DependencyGraph other = new DependencyGraph();
        other.seen(ref("Pod", "b", "early"), null, meta(job));
        assertThat(other.seen(ref("Job", "a", "job"), null, meta()))
                .containsExactly(new Effect.OwnerElsewhere(ref("Pod", "b", "early"), job), delete("early"));
    }

    @Test
    void aClusterScopedOwnerMayBeNamedFromAnyNamespace() {
        graph.seen(ref("Node", "", "node"), null, meta());
        assertThat(graph.seen(ref("Pod", "a", "p1"), null, meta(owner("Node", "node")))).isEmpty();
        assertThat(graph.seen(ref("Pod", "b", "p2"), null, meta(owner("Node", "node")))).isEmpty();
    }

    @Test
    void aReferenceWithWrongCoordinatesIsLookedAt() {
        graph.seen(ref("Job", "a", "job"), null, meta());
        assertThat(graph.seen(ref("Pod", "a", "pod"), null, meta(owner("CronJob", "job"))))
                .containsExactly(delete("pod"));
    }

    @Test
    void absentCoordinatesGiveWayToOthersThatDependentsName() {
        graph.seen(ref("Pod", "a", "bad"), null, meta(owner("CronJob", "x")));
        graph.seen(ref("Pod", "a", "good"), null, meta(owner("Job", "x")));
        assertThat(graph.absent(ref("CronJob", "a", "x"))).containsExactly(delete("bad"),
                new Effect.AttemptToDeleteLater("uid-x"));
        assertThat(graph.view("uid-x").identity()).isEqualTo(ref("Job", "a", "x"));
        assertThat(graph.isKnownAbsent(owner("CronJob", "x"), "a")).isTrue();
        assertThat(graph.isKnownAbsent(owner("Job", "x"), "a")).isFalse();
    }

    @Test
    void anObservedOwnerIsNotRemovedByAWrongReferenceToIt() {
        graph.seen(ref("Job", "a", "x"), null, meta());
        graph.seen(ref("Pod", "a", "bad"), null, meta(owner("CronJob", "x")));
        assertThat(graph.absent(ref("CronJob", "a", "x"))).containsExactly(delete("bad"));
        assertThat(graph.view("uid-x")).isNotNull();
    }

    @Test
    void aVirtualOwnerThatIsAbsentLeavesTheGraph() {
        graph.seen(ref("Pod", "a", "pod"), null, meta(owner("Job", "job")));
        assertThat(graph.absent(ref("Job", "a", "job"))).containsExactly(delete("pod"));
        assertThat(graph.view("uid-job")).isNull();
        assertThat(graph.absent(ref("Job", "a", "job"))).isEmpty();
    }

    @Test
    void onlySoManyAbsentOwnersAreRemembered() {
        List<V1OwnerReference> owners = new ArrayList<>();
        for (int i = 0; i < 501; i++) {
            owners.add(owner("Job", "job" + i));
            graph.rememberAbsent(ObjectRef.of(owners.get(i), "a"));
        }
        assertThat(graph.isKnownAbsent(owners.get(0), "a")).isFalse();
        assertThat(graph.isKnownAbsent(owners.get(500), "a")).isTrue();
    }

    @Test
    void anObjectOfManyOwnersIsLookedAtInLinearWork() {
        int count = 2_000;
        AtomicLong looks = new AtomicLong();
        List<V1OwnerReference> owners = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            owners.add(new CountedReference("o" + i, looks));
        }
        graph.seen(ref("ConfigMap", "a", "hostile"), null, new V1ObjectMeta().ownerReferences(owners));
        for (int i = 0; i < count; i++) {
            assertThat(graph.view("uid-o" + i).dependents()).hasSize(1);
            assertThat(graph.absent(ref("Pod", "a", "o" + i))).isNotEmpty();
        }
        assertThat(looks.get()).isLessThan(50L * count);
    }

    private static final class CountedReference extends V1OwnerReference {
        private final AtomicLong looks;

        CountedReference(String name, AtomicLong looks) {
            this.looks = looks;
            apiVersion("v1").kind("Pod").name(name).uid("uid-" + name);
        }

        @Override
        public String getUid() {
            looks.incrementAndGet();
            return super.getUid();
        }
    }
}
