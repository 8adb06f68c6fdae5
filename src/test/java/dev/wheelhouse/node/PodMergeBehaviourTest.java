package dev.wheelhouse.node;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.podconfig.PodConfig;
import dev.wheelhouse.podconfig.PodMerge;
import dev.wheelhouse.podconfig.PodOperation;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.PodUpdate;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** The requirements of the merge of pod sources, one test each. */
class PodMergeBehaviourTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static V1Pod pod(String name) {
        V1Pod pod = NodeHarness.pod(name, Map.of(), NodeHarness.container("web"));
        pod.getMetadata().uid("uid-of-" + name);
        return pod;
    }

    private static V1Pod changed(V1Pod pod, Consumer<V1Pod> change) {
        V1Pod copy = ModelJson.copy(pod);
        change.accept(copy);
        return copy;
    }

    private static void image(V1Pod pod) {
        pod.getSpec().getContainers().get(0).image("nginx:other");
    }

    private static void status(V1Pod pod) {
        pod.status(new V1PodStatus().phase("Running"));
    }

    private static void deleting(V1Pod pod) {
        pod.getMetadata().deletionTimestamp(Moment.stamp(NOW)).deletionGracePeriodSeconds(5L);
    }

    private static Map<String, V1Pod> having(V1Pod... pods) {
        return PodMerge.merge(Map.of(), PodUpdate.set("api", List.of(pods)), NOW).next();
    }

    private static List<String> merge(Map<String, V1Pod> old, PodOperation operation, V1Pod... pods) {
        return PodMerge.merge(old, new PodUpdate(operation, "api", List.of(pods)), NOW).updates().stream()
                .flatMap(u -> u.pods().stream().map(p -> u.operation() + " " + p.getMetadata().getName())).toList();
    }

    @Test
    void anIdenticalAddIsIgnoredAndAnAddWithAChangedSpecIsAnUpdate() {
        assertThat(merge(having(pod("a")), PodOperation.ADD, pod("a"))).isEmpty();
        assertThat(merge(having(pod("a")), PodOperation.ADD, changed(pod("a"), PodMergeBehaviourTest::image)))
                .containsExactly("UPDATE a");
    }

    @Test
    void aSetIsComparedWithWhatTheSameSourceSetBefore() {
        Map<String, V1Pod> before = having(pod("a"), pod("b"));
        Map<String, Consumer<V1Pod>> differences = Map.of("spec", PodMergeBehaviourTest::image,
                "labels", p -> p.getMetadata().putLabelsItem("a", "b"),
                "annotations", p -> p.getMetadata().annotations(Map.of("a", "b")),
                "spec and status", p -> {
                    image(p);
                    status(p);
                });

        assertThat(merge(before, PodOperation.SET, pod("b"))).as("gone").containsExactly("REMOVE a");
        assertThat(merge(before, PodOperation.SET, pod("a"), pod("b"), pod("c"))).as("new").containsExactly("ADD c");
        differences.forEach((what, change) -> {
            assertThat(merge(before, PodOperation.SET, changed(pod("a"), change), pod("b"))).as(what)
                    .containsExactly("UPDATE a");
            assertThat(merge(before, PodOperation.SET, changed(changed(pod("a"), change), p -> deleting(p)), pod("b")))
                    .as(what + ", being deleted").containsExactly("DELETE a");
        });
        assertThat(merge(before, PodOperation.SET, changed(pod("a"), PodMergeBehaviourTest::deleting), pod("b")))
                .as("deletion fields").containsExactly("DELETE a");
        assertThat(merge(before, PodOperation.SET, changed(pod("a"), PodMergeBehaviourTest::status), pod("b")))
                .as("only the status").containsExactly("RECONCILE a");
    }

    @Test
    void oneMergeGivesRemoveAddUpdateDeleteReconcileInThisOrder() {
        Map<String, V1Pod> before = having(pod("status"), pod("deleted"), pod("updated"), pod("gone"));

        assertThat(merge(before, PodOperation.SET, changed(pod("status"), PodMergeBehaviourTest::status),
                changed(pod("deleted"), PodMergeBehaviourTest::deleting),
                changed(pod("updated"), PodMergeBehaviourTest::image), pod("new"))).containsExactly("REMOVE gone",
                        "ADD new", "UPDATE updated", "DELETE deleted", "RECONCILE status");
    }

    @Test
    void updatesAreDeliveredInOrderOneAtATime() throws InterruptedException {
        PodConfig config = new PodConfig((source, pod, why) -> {}, Meters.NONE, new ManualClock());
        for (int i = 0; i < 5; i++) {
            config.channel("api").set(List.of(pod("p" + i)));
            while (config.loops().get("api").step() == Loop.BUSY) {
                // Step until everything is merged.
            }
        }
        List<String> delivered = new ArrayList<>();
        for (PodUpdate update = config.updates().poll(); update != null; update = config.updates().poll()) {
            delivered.add(update.operation() + " " + update.pods().get(0).getMetadata().getName());
        }

        assertThat(delivered).containsExactly("ADD p0", "REMOVE p0", "ADD p1", "REMOVE p1", "ADD p2", "REMOVE p2",
                "ADD p3", "REMOVE p3", "ADD p4");
    }

    @Test
    void theFirstSetOfASourceIsPassedOnEvenWhenItIsEmptyAndMarksItAsSeen() throws InterruptedException {
        PodConfig config = new PodConfig((source, pod, why) -> {}, Meters.NONE, new ManualClock());
        config.channel("file").set(List.of());
        assertThat(config.seenAllSources(Set.of("file"))).isFalse();

        config.loops().get("file").step();

        assertThat(Objects.requireNonNull(config.updates().poll()).pods()).isEmpty();
        assertThat(config.seenAllSources(Set.of("file"))).isTrue();
    }

    @Test
    void whatTheNodeItselfNotesOnAPodNeverMakesTwoPodsDiffer() {
        for (String local : List.of(PodSources.SOURCE_ANNOTATION, PodSources.SEEN_ANNOTATION,
                PodSources.HASH_ANNOTATION, PodSources.MIRROR_ANNOTATION)) {
            assertThat(merge(having(pod("a")), PodOperation.SET,
                    changed(pod("a"), p -> p.getMetadata().annotations(Map.of(local, "x"))))).as(local).isEmpty();
        }
    }
}
