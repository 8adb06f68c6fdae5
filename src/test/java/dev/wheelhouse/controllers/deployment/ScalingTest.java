package dev.wheelhouse.controllers.deployment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("Scaling a Deployment")
class ScalingTest {
    /**
     * ReplicaSets v1, v2, … of these sizes, annotated for a Deployment of another size; the last has the Deployment's
     * image.
     */
    private static List<V1ReplicaSet> replicaSets(V1Deployment deployment, int before, int surgeBefore, String sizes) {
        List<V1ReplicaSet> replicaSets = new ArrayList<>();
        String[] each = sizes.trim().split(" ");
        for (int i = 1; i <= each.length; i++) {
            V1ReplicaSet replicaSet = Deployments.replicaSet(deployment, i,
                    i == each.length ? "app:v1" : "app:old" + i, Integer.parseInt(each[i - 1]), 0);
            replicaSet.getMetadata().putAnnotationsItem(Annotations.DESIRED_REPLICAS, Integer.toString(before))
                    .putAnnotationsItem(Annotations.MAX_REPLICAS, Integer.toString(before + surgeBefore));
            replicaSets.add(replicaSet);
        }
        return replicaSets;
    }

    private static String sizesAfter(V1Deployment deployment, List<V1ReplicaSet> replicaSets) {
        Draft draft = new Draft(Decided.view(deployment, Map.of(), replicaSets.toArray(V1ReplicaSet[]::new)));
        Scaling.scale(draft);
        Map<String, Integer> sizes = new HashMap<>();
        draft.allReplicaSets().forEach(r -> sizes.put(r.name(), r.replicas()));
        return String.join(" ", replicaSets.stream().map(r -> String.valueOf(sizes.get(r.getMetadata().getName())))
                .toList());
    }

