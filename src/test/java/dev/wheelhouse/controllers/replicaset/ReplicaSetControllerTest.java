package dev.wheelhouse.controllers.replicaset;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReplicaSetControllerTest {
    private final ReplicaSetSystem system = new ReplicaSetSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private static Requests.Fault refuseCreates(int after, KubeApiException error) {
        int[] left = {after};
        return (verb, type, key) -> verb.equals("create") && type.equals(ResourceType.PODS) && left[0]-- <= 0
                ? error
                : null;
    }

    private static KubeApiException quota() {
        return new KubeApiException("create pods default/web-*", 403, "Forbidden",
                "pods \"web-x\" is forbidden: exceeded quota: two", null);
    }

    private @Nullable V1ReplicaSetCondition condition(String name) {
        List<V1ReplicaSetCondition> conditions = system.set(name).getStatus().getConditions();
        return conditions == null || conditions.isEmpty() ? null : conditions.get(0);
    }

    private long creates() {
        return system.cluster.requests.take().stream().filter(r -> r.startsWith("create pods")).count();
    }

    @Test
    void aPodIsMadeFromTheTemplate() {
        V1ReplicaSet set = ReplicaSetSystem.replicaSet("web", 1);
        set.getSpec().getTemplate().getMetadata().annotations(Map.of("note", "x")).finalizers(List.of("a.b/c"));
        set.getSpec().getTemplate().getSpec().setAutomountServiceAccountToken(false);
        set.getMetadata().annotations(Map.of("own", "y"));
        system.create(set);
        system.settle();
        V1Pod pod = system.pods().get(0);
        assertThat(pod.getMetadata().getName()).startsWith("web-");
        assertThat(pod.getMetadata().getGenerateName()).isEqualTo("web-");
        assertThat(pod.getMetadata().getLabels()).isEqualTo(Map.of("app", "web"));
        assertThat(pod.getMetadata().getAnnotations()).isEqualTo(Map.of("note", "x"));
        assertThat(pod.getMetadata().getFinalizers()).containsExactly("a.b/c");
        assertThat(ModelJson.tree(pod.getSpec()).properties())
                .containsAll(ModelJson.tree(system.set("web").getSpec().getTemplate().getSpec()).properties());
        V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
        assertThat(owner).isEqualTo(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet").name("web")
                .uid(system.set("web").getMetadata().getUid()).controller(true).blockOwnerDeletion(true));
        assertThat(system.cluster.eventTexts()).containsExactly(
                "Normal SuccessfulCreate Created pod: " + pod.getMetadata().getName());
    }

    @Test
    void noSyncCreatesAgainBeforeItsOwnCreationsWereSeen() {
        system.create("web", 3);
        system.cluster.deliver();
        system.step();
        assertThat(creates()).isEqualTo(3);
        system.scale("web", 5);
        for (int i = 0; i < 20; i++) {
            system.step();
            system.cluster.clock.advance(Duration.ofMillis(500));
        }
        assertThat(creates()).isZero();
        system.settle();
        assertThat(creates()).isEqualTo(2);
        assertThat(system.podsOf("web")).hasSize(5);
    }

    @Test
    void noSyncDeletesAgainBeforeItsOwnDeletionsWereSeen() {
        system.create("web", 3);
        system.settle();
        system.scale("web", 2);
        system.cluster.deliver();
        system.cluster.withhold(ResourceType.PODS);
        system.step();
        long left = Pods.active(system.pods()).size();
        assertThat(left).isEqualTo(2);
        system.scale("web", 1);
        for (int i = 0; i < 20; i++) {
            system.cluster.deliver();
            system.step();
            system.cluster.clock.advance(Duration.ofMillis(500));
        }
        assertThat(Pods.active(system.pods())).hasSize(2);
        system.cluster.release(ResourceType.PODS);
        system.settle();
        assertThat(Pods.active(system.pods())).hasSize(1);
    }

    @Test
    void aCreationWithoutAnswerThatLandedIsNotDoneTwice() {
        system.cluster.requests.fault(Requests.Fault
                .afterwards((verb, type, key) -> verb.equals("create") && type.equals(ResourceType.PODS)
                        ? new KubeApiException("create pods", new IOException("timed out"))
                        : null));
        system.create("web", 1);
        system.cluster.deliver();
        system.step();
        system.cluster.requests.noFault();
        for (int i = 0; i < 20; i++) {
            system.cluster.clock.advance(Duration.ofMillis(500));
            system.step();
        }
        assertThat(system.pods()).hasSize(1);
        system.settle();
        assertThat(system.podsOf("web")).hasSize(1);
        assertThat(system.set("web").getStatus().getReplicas()).isEqualTo(1);
    }

    /**
     * The pod has ended before the consistent read, so no version in that read shows whether the cache is new enough.
     */
    @Test
    void aDeletionWithoutAnswerThatHasEndedIsNotFollowedByThatOfAnotherPod() {
        system.create("web", 2);
        system.settle();
        V1Pod first = system.pods().get(0);
        V1Pod second = system.pods().get(1);
        deletionCost(first, -10);
        system.scale("web", 1);
        system.cluster.deliver();
        deletionCost(second, -100);
        system.cluster.requests.fault(Requests.Fault
                .afterwards((verb, type, key) -> verb.equals("delete") && type.equals(ResourceType.PODS)
                        ? new KubeApiException("delete pods", new IOException("timed out"))
                        : null));
        system.step();
        system.cluster.requests.noFault();
        assertThat(system.pods()).extracting(pod -> pod.getMetadata().getUid())
                .containsExactly(second.getMetadata().getUid());

        system.cluster.deliverOne();
        system.cluster.withhold(ResourceType.PODS);
        system.cluster.deliver();
        for (int i = 0; i < 20; i++) {
            system.cluster.clock.advance(Duration.ofMillis(500));
            system.step();
        }
        assertThat(system.pods()).hasSize(1);
    }

    private void deletionCost(V1Pod pod, int cost) {
        system.editPod(pod, p -> p.getMetadata().setAnnotations(
                Map.of("controller.kubernetes.io/pod-deletion-cost", String.valueOf(cost))));
    }

    @Test
    void scalingDownClearsAQuotaFailure() {
        system.cluster.requests.fault(refuseCreates(2, quota()));
        system.create("web", 5);
        system.cluster.deliver();
        system.step();
        system.scale("web", 2);
        system.settle();
        assertThat(condition("web")).isNull();
        assertThat(system.set("web").getStatus().getReplicas()).isEqualTo(2);
    }

    @Test
    void inATerminatingNamespaceCreationIsNotRetriedAndNotReported() {
        system.cluster.requests.fault(refuseCreates(0, new KubeApiException("create pods", 403, "Forbidden",
                "pods \"web-x\" is forbidden: unable to create new content in namespace default because it is being "
                        + "terminated",
                null)));
        system.create("web", 5);
        system.settle();
        system.cluster.clock.advance(Duration.ofMinutes(2));
        system.settle();
        assertThat(creates()).isLessThanOrEqualTo(2);
        assertThat(system.cluster.eventTexts()).isEmpty();
        assertThat(condition("web")).isNull();
    }

    @Test
    void aRefusedDeletionShowsAndIsTriedAgain() {
        system.create("web", 2);
        system.settle();
        system.cluster.requests.fault((verb, type, key) -> verb.equals("delete")
                ? new KubeApiException("delete pods", 403, "Forbidden", "no", null)
                : null);
        system.scale("web", 0);
        system.cluster.deliver();
        system.step();
        system.cluster.deliver();
        V1ReplicaSetCondition failure = condition("web");
        assertThat(failure).isNotNull();
        assertThat(failure.getReason()).isEqualTo("FailedDelete");
        assertThat(failure.getMessage()).isEqualTo("unable to delete pods: no");
        assertThat(system.cluster.eventTexts()).contains("Warning FailedDelete Error deleting: no");
        system.cluster.requests.noFault();
        system.settle();
        assertThat(system.pods()).isEmpty();
        assertThat(condition("web")).isNull();
    }

    @Test
    void aPodWhoseDeletionIsRefusedKeepsNoOtherFromBeingDeleted() {
        system.create("web", 5);
        system.settle();
        String refused = system.podsOf("web").get(0).getMetadata().getName();
        system.cluster.requests.fault((verb, type, key) -> verb.equals("delete") && key.name().equals(refused)
                ? new KubeApiException("delete pods", 403, "Forbidden", "it is protected", null)
                : null);
        system.scale("web", 0);
        system.settle();
        assertThat(system.podsOf("web")).extracting(pod -> pod.getMetadata().getName()).containsExactly(refused);
        V1ReplicaSetCondition failure = condition("web");
        assertThat(failure).isNotNull();
        assertThat(failure.getReason()).isEqualTo("FailedDelete");
    }

    @Test
    void aPodThatIsGoneBeforeItsDeletionHoldsNobodyBack() {
        system.create("web", 2);
        system.settle();
        system.scale("web", 1);
        system.cluster.deliver();
        system.pods().forEach(system::remove);
        system.settle();
        assertThat(system.podsOf("web")).hasSize(1);
        assertThat(system.cluster.eventTexts()).noneMatch(e -> e.contains("SuccessfulDelete"));
    }

    @Test
    void nothingIsAdoptedForAReplicaSetThatIsGoneOrBeingDeleted() {
        system.create("web", 1);
        system.settle();
        V1Pod orphan = ReplicaSetSystem.pod("orphan", "web");
        system.createPod(orphan);
        system.cluster.deliver();
        system.cluster.delete(ResourceType.REPLICA_SETS, ReplicaSetSystem.key("web"),
                Deletion.unconditional().withPropagation("Foreground"));
        system.step();
        assertThat(system.podsOf("web")).hasSize(1);
        system.cluster.remove(ResourceType.REPLICA_SETS, ReplicaSetSystem.key("web"));
        system.create("web", 1);
        system.cluster.clock.advance(Duration.ofSeconds(1));
        system.step();
        assertThat(system.pods()).filteredOn(p -> p.getMetadata().getName().equals("orphan"))
                .allMatch(p -> OwnerReferences.controllerOf(p.getMetadata()) == null);
    }

    @Test
    void podsOfAnotherControllerAreNeverTouched() {
        V1Pod foreign = ReplicaSetSystem.pod("foreign", "web");
        foreign.getMetadata().setOwnerReferences(List.of(new V1OwnerReference().apiVersion("v1").kind("X").name("x")
                .uid("x").controller(true)));
        V1Pod before = system.createPod(foreign);
        system.create("web", 2);
        system.settle();
        system.scale("web", 0);
        system.settle();
        assertThat(system.pods()).containsExactly(before);
    }

    @Test
    void atMostFiveHundredPodsAreMadeInOneSync() {
        system.create("web", 620);
        system.cluster.deliver();
        system.step();
        assertThat(creates()).isEqualTo(500);
        system.settle();
        assertThat(system.podsOf("web")).hasSize(620);
    }

    @Test
    void aSelectorThatCannotBeReadIsTerminal() {
        V1ReplicaSet set = ReplicaSetSystem.replicaSet("web", 1);
        set.getSpec().setSelector(new V1LabelSelector().matchExpressions(
                List.of(new V1LabelSelectorRequirement().key("a").operator("Near").values(List.of("b")))));
        system.cluster.store(ResourceType.REPLICA_SETS, set);
        system.cluster.deliver();
        assertThatThrownBy(() -> system.controller.plan(ReplicaSetSystem.key("web")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("spec.selector");
        system.settle();
        assertThat(system.pods()).isEmpty();
    }

    @Test
    void foreignConditionsOfTheStatusSurvive() {
        system.create("web", 1);
        system.settle();
        system.edit("web", set -> set.getStatus()
                .setConditions(List.of(new V1ReplicaSetCondition().type("Mine").status("True"))));
        system.scale("web", 2);
        system.settle();
        assertThat(condition("web")).matches(c -> c != null && c.getType().equals("Mine"));
        assertThat(system.set("web").getStatus().getReplicas()).isEqualTo(2);
    }

    @Test
    void theAgesOfReadyVictimsAreCountedInAgesOfTheYoungestReadyPod() {
        String ratios = "replicaset_controller_sorting_deletion_age_ratio{}";
        system.create("web", 1);
        system.settle();
        system.cluster.clock.advance(Duration.ofSeconds(80));
        system.scale("web", 3);
        system.settle();
        system.cluster.clock.advance(Duration.ofSeconds(40));
        system.pods().forEach(system::ready);
        system.settle();
        system.scale("web", 1);
        system.settle();
        assertThat(system.cluster.measures).containsEntry(ratios, 2.0);
        system.scale("web", 0);
        system.settle();
        assertThat(system.cluster.measures).as("no choice").containsEntry(ratios, 2.0);
    }

    @Test
    void victimsAreSpreadOverThePodsOfTheSameOwnersReplicaSets() {
        for (String name : List.of("old", "web")) {
            V1ReplicaSet set = ReplicaSetSystem.replicaSet(name, 2);
            set.getMetadata().setOwnerReferences(List.of(new V1OwnerReference().apiVersion("apps/v1")
                    .kind("Deployment").name("d").uid("d").controller(true)));
            system.create(set);
        }
        system.settle();
        system.podsOf("old").forEach(pod -> system.bind(pod, "crowded"));
        List<V1Pod> pods = system.podsOf("web");
        system.bind(pods.get(0), "quiet");
        system.bind(pods.get(1), "crowded");
        system.pods().forEach(system::ready);
        system.settle();
        system.scale("web", 1);
        system.settle();
        assertThat(system.podsOf("web")).filteredOn(p -> !Pods.isDeleting(p)).singleElement()
                .matches(p -> Pods.node(p).equals("quiet"));
    }
}
