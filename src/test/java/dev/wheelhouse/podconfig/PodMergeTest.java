package dev.wheelhouse.podconfig;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.podconfig.PodMerge.Merged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PodMergeTest {
    private static final Instant EARLIER = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final V1Pod WEB = TestPods.pod("web", "u1");

    private static Map<String, V1Pod> having(V1Pod... pods) {
        return PodMerge.merge(Map.of(), PodUpdate.set("api", List.of(pods)), EARLIER).next();
    }

    private static List<String> summary(Merged merged) {
        List<String> summary = new ArrayList<>();
        merged.updates()
                .forEach(u -> u.pods().forEach(p -> summary.add(u.operation() + " " + p.getMetadata().getName())));
        return summary;
    }

    static Stream<Arguments> changes() {
        UnaryOperator<V1Pod> nothing = p -> p;
        return Stream.of(Arguments.of("nothing", nothing, List.of()),
                Arguments.of("the image", change(p -> TestPods.image(p, "nginx:2")), List.of("UPDATE web")),
                Arguments.of("a label", change(p -> TestPods.labelled(p, "a", "b")), List.of("UPDATE web")),
                Arguments.of("an annotation", change(p -> TestPods.annotated(p, "a", "b")), List.of("UPDATE web")),
                Arguments.of("only the status", change(p -> TestPods.phase(p, "Running")), List.of("RECONCILE web")),
                Arguments.of("spec and status",
                        change(p -> TestPods.phase(TestPods.image(p, "nginx:2"), "Running")), List.of("UPDATE web")),
                Arguments.of("deletion", change(p -> TestPods.deleting(p, 30)), List.of("DELETE web")),
                Arguments.of("deletion and spec", change(p -> TestPods.deleting(TestPods.image(p, "nginx:2"), 30)),
                        List.of("DELETE web")),
                Arguments.of("the source annotation",
                        change(p -> TestPods.annotated(p, PodSources.SOURCE_ANNOTATION, "elsewhere")), List.of()),
                Arguments.of("the seen annotation",
                        change(p -> TestPods.annotated(p, PodSources.SEEN_ANNOTATION, "long ago")), List.of()),
                Arguments.of("the hash annotation",
                        change(p -> TestPods.annotated(p, PodSources.HASH_ANNOTATION, "x")), List.of()),
                Arguments.of("the mirror annotation",
                        change(p -> TestPods.annotated(p, PodSources.MIRROR_ANNOTATION, "x")), List.of()));
    }

    private static UnaryOperator<V1Pod> change(UnaryOperator<V1Pod> change) {
        return change;
    }

    @ParameterizedTest(name = "a SET in which {0} changed gives {2}")
    @MethodSource("changes")
    void aSetIsComparedWithWhatTheSourceSaidBefore(String what, UnaryOperator<V1Pod> change, List<String> expected) {
        Merged merged = PodMerge.merge(having(WEB), PodUpdate.set("api", List.of(change.apply(WEB))), NOW);

        assertThat(summary(merged)).isEqualTo(expected);
        assertThat(merged.next()).containsOnlyKeys("u1");
    }

    @ParameterizedTest(name = "an ADD in which {0} changed gives {2}")
    @MethodSource("changes")
    void aSingleChangeIsComparedAsWell(String what, UnaryOperator<V1Pod> change, List<String> expected) {
        V1Pod changed = change.apply(WEB);

        for (PodOperation operation : List.of(PodOperation.ADD, PodOperation.UPDATE, PodOperation.DELETE)) {
            Merged merged = PodMerge.merge(having(WEB), new PodUpdate(operation, "api", List.of(changed)), NOW);
            assertThat(summary(merged)).isEqualTo(expected);
        }
    }

    @Test
    void aDeletionWhoseGracePeriodBecomesShorterIsADeleteAgain() {
        Merged merged = PodMerge.merge(having(TestPods.deleting(WEB, 30)),
                PodUpdate.set("api", List.of(TestPods.deleting(WEB, 1))), NOW);

        assertThat(summary(merged)).containsExactly("DELETE web");
    }

    @Test
    void whatASetLacksIsRemovedAndWhatItBringsIsAdded() {
        Merged merged = PodMerge.merge(having(WEB, TestPods.pod("db", "u2")),
                PodUpdate.set("api", List.of(TestPods.pod("db", "u2"), TestPods.pod("cache", "u3"))), NOW);

        assertThat(summary(merged)).containsExactly("REMOVE web", "ADD cache");
        assertThat(merged.next()).containsOnlyKeys("u2", "u3");
    }

    @Test
    void aPodOfTheSameNameAndAnotherUidIsAnotherPod() {
        Merged merged = PodMerge.merge(having(WEB), PodUpdate.set("api", List.of(TestPods.pod("web", "u9"))), NOW);

        assertThat(summary(merged)).containsExactly("REMOVE web", "ADD web");
    }

    @Test
    void changesLeaveInTheOrderRemoveAddUpdateDeleteReconcile() {
        V1Pod status = TestPods.pod("status", "u1");
        V1Pod deleted = TestPods.pod("deleted", "u2");
        V1Pod updated = TestPods.pod("updated", "u3");
        V1Pod gone = TestPods.pod("gone", "u4");

        Merged merged = PodMerge.merge(having(status, deleted, updated, gone), PodUpdate.set("api", List.of(
                TestPods.phase(status, "Running"), TestPods.deleting(deleted, 30), TestPods.image(updated, "nginx:2"),
                TestPods.pod("new", "u5"))), NOW);

        assertThat(summary(merged)).containsExactly("REMOVE gone", "ADD new", "UPDATE updated", "DELETE deleted",
                "RECONCILE status");
    }

    @Test
    void anIncrementalChangeLeavesTheOtherPodsAlone() {
        Merged added = PodMerge.merge(having(WEB),
                new PodUpdate(PodOperation.ADD, "api", List.of(TestPods.pod("db", "u2"))), NOW);
        Merged removed = PodMerge.merge(added.next(), new PodUpdate(PodOperation.REMOVE, "api", List.of(WEB)), NOW);

        assertThat(summary(added)).containsExactly("ADD db");
        assertThat(added.next()).containsOnlyKeys("u1", "u2");
        assertThat(summary(removed)).containsExactly("REMOVE web");
        assertThat(removed.next()).containsOnlyKeys("u2");
    }

    @Test
    void removingAPodThatIsNotThereIsNothing() {
        Merged merged = PodMerge.merge(Map.of(), new PodUpdate(PodOperation.REMOVE, "api", List.of(WEB)), NOW);

        assertThat(merged.updates()).isEmpty();
    }

    @Test
    void everyPodSaysWhereItCameFromAndWhenItWasFirstSeen() {
        Map<String, V1Pod> first = having(WEB);
        Map<String, V1Pod> second = PodMerge
                .merge(first, PodUpdate.set("api", List.of(TestPods.image(WEB, "nginx:2"))), NOW).next();

        for (Map<String, V1Pod> pods : List.of(first, second)) {
            assertThat(pods.values()).singleElement().extracting(p -> p.getMetadata().getAnnotations())
                    .asInstanceOf(InstanceOfAssertFactories.map(String.class, String.class))
                    .containsEntry(PodSources.SOURCE_ANNOTATION, "api")
                    .containsEntry(PodSources.SEEN_ANNOTATION, EARLIER.toString());
        }
    }

    @Test
    void theIncomingPodIsNotChanged() {
        V1Pod incoming = TestPods.pod("web", "u1");

        PodMerge.merge(Map.of(), PodUpdate.set("api", List.of(incoming)), NOW);

        assertThat(incoming).isEqualTo(TestPods.pod("web", "u1"));
    }

    @Test
    void ofTwoPodsWithOneNameTheFirstWinsAndTheOtherIsReported() {
        Merged merged = PodMerge.merge(Map.of(),
                PodUpdate.set("file", List.of(WEB, TestPods.pod("web", "u2"))), NOW);

        assertThat(merged.next()).containsOnlyKeys("u1");
        assertThat(merged.rejected()).singleElement().satisfies(r -> {
            assertThat(r.pod().getMetadata().getUid()).isEqualTo("u2");
            assertThat(r.why()).contains("default/web").contains("file").contains("the first one is used");
        });
    }

    @Test
    void aPodWithoutNameOrUidIsRejected() {
        Merged merged = PodMerge.merge(Map.of(), PodUpdate.set("file",
                List.of(TestPods.pod("web", ""), new V1Pod(), TestPods.pod("db", "u2"))), NOW);

        assertThat(merged.next()).containsOnlyKeys("u2");
        assertThat(merged.rejected()).hasSize(2);
    }

    @Test
    void noSourceMaySendReconcile() {
        assertThatThrownBy(
                () -> PodMerge.merge(Map.of(), new PodUpdate(PodOperation.RECONCILE, "api", List.of(WEB)), NOW))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("RECONCILE");
    }
}