    @ParameterizedTest(name = "{0} to {1}: {2} becomes {3}")
    @CsvSource({"10, 12, 10, 12", "10, 5, 10, 5", "5, 10, 3 2, 6 4", "5, 3, 3 2, 2 1", "9, 4, 1 8, 0 4",
            "7, 10, 2 3 2, 3 4 3", "13, 8, 3 8 2, 2 5 1", "3, 4, 1 1 1, 1 1 2", "3, 2, 1 1 1, 0 1 1",
            "6, 0, 1 2 3, 0 0 0", "6, 6, 0 0 0, 0 0 6", "10, 10, 8 5, 5 5"})
    void sharesTheChangeInProportionToSizes(int before, int after, String sizes, String expected) {
        V1Deployment deployment = Deployments.named("web").replicas(after).rolling(0, 1).build();
        assertThat(sizesAfter(deployment, replicaSets(deployment, before, 0, sizes))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} to {2}: {4} becomes {5}")
    @CsvSource({"10, 2, 20, 2, 6 6, 11 11", "10, 3, 50, 6, 8 5, 34 22", "10, 3, 30, 3, 8 5, 20 13",
            "100, 20, 120, 20, 100 20, 117 23"})
    void countsTheSurgeOfBeforeAndOfAfter(int before, int surgeBefore, int after, int surge, String sizes,
            String expected) {
        V1Deployment deployment = Deployments.named("web").replicas(after).rolling(surge, 1).build();
        assertThat(sizesAfter(deployment, replicaSets(deployment, before, surgeBefore, sizes))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "\"{0}\" with status.replicas {1}")
    @CsvSource({"'', 12, 10 10", "abc, 12, 10 10", "-5, 12, 10 10", "0, 12, 10 10", "99999999999, 12, 10 10",
            "'', 0, 6 14"})
    void fallsBackToTheStatusWhereTheMaximumWasTamperedWith(String annotation, int statusReplicas, String expected) {
        V1Deployment deployment = Deployments.named("web").replicas(20).rolling(0, 1).status(statusReplicas, 6, 0, 0)
                .build();
        List<V1ReplicaSet> replicaSets = replicaSets(deployment, 12, 0, "6 6");
        replicaSets.forEach(r -> r.getMetadata().putAnnotationsItem(Annotations.MAX_REPLICAS, annotation));
        assertThat(sizesAfter(deployment, replicaSets)).isEqualTo(expected);
    }

    @Test
    void notesTheNewSizeOnReplicaSetsThatKeepTheirs() {
        V1Deployment deployment = Deployments.named("web").replicas(4).rolling(0, 1).build();
        List<V1ReplicaSet> replicaSets = replicaSets(deployment, 3, 0, "1 1 1");
        Decided decided = Decided.of(deployment, replicaSets.toArray(V1ReplicaSet[]::new));
        assertThat(decided.replicaSets()).hasSize(3).allSatisfy(r -> assertThat(r.getMetadata().getAnnotations())
                .containsEntry(Annotations.DESIRED_REPLICAS, "4").containsEntry(Annotations.MAX_REPLICAS, "4"));
        assertThat(decided.events())
                .containsExactly("Normal ScalingReplicaSet Scaled up replica set web-hash3 from 1 to 2");
    }

    @Test
    void leavesOldPodsAloneWhileASaturatedNewReplicaSetIsBroken() {
        V1Deployment deployment = Deployments.named("web").replicas(2).rolling(1, 1).build();
        assertThat(sizesAfter(deployment, replicaSets(deployment, 2, 1, "1 2"))).isEqualTo("1 2");
    }

    @Test
    void takesOldPodsAwayOnceTheNewReplicaSetHasAll() {
        V1Deployment deployment = Deployments.named("web").replicas(2).rolling(1, 1).build();
        List<V1ReplicaSet> replicaSets = replicaSets(deployment, 2, 1, "1 2");
        replicaSets.getLast().getStatus().setAvailableReplicas(2);
        assertThat(sizesAfter(deployment, replicaSets)).isEqualTo("0 2");
    }

    @Test
    void comesBeforeTheRolloutWhenTheTemplateChangesToo() {
        V1Deployment deployment = Deployments.named("web").replicas(14).rolling(0, 1).image("app:v9").build();
        List<V1ReplicaSet> replicaSets = replicaSets(deployment, 10, 0, "3 7");
        Decided decided = Decided.of(deployment, replicaSets.toArray(V1ReplicaSet[]::new));
        assertThat(decided.sizes()).containsOnly(Map.entry("web-hash1", 4), Map.entry("web-hash2", 10));
    }

    @Test
    void neverTakesAStaleNoteForANewSizeTwice() {
        V1Deployment deployment = Deployments.named("web").replicas(5).image("app:v2").build();
        V1ReplicaSet replicaSet = Deployments.replicaSet(deployment, 1, "app:v1", 5, 5);
        replicaSet.getMetadata().putAnnotationsItem(Annotations.DESIRED_REPLICAS, "10");
        Decided first = Decided.of(deployment, replicaSet);
        assertThat(first.replicaSets()).singleElement().satisfies(r -> assertThat(r.getMetadata().getAnnotations())
                .containsEntry(Annotations.DESIRED_REPLICAS, "5"));
        assertThat(first.events()).isEmpty();
        Decided second = Decided.of(deployment, first.replicaSets().getFirst());
        assertThat(second.created().getSpec().getTemplate().getSpec().getContainers().getFirst().getImage())
                .isEqualTo("app:v2");
    }

    @Test
    void doesNotKeepRecreateWaitingWhenTheStrategyChangesWithTheSize() {
        V1Deployment deployment = Deployments.named("web").replicas(6).recreate().build();
        List<V1ReplicaSet> replicaSets = replicaSets(deployment, 4, 1, "3 2");
        Decided decided = Decided.of(deployment, replicaSets.toArray(V1ReplicaSet[]::new));
        assertThat(decided.sizes()).containsOnly(Map.entry("web-hash1", 0));
    }

    @ParameterizedTest
    @CsvSource({"''", "abc", "-1"})
    void isNotSeenWhereTheNoteIsNoNumber(String note) {
        V1Deployment deployment = Deployments.named("web").replicas(5).build();
        V1ReplicaSet replicaSet = Deployments.replicaSet(deployment, 1, "app:v1", 5, 5);
        replicaSet.getMetadata().putAnnotationsItem(Annotations.DESIRED_REPLICAS, note);
        assertThat(Scaling.isScalingEvent(new Draft(Decided.view(deployment, Map.of(), replicaSet)))).isFalse();
    }

    @Test
    void ignoresReplicaSetsWithoutReplicas() {
        V1Deployment deployment = Deployments.named("web").replicas(5).build();
        V1ReplicaSet old = Deployments.replicaSet(deployment, 1, "app:v0", 0, 0);
        old.getMetadata().putAnnotationsItem(Annotations.DESIRED_REPLICAS, "10");
        V1ReplicaSet current = Deployments.replicaSet(deployment, 2, "app:v1", 5, 5);
        assertThat(Scaling.isScalingEvent(new Draft(Decided.view(deployment, Map.of(), old, current)))).isFalse();
    }
}
