package dev.wheelhouse.controllers.deployment;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("A decision about a Deployment")
class DeploymentDecisionTest {
    private static final OffsetDateTime BEFORE = OffsetDateTime.parse("2026-01-01T11:59:00Z");

    /** A complete Deployment, so that old ReplicaSets beyond the limit may be deleted. */
    private static V1Deployment complete(@Nullable Integer historyLimit) {
        Deployments deployment = Deployments.named("web").annotation(Annotations.REVISION, "9").status(1, 1, 1, 1)
                .progressing("True", "NewReplicaSetAvailable", BEFORE);
        deployment.build().getSpec().setRevisionHistoryLimit(historyLimit);
        return deployment.build();
    }

    @ParameterizedTest(name = "limit {0}: {1}")
    @CsvSource({"0, web-hash1 web-hash2 web-hash3", "1, web-hash1 web-hash2", "3, ''", "2147483647, ''", ", ''"})
    void deletesTheOldestRevisionsBeyondTheLimit(@Nullable Integer limit, String expected) {
        V1Deployment deployment = complete(limit);
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 2, "app:2", 0, 0),
                Deployments.replicaSet(deployment, 1, "app:1", 0, 0),
                Deployments.replicaSet(deployment, 3, "app:3", 0, 0),
                Deployments.replicaSet(deployment, 9, "app:v1", 1, 1));
        assertThat(String.join(" ", decided.deleted())).isEqualTo(expected);
    }

    @Test
    void deletesNoReplicaSetThatHasPodsOrMayStillGetThem() {
        V1Deployment deployment = complete(0);
        V1ReplicaSet withPods = Deployments.replicaSet(deployment, 1, "app:1", 0, 0);
        withPods.getStatus().setReplicas(1);
        V1ReplicaSet unseen = Deployments.replicaSet(deployment, 2, "app:2", 0, 0);
        unseen.getMetadata().setGeneration(2L);
        V1ReplicaSet going = Deployments.replicaSet(deployment, 3, "app:3", 0, 0);
        going.getMetadata().setDeletionTimestamp(BEFORE);
        Decided decided = Decided.of(deployment, withPods, unseen, going,
                Deployments.replicaSet(deployment, 9, "app:v1", 1, 1));
        assertThat(decided.deleted()).isEmpty();
    }

    @Test
    void deletesOnlyWhatItSaw() {
        V1Deployment deployment = complete(0);
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:1", 0, 0),
                Deployments.replicaSet(deployment, 9, "app:v1", 1, 1));
        assertThat(decided.actions()).first().isInstanceOfSatisfying(Action.Delete.class, d -> {
            assertThat(d.deletion().uid()).isEqualTo("uid-of-hash1");
            assertThat(d.deletion().resourceVersion()).isEqualTo("1");
        });
    }

    private static Decided rollback(String revision) {
        V1Deployment deployment = Deployments.named("web").annotation(Annotations.REVISION, "3")
                .annotation(Annotations.ROLLBACK_TO, revision).annotation("kubernetes.io/change-cause", "three")
                .annotation("kubectl.kubernetes.io/last-applied-configuration", "{}").build();
        V1ReplicaSet first = Deployments.replicaSet(deployment, 1, "app:1", 0, 0);
        V1ReplicaSet second = Deployments.replicaSet(deployment, 2, "app:2", 0, 0);
        V1ReplicaSet current = Deployments.replicaSet(deployment, 3, "app:v1", 1, 1);
        second.getMetadata().putAnnotationsItem("kubernetes.io/change-cause", "two");
        current.getMetadata().putAnnotationsItem("kubernetes.io/change-cause", "three");
        return Decided.of(deployment, first, second, current);
    }

    @ParameterizedTest(name = "asked for {0}: revision {1}")
    @CsvSource({"0, 2", "2, 2", "1, 1"})
    void goesBackToTheAskedRevision(String asked, int revision) {
        Decided decided = rollback(asked);
        assertThat(decided.kinds()).containsExactly("Update", "Event");
        V1Deployment deployment = decided.deployment();
        assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage())
                .isEqualTo("app:" + revision);
        assertThat(deployment.getSpec().getTemplate().getMetadata().getLabels())
                .doesNotContainKey(PodTemplates.HASH_LABEL);
        assertThat(deployment.getMetadata().getAnnotations()).doesNotContainKey(Annotations.ROLLBACK_TO)
                .containsEntry("kubectl.kubernetes.io/last-applied-configuration", "{}")
                .containsEntry(Annotations.REVISION, "3");
        assertThat(deployment.getMetadata().getAnnotations().get("kubernetes.io/change-cause"))
                .isEqualTo(revision == 2 ? "two" : null);
        assertThat(decided.events()).containsExactly(
                "Normal DeploymentRollback Rolled back deployment \"web\" to revision " + revision);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "7 | Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.",
            "3 | Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as "
                    + "current deployment \"web\""})
    void givesUpARollbackThatCannotBe(String asked, String event) {
        Decided decided = rollback(asked);
        assertThat(decided.events()).containsExactly(event);
        assertThat(decided.deployment().getMetadata().getAnnotations()).doesNotContainKey(Annotations.ROLLBACK_TO)
                .containsEntry("kubernetes.io/change-cause", "three");
    }

    @Test
    void givesUpARollbackWithoutHistory() {
        V1Deployment deployment = Deployments.named("web").annotation(Annotations.REVISION, "1")
                .annotation(Annotations.ROLLBACK_TO, "0").build();
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 1, 1));
        assertThat(decided.events())
                .containsExactly("Warning DeploymentRollbackRevisionNotFound Unable to find last revision.");
    }

    @Test
    void takesARollbackToNoNumberForNone() {
        assertThat(Rollback.asked(Deployments.named("web").annotation(Annotations.ROLLBACK_TO, "x").build())).isEmpty();
    }

    @Test
    void onlyReportsOnADeploymentThatIsBeingDeleted() {
        V1Deployment deployment = Deployments.named("web").replicas(5).image("app:v2").build();
        deployment.getMetadata().setDeletionTimestamp(BEFORE);
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 3, 3));
        assertThat(decided.kinds()).containsExactly("UpdateStatus");
        assertThat(decided.status().getReplicas()).isEqualTo(3);
    }

    @Test
    void takesTheReplicaSetThatHasTheNameIfItIsItsOwn() {
        V1Deployment deployment = Deployments.named("web").build();
        DeploymentView view = Decided.view(deployment, Map.of());
        V1ReplicaSet live = ModelJson.copy(new Decided(DeploymentDecision.decide(view)).created());
        live.getMetadata().uid("uid").resourceVersion("5");
        Decided decided = new Decided(DeploymentDecision.afterNameTaken(view, live));
        assertThat(decided.replicaSets()).isEmpty();
        assertThat(decided.status().getCollisionCount()).isNull();
        assertThat(decided.deployment().getMetadata().getAnnotations()).containsEntry(Annotations.REVISION, "1");
    }

    @Test
    void adoptsTheReplicaSetThatHasTheNameIfItIsAMatchingOrphan() {
        V1Deployment deployment = Deployments.named("web").build();
        DeploymentView view = Decided.view(deployment, Map.of());
        V1ReplicaSet live = ModelJson.copy(new Decided(DeploymentDecision.decide(view)).created());
        live.getMetadata().uid("uid").ownerReferences(null);
        assertThat(new Decided(DeploymentDecision.afterNameTaken(view, live)).kinds())
                .containsExactly("RequireLive", "Batch");
    }

    @Test
    void neverChangesWhatItLooksAt() {
        V1Deployment deployment = Deployments.named("web").replicas(7).annotation("note", "n").build();
        V1ReplicaSet old = Deployments.replicaSet(deployment, 1, "app:v0", 4, 4);
        V1ReplicaSet current = Deployments.replicaSet(deployment, 2, "app:v1", 1, 0);
        List<String> before = List.of(ModelJson.write(deployment), ModelJson.write(old), ModelJson.write(current));
        DeploymentView view = Decided.view(deployment, Map.of(), old, current);
        List<Action> first = DeploymentDecision.decide(view);
        assertThat(List.of(ModelJson.write(deployment), ModelJson.write(old), ModelJson.write(current)))
                .isEqualTo(before);
        assertThat(DeploymentDecision.decide(view)).isEqualTo(first).isNotEmpty();
    }

    @Test
    void writesTheStatusLast() {
        V1Deployment deployment = Deployments.named("web").replicas(4).build();
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v0", 4, 4));
        assertThat(decided.kinds()).endsWith("UpdateStatus").containsOnlyOnce("UpdateStatus");
    }
}
