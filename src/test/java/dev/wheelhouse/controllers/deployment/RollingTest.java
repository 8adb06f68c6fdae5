package dev.wheelhouse.controllers.deployment;

import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("A rolling update")
class RollingTest {
    private static final String NEW = "web-hash9";
    private static final String OLD = "web-hash1";

    private static Decided decide(V1Deployment deployment, int old, int oldAvailable, int current,
            int currentAvailable) {
        return Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v0", old, oldAvailable),
                Deployments.replicaSet(deployment, 9, "app:v1", current, currentAvailable));
    }

    @ParameterizedTest(name = "surge {0}, old {1}, new {2}: new becomes {3}")
    @CsvSource({"2, 10, 0, 2", "2, 5, 0, 7", "2, 2, 11, 10", "10, 4, 2, 10"})
    void scalesTheNewReplicaSetUpAsFarAsSurgeAllows(int surge, int old, int current, int expected) {
        V1Deployment deployment = Deployments.named("web").replicas(10).rolling(surge, 0).build();
        assertThat(decide(deployment, old, old, current, current).sizes()).containsOnly(Map.entry(NEW, expected));
    }

    @Test
    void neverCountsOnAvailablePodsThatAreAboutToGo() {
        V1Deployment deployment = Deployments.named("web").replicas(5).rolling(2, 1).build();
        V1ReplicaSet old = Deployments.replicaSet(deployment, 1, "app:v0", 2, 2);
        old.getStatus().setAvailableReplicas(6);
        Decided decided = Decided.of(deployment, old, Deployments.replicaSet(deployment, 9, "app:v1", 5, 2));
        assertThat(decided.sizes()).isEmpty();
    }

    @ParameterizedTest(name = "unavailable {0}, old {1} of which {2} available, new {3}: old becomes {5}")
    @CsvSource({"2, 10, 10, 0, 0, 8", "2, 10, 8, 0, 0, 8", "2, 10, 9, 0, 0, 8", "0, 10, 10, 1, 1, 9",
            "2, 8, 8, 4, 1, 7", "2, 8, 5, 2, 2, 6"})
    void scalesOldReplicaSetsDownAsFarAsAvailabilityAllows(int unavailable, int old, int oldAvailable, int current,
            int currentAvailable, int expected) {
        V1Deployment deployment = Deployments.named("web").replicas(10).rolling(unavailable == 0 ? 1 : 0, unavailable)
                .build();
        V1ReplicaSet oldOne = Deployments.replicaSet(deployment, 1, "app:v0", old, oldAvailable);
        V1ReplicaSet newOne = Deployments.replicaSet(deployment, 9, "app:v1", current, currentAvailable);
        Draft draft = new Draft(Decided.view(deployment, Map.of(), oldOne, newOne));
        Rolling.decide(draft);
        assertThat(draft.oldReplicaSets().getFirst().replicas()).isEqualTo(expected);
    }

    @Test
    void createsTheNewReplicaSetWithWhatSurgeAllowsAndTakesOldPodsInTheSameSync() {
        V1Deployment deployment = Deployments.named("web").replicas(4).build();
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v0", 4, 4));
        String created = decided.created().getMetadata().getName();
        assertThat(decided.sizes()).containsOnly(Map.entry(created, 1), Map.entry(OLD, 3));
        assertThat(decided.kinds()).containsExactly("Create", "Event", "Update", "Event", "UpdateStatus");
        assertThat(decided.events()).containsExactly(
                "Normal ScalingReplicaSet Scaled up replica set " + created + " from 0 to 1",
                "Normal ScalingReplicaSet Scaled down replica set web-hash1 from 4 to 3");
    }

    @Test
    void startsFromNothingWhenOlderRolloutsHoldAllRoom() {
        V1Deployment deployment = Deployments.named("web").replicas(3).rolling(1, 1).build();
        Decided decided = Decided.of(deployment, Deployments.replicaSet(deployment, 1, "app:v0", 2, 2),
                Deployments.replicaSet(deployment, 2, "app:bad", 2, 0));
        String created = decided.created().getMetadata().getName();
        assertThat(decided.sizes()).containsOnly(Map.entry(created, 0), Map.entry("web-hash2", 0));
        assertThat(decided.events())
                .containsExactly("Normal ScalingReplicaSet Scaled down replica set web-hash2 from 2 to 0");
    }
}
