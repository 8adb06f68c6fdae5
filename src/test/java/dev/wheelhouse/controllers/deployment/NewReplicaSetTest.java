package dev.wheelhouse.controllers.deployment;

import java.time.ZoneOffset;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("Revisions and annotations")
class NewReplicaSetTest {
    private static V1ReplicaSet withRevision(V1ReplicaSet replicaSet, @Nullable String revision) {
        if (revision == null) {
            replicaSet.getMetadata().getAnnotations().remove(Annotations.REVISION);
        } else {
            replicaSet.getMetadata().putAnnotationsItem(Annotations.REVISION, revision);
        }
        return replicaSet;
    }

    @ParameterizedTest
    @CsvSource({"kubectl.kubernetes.io/last-applied-configuration", "deprecated.deployment.rollback.to"})
    void annotationsOfToolsAreNotCopied(String key) {
        V1Deployment deployment = Deployments.named("web").annotation(key, "x").annotation("note", "n").build();
        assertThat(Decided.of(deployment).created().getMetadata().getAnnotations()).containsEntry("note", "n")
                .doesNotContainKey(key);
    }

    @ParameterizedTest(name = "old ones {0} and {1}: {2}")
    @CsvSource({"1, 2, 3", "3546343826724305832, 2, 3546343826724305833", "x, 2, 3", ", 2, 3", ", , 1"})
    void aNewReplicaSetGetsTheHighestRevision(String first, String second, String expected) {
        V1Deployment deployment = Deployments.named("web").image("app:v9").build();
        Decided decided = Decided.of(deployment,
                withRevision(Deployments.replicaSet(deployment, 1, "app:v1", 0, 0), first),
                withRevision(Deployments.replicaSet(deployment, 2, "app:v2", 0, 0), second));
        assertThat(decided.created().getMetadata().getAnnotations()).containsEntry(Annotations.REVISION, expected);
        assertThat(decided.deployment().getMetadata().getAnnotations()).containsEntry(Annotations.REVISION, expected);
    }

    @Test
    void goingBackGivesTheOldReplicaSetANewRevisionAndKeepsItsHistory() {
        V1Deployment deployment = Deployments.named("web").annotation(Annotations.REVISION, "3").build();
        V1ReplicaSet first = Deployments.replicaSet(deployment, 1, "app:v1", 0, 0);
        first.getMetadata().putAnnotationsItem(Annotations.REVISION_HISTORY, "0");
        Decided decided = Decided.of(deployment, first, withRevision(
                Deployments.replicaSet(deployment, 2, "app:v2", 1, 1), "3"));
        assertThat(decided.replicaSets().getFirst().getMetadata().getAnnotations())
                .containsEntry(Annotations.REVISION, "4").containsEntry(Annotations.REVISION_HISTORY, "0,1");
        assertThat(decided.deployment().getMetadata().getAnnotations()).containsEntry(Annotations.REVISION, "4");
    }

    @ParameterizedTest(name = "{0} and {1}: {2}")
    @CsvSource({", 1, 1", "'', 1, 1", "1, 3, '1,3'", "'1,3', 4, '1,3,4'"})
    void historyGrowsAtItsEnd(String history, String revision, String expected) {
        assertThat(NewReplicaSet.history(history, revision)).contains(expected);
    }

    @Test
    void historyLosesItsOldestEntriesBeyondTwoThousandCharacters() {
        String full = "1" + ",22".repeat(666);
        assertThat(full).hasSize(1999);
        assertThat(NewReplicaSet.history(full, "9")).hasValueSatisfying(
                h -> assertThat(h).hasSizeLessThanOrEqualTo(2000).startsWith("22,").endsWith(",22,9"));
        assertThat(NewReplicaSet.history("1", "9".repeat(2001))).isEmpty();
    }

    @Test
    void anAdoptedReplicaSetIsFoundAndGetsARevision() {
        V1Deployment deployment = Deployments.named("web").replicas(1).build();
        V1ReplicaSet adopted = withRevision(Deployments.replicaSet(deployment, 1, "app:v1", 1, 1), null);
        Decided decided = Decided.of(deployment, adopted);
        assertThat(decided.replicaSets().getFirst().getMetadata().getAnnotations())
                .containsEntry(Annotations.REVISION, "1").doesNotContainKey(Annotations.REVISION_HISTORY);
        assertThat(decided.deployment().getMetadata().getAnnotations()).containsEntry(Annotations.REVISION, "1");
    }

    @Test
    void anUnknownProgressBeginsWithFindingTheReplicaSet() {
        V1Deployment deployment = Deployments.named("web").replicas(3).build();
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 3, 0));
        deployment.getStatus().setUpdatedReplicas(3);
        deployment.getStatus().setReplicas(3);
        Decided withoutProgress = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 3, 0));
        assertThat(decided.condition("Progressing").getReason()).isEqualTo("ReplicaSetUpdated");
        assertThat(withoutProgress.condition("Progressing")).satisfies(c -> {
            assertThat(c.getReason()).isEqualTo("FoundNewReplicaSet");
            assertThat(c.getMessage()).isEqualTo("Found new replica set \"web-hash1\"");
            assertThat(c.getLastUpdateTime()).isEqualTo(Decided.NOW.atOffset(ZoneOffset.UTC));
        });
    }
}
