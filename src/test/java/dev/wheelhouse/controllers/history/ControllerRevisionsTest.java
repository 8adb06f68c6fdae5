package dev.wheelhouse.controllers.history;

import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

class ControllerRevisionsTest {
    /** Templates and the revisions that a kube-controller-manager 1.36 made of them. */
    static Stream<JsonNode> recorded() throws Exception {
        try (InputStream in = ControllerRevisionsTest.class.getResourceAsStream("/revisions/recorded.json")) {
            JsonNode all = ModelJson.read(in.readAllBytes(), JsonNode.class);
            return StreamSupport.stream(all.spliterator(), false);
        }
    }

    private static V1PodTemplateSpec template(JsonNode recorded) {
        return ModelJson.read(recorded.path("template"), V1PodTemplateSpec.class);
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void theDataOfATemplateHasTheBytesThatUpstreamWrites(JsonNode recorded) {
        assertThat(RevisionData.of(template(recorded))).isEqualTo(recorded.path("data").stringValue());
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void aRevisionThatWasReadHasTheBytesThatWereWritten(JsonNode recorded) {
        String data = recorded.path("data").stringValue();
        V1ControllerRevision revision = ModelJson.read("{\"data\":" + data + "}", V1ControllerRevision.class);

        assertThat(RevisionData.of(revision)).isEqualTo(data);
        assertThat(RevisionData.today(revision)).isEqualTo(data);
        assertThat(RevisionData.template(revision)).isEqualTo(template(recorded));
        assertThat(ModelJson.write(ControllerRevisions.renumbered(revision, 7))).contains("\"data\":" + data)
                .contains("\"revision\":7");
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void aStatefulSetsRevisionHasTheNameThatUpstreamGivesIt(JsonNode recorded) {
        if (recorded.path("kind").stringValue().equals("StatefulSet")) {
            String hash = ControllerRevisions.hash(RevisionData.of(template(recorded)), 0);
            assertThat(ControllerRevisions.name(recorded.path("owner").stringValue(), hash))
                    .isEqualTo(recorded.path("revision").stringValue());
        }
    }

    @Test
    void anOlderReleasesRevisionHoldsTheSameTemplateInOtherBytes() {
        V1PodTemplateSpec template = ModelJson.read("""
                {"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web"}]}}""",
                V1PodTemplateSpec.class);
        V1ControllerRevision old = ModelJson.read("""
                {"data":{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,
                 "labels":{"app":"web"}},"spec":{"containers":[{"image":"web","name":"web","resources":{}}]}}}}}""",
                V1ControllerRevision.class);

        assertThat(RevisionData.of(old)).isNotEqualTo(RevisionData.of(template));
        assertThat(RevisionData.today(old)).isEqualTo(RevisionData.of(template));
    }

    @Test
    void theHashDependsOnTheCollisionCount() {
        assertThat(List.of(ControllerRevisions.hash("{}", null), ControllerRevisions.hash("{}", 0),
                ControllerRevisions.hash("{}", 1))).doesNotHaveDuplicates();
    }

    @Test
    void aLongNameIsShortenedSoThatTheHashFits() {
        assertThat(ControllerRevisions.name("a".repeat(240), "hash")).isEqualTo("a".repeat(223) + "-hash");
    }

    @Test
    void aNewRevisionBelongsToItsOwnerAndHasItsAnnotationsAndTheLabelsOfTheTemplate() {
        V1ObjectMeta owner = new V1ObjectMeta().namespace("ns").name("web").uid("u1").annotations(Map.of("a", "b"));
        V1ControllerRevision revision = ControllerRevisions.make(ResourceType.STATEFUL_SETS, owner, "{\"x\":1}", 3, "h",
                ControllerRevisions.HASH_LABEL, Map.of("app", "web"));

        assertThat(ModelJson.read(ModelJson.write(revision), JsonNode.class)).isEqualTo(ModelJson.read("""
                {"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 3, "data": {"x": 1}, "metadata":
                 {"namespace": "ns", "name": "web-h", "annotations": {"a": "b"}, "labels":
                  {"app": "web", "controller.kubernetes.io/hash": "h"}, "ownerReferences": [{"apiVersion": "apps/v1",
                  "kind": "StatefulSet", "name": "web", "uid": "u1", "controller": true, "blockOwnerDeletion": true}]}}
                """, JsonNode.class));
    }

    private static V1ControllerRevision revision(long number, String name, String created, String data) {
        return ModelJson.read("""
                {"metadata": {"name": "%s", "creationTimestamp": "%s"}, "revision": %d, "data": {"of": "%s"}}"""
                .formatted(name, created, number, data), V1ControllerRevision.class);
    }

    @Test
    void aHistoryIsInTheOrderOfNumbersThenAgesThenNames() {
        List<V1ControllerRevision> history = List.of(revision(2, "e", "2026-01-01T00:00:00Z", ""),
                revision(1, "d", "2026-01-02T00:00:00Z", ""), revision(1, "c", "2026-01-02T00:00:00Z", ""),
                revision(1, "b", "2026-01-01T00:00:00Z", ""), revision(0, "a", "2026-01-03T00:00:00Z", ""));

        List<V1ControllerRevision> sorted = history.stream().sorted(ControllerRevisions.OLDEST_FIRST).toList();
        assertThat(sorted).extracting(revision -> revision.getMetadata().getName())
                .containsExactly("a", "b", "c", "d", "e");
        assertThat(ControllerRevisions.next(sorted)).isEqualTo(3);
        assertThat(ControllerRevisions.next(List.of())).isEqualTo(1);
    }

    @Test
    void theLastOfSeveralRevisionsWithTheSameDataIsFound() {
        List<V1ControllerRevision> history = List.of(revision(1, "a", "2026-01-01T00:00:00Z", "x"),
                revision(2, "b", "2026-01-01T00:00:00Z", "x"), revision(3, "c", "2026-01-01T00:00:00Z", "y"));

        assertThat(ControllerRevisions.last(history, "{\"of\":\"x\"}")).isSameAs(history.get(1));
        assertThat(ControllerRevisions.last(history, "{\"of\":\"z\"}")).isNull();
    }

    @Test
    void onlyTheOldestRevisionsThatAreNotInUseLeaveTheHistory() {
        List<V1ControllerRevision> history = IntStream.range(0, 5)
                .mapToObj(i -> revision(i, "r" + i, "2026-01-01T00:00:00Z", "")).toList();

        assertThat(ControllerRevisions.oldest(history, r -> r == history.get(1), 2)).containsExactly(history.get(0),
                history.get(2));
        assertThat(ControllerRevisions.oldest(history, r -> true, 2)).isEmpty();
        assertThat(ControllerRevisions.oldest(history, r -> false, -1)).isEmpty();
    }
}
