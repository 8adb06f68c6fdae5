package dev.wheelhouse.controllers.deployment;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The status of a Deployment")
class ProgressTest {
    private static OffsetDateTime secondsAgo(long seconds) {
        return Decided.NOW.minusSeconds(seconds).atOffset(ZoneOffset.UTC);
    }

    /**
     * A Deployment with three replicas and one ReplicaSet with {@code available} pods, which its status already shows.
     */
    private static Deployments stuckAt(int available, @Nullable Integer deadline) {
        Deployments deployment = Deployments.named("web").replicas(3).rolling(1, 0).deadline(deadline)
                .annotation(Annotations.REVISION, "1").status(3, 3, available, available);
        deployment.build().getStatus().unavailableReplicas(3 - available).terminatingReplicas(0)
                .addConditionsItem(new V1DeploymentCondition().type("Available").status("False")
                        .reason("MinimumReplicasUnavailable"));
        return deployment;
    }

    private static Decided decide(V1Deployment deployment, int available) {
        return Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 3, available));
    }

    @ParameterizedTest(name = "{0} s after the last progress")
    @CsvSource({"30, 31000", "59, 2000", "60, 5"})
    void isLookedAtAgainJustAfterTheDeadline(int secondsSinceProgress, long expectedMillis) {
        V1Deployment deployment = stuckAt(1, 60)
                .progressing("True", "ReplicaSetUpdated", secondsAgo(secondsSinceProgress)).build();
        Decided decided = decide(deployment, 1);
        assertThat(decided.kinds()).containsExactly("RequeueAfter");
        assertThat(decided.requeueAfter()).isEqualTo(Duration.ofMillis(expectedMillis));
    }

    @ParameterizedTest
    @CsvSource({"True, ReplicaSetUpdated", "True, NewReplicaSetCreated", "True, FoundNewReplicaSet",
            "Unknown, DeploymentResumed", "False, ReplicaSetCreateError"})
    void saysThatTheDeadlineHasPassed(String status, String reason) {
        V1Deployment deployment = stuckAt(1, 60).progressing(status, reason, secondsAgo(61)).build();
        V1DeploymentCondition condition = decide(deployment, 1).condition("Progressing");
        assertThat(condition.getStatus()).isEqualTo("False");
        assertThat(condition.getReason()).isEqualTo("ProgressDeadlineExceeded");
        assertThat(condition.getMessage()).isEqualTo("ReplicaSet \"web-hash1\" has timed out progressing.");
        assertThat(condition.getLastTransitionTime())
                .isEqualTo(status.equals("False") ? secondsAgo(61) : secondsAgo(0));
    }

    @ParameterizedTest
    @CsvSource(value = {"60, False, ProgressDeadlineExceeded", "60, True, NewReplicaSetAvailable",
            "2147483647, True, ReplicaSetUpdated"}, nullValues = "null")
    void staysAsItIsWhereNoDeadlineRuns(int deadline, String status, String reason) {
        V1Deployment deployment = stuckAt(1, deadline).progressing(status, reason, secondsAgo(1000)).build();
        Decided decided = decide(deployment, 1);
        if (deadline == Integer.MAX_VALUE) {
            assertThat(DeploymentConditions.find(decided.status(), "Progressing")).isNull();
        } else {
            assertThat(decided.actions()).isEmpty();
        }
    }

    @Test
    void movesTheUpdateTimeButNotTheTransitionTimeWithProgress() {
        V1Deployment deployment = stuckAt(1, 60).progressing("True", "ReplicaSetUpdated", secondsAgo(50)).build();
        V1DeploymentCondition condition = decide(deployment, 2).condition("Progressing");
        assertThat(condition.getLastUpdateTime()).isEqualTo(secondsAgo(0));
        assertThat(condition.getLastTransitionTime()).isEqualTo(secondsAgo(50));
    }

    @Test
    void isNotCompleteWhileTheCountsAreThoseOfAnotherMinReadySeconds() {
        V1Deployment deployment = stuckAt(2, 60).progressing("True", "ReplicaSetUpdated", secondsAgo(61)).build();
        deployment.getSpec().setMinReadySeconds(30);
        V1ReplicaSet replicaSet = Deployments.replicaSet(deployment, 1, "app:v1", 3, 3);
        assertThat(Decided.of(deployment, replicaSet).condition("Progressing").getReason())
                .as("the ReplicaSet gets the new value").isEqualTo("ReplicaSetUpdated");

        replicaSet.getSpec().setMinReadySeconds(30);
        replicaSet.getMetadata().setGeneration(2L);
        replicaSet.getStatus().setObservedGeneration(1L);
        assertThat(Decided.of(deployment, replicaSet).condition("Progressing").getReason())
                .as("the controller of the ReplicaSet has not seen it").isEqualTo("ReplicaSetUpdated");

        replicaSet.getStatus().setObservedGeneration(2L);
        assertThat(Decided.of(deployment, replicaSet).condition("Progressing").getReason())
                .isEqualTo("NewReplicaSetAvailable");
    }

    @ParameterizedTest(name = "the Deployment has {0}, its ReplicaSet has {1}")
    @CsvSource(value = {"1, x", "x, 1", "null, 1"}, nullValues = "null")
    void isNotThatOfARolloutWhenAUserHasChangedARevision(@Nullable String had, String revision) {
        Deployments stuck = Deployments.named("web").replicas(3).status(3, 3, 3, 1)
                .progressing("True", "NewReplicaSetAvailable", secondsAgo(1000));
        V1Deployment deployment = (had == null ? stuck : stuck.annotation(Annotations.REVISION, had)).build();
        V1ReplicaSet replicaSet = Deployments.replicaSet(deployment, 1, "app:v1", 3, 1);
        replicaSet.getMetadata().putAnnotationsItem(Annotations.REVISION, revision);
        assertThat(Decided.of(deployment, replicaSet).condition("Progressing").getReason())
                .isEqualTo("NewReplicaSetAvailable");
    }

    @Test
    void ofALaterRolloutIsNotHiddenByTheSuccessOfAnEarlierOne() {
        // The status about the creation was lost, because the controller crashed between the two writes.
        V1Deployment deployment = Deployments.named("web").replicas(3).rolling(1, 0).image("app:v2")
                .annotation(Annotations.REVISION, "1").status(3, 3, 3, 3)
                .progressing("True", "NewReplicaSetAvailable", secondsAgo(1000)).build();
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 3, 3),
                Deployments.replicaSet(deployment, 2, "app:v2", 1, 0));
        assertThat(decided.condition("Progressing")).satisfies(c -> {
            assertThat(c.getReason()).isEqualTo("ReplicaSetUpdated");
            assertThat(c.getLastUpdateTime()).isEqualTo(secondsAgo(0));
        });
    }

    @ParameterizedTest(name = "{0} and {1}: {2}")
    @CsvSource(value = {"1, 2, 3", "0, 0, 0", "null, 2, null"}, nullValues = "null")
    void addsUpTerminatingPodsIfAllReplicaSetsTell(Integer first, Integer second, Integer sum) {
        V1Deployment deployment = Deployments.named("web").replicas(3).paused().build();
        V1ReplicaSet old = Deployments.replicaSet(deployment, 1, "app:v0", 1, 1);
        V1ReplicaSet current = Deployments.replicaSet(deployment, 2, "app:v1", 2, 2);
        old.getStatus().setTerminatingReplicas(first);
        current.getStatus().setTerminatingReplicas(second);
        assertThat(Decided.of(deployment, old, current).status().getTerminatingReplicas()).isEqualTo(sum);
        old.getStatus().setObservedGeneration(null);
        assertThat(Decided.of(deployment, old, current).status().getTerminatingReplicas())
                .as("a ReplicaSet that was never synced counts as none").isEqualTo(sum == null ? second : sum);
    }

    @Test
    void showsTheFailureOfTheNewReplicaSetBeforeThatOfAnOldOne() {
        V1Deployment deployment = Deployments.named("web").replicas(3).rolling(1, 0).build();
        V1ReplicaSet old = failing(Deployments.replicaSet(deployment, 1, "app:v0", 2, 2), "old");
        V1ReplicaSet current = failing(Deployments.replicaSet(deployment, 2, "app:v1", 1, 0), "quota");
        V1DeploymentCondition condition = Decided.of(deployment, old, current).condition("ReplicaFailure");
        assertThat(condition.getMessage()).isEqualTo("quota");
        assertThat(condition.getReason()).isEqualTo("FailedCreate");
        assertThat(condition.getLastUpdateTime()).isEqualTo(secondsAgo(5));
        current.getStatus().setConditions(null);
        assertThat(Decided.of(deployment, old, current).condition("ReplicaFailure").getMessage()).isEqualTo("old");
    }

    private static V1ReplicaSet failing(V1ReplicaSet replicaSet, String message) {
        replicaSet.getStatus().addConditionsItem(new V1ReplicaSetCondition().type("ReplicaFailure").status("True")
                .reason("FailedCreate").message(message).lastTransitionTime(secondsAgo(5)));
        return replicaSet;
    }

    @Test
    void losesTheFailureWhenItIsOver() {
        V1Deployment deployment = Deployments.named("web").replicas(3).build();
        deployment.getStatus().addConditionsItem(new V1DeploymentCondition().type("ReplicaFailure").status("True"));
        assertThat(DeploymentConditions.find(decide(deployment, 1).status(), "ReplicaFailure")).isNull();
    }

    @Test
    void keepsConditionsOfOthers() {
        V1Deployment deployment = Deployments.named("web").replicas(3).build();
        deployment.getStatus().addConditionsItem(new V1DeploymentCondition().type("Canary").status("True"));
        assertThat(decide(deployment, 1).condition("Canary").getStatus()).isEqualTo("True");
    }

    @Test
    void isTheSameWithCountsOfZeroAndWithoutThem() {
        V1Deployment deployment = Deployments.named("web").replicas(0).deadline(null)
                .annotation(Annotations.REVISION, "1").status(0, 0, 0, 0).build();
        deployment.getStatus().terminatingReplicas(0).unavailableReplicas(0).addConditionsItem(
                new V1DeploymentCondition().type("Available").status("True").reason("MinimumReplicasAvailable"));
        assertThat(Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v1", 0, 0)).actions()).isEmpty();
    }

    @Test
    void isStampedInWholeSeconds() {
        V1Deployment deployment = Deployments.named("web").build();
        Instant now = Instant.parse("2026-01-01T12:00:00.987654Z");
        var view = DeploymentView.of(deployment, java.util.List.of(), r -> 0, now);
        assertThat(new Decided(DeploymentDecision.decide(view)).condition("Progressing").getLastUpdateTime())
                .isEqualTo(OffsetDateTime.parse("2026-01-01T12:00:00Z"));
    }
}
