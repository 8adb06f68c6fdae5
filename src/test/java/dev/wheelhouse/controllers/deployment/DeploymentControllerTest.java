package dev.wheelhouse.controllers.deployment;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayName("The Deployment controller, beside the ReplicaSet controller on an API server in memory,")
class DeploymentControllerTest {
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();
    private final ControllerContext context = cluster.context();
    private final DeploymentController controller = new DeploymentController(context);
    private final List<Loop> workers = List.of(controller.loops().getFirst(),
            new ReplicaSetController(context).loops().getFirst());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(workers, Duration.ofSeconds(5));
    }

    private void edit(Consumer<V1Deployment> change) {
        cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, WEB, change);
    }

    private void create(V1Deployment deployment) {
        deployment.getMetadata().setResourceVersion(null);
        cluster.create(ResourceType.DEPLOYMENTS, deployment);
    }

    /** Makes pods ready and ends deleted ones, until nothing changes any more. */
    private void nodesWork() {
        for (int round = 0; round < 100; round++) {
            settle();
            List<V1Pod> waiting = pods().stream()
                    .filter(p -> p.getSpec().getNodeName() == null || p.getMetadata().getDeletionTimestamp() != null)
                    .toList();
            if (waiting.isEmpty()) {
                return;
            }
            waiting.forEach(this::nodeWorksOn);
        }
        throw new AssertionError("pods still come and go: " + cluster.eventTexts());
    }

    private void nodeWorksOn(V1Pod pod) {
        ObjectKey key = ObjectKey.of(pod);
        if (pod.getMetadata().getDeletionTimestamp() != null) {
            cluster.remove(ResourceType.PODS, key);
        } else {
            OffsetDateTime now = cluster.clock.now().atOffset(ZoneOffset.UTC);
            cluster.edit(ResourceType.PODS, V1Pod.class, key, p -> {
                p.getSpec().setNodeName("hollow-0");
                p.setStatus(new V1PodStatus().phase("Running").addConditionsItem(
                        new V1PodCondition().type("Ready").status("True").lastTransitionTime(now)));
            });
        }
    }

    private List<V1Pod> pods() {
        return cluster.all(ResourceType.PODS, V1Pod.class);
    }

    private List<V1ReplicaSet> sets() {
        return cluster.all(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
    }

    private V1Deployment web() {
        return cluster.read(ResourceType.DEPLOYMENTS, WEB, V1Deployment.class);
    }

    @Test
    void whatChangesGoesBeforeWhatWasThereAtTheStart() {
        List.of("old-1", "old-2", "old-3").forEach(old -> create(Deployments.named(old).build()));
        cluster.deliver();
        create(Deployments.named("web").build());
        cluster.deliver();

        Cluster.step(workers.getFirst());

        assertThat(sets()).singleElement().matches(set -> set.getMetadata().getName().startsWith("web-"));
    }

    @Test
    void doesNotAdoptForADeploymentThatHasJustBeenDeleted() {
        V1Deployment deployment = Deployments.named("web").replicas(0).build();
        create(deployment);
        settle();
        cluster.delete(ResourceType.DEPLOYMENTS, WEB);
        V1ReplicaSet orphan = Deployments.replicaSet(deployment, 7, "app:v7", 0, 0);
        orphan.getMetadata().ownerReferences(null).resourceVersion(null);
        // The cache still contains the Deployment when the orphan appears.
        cluster.create(ResourceType.REPLICA_SETS, orphan);
        cluster.requests.take();
        settle();
        assertThat(cluster.requests.take()).noneMatch(r -> r.startsWith("patch"));
    }

    @Test
    void keepsQuietInATerminatingNamespace() {
        cluster.requests.fault(Requests.Fault.on("create", ResourceType.REPLICA_SETS,
                () -> new KubeApiException("create", 403, "Forbidden", "it is forbidden because it is being terminated",
                        null)));
        create(Deployments.named("web").build());
        cluster.deliver();
        Cluster.step(workers.getFirst());
        assertThat(cluster.eventTexts()).isEmpty();
        cluster.requests.take();
        cluster.clock.advance(Duration.ofMinutes(1));
        Cluster.step(workers.getFirst());
        assertThat(cluster.requests.take()).as("it is not tried again").isEmpty();
    }

    @Test
    void saysOnceThatASelectorIsInvalid() {
        V1Deployment deployment = Deployments.named("web").build();
        deployment.getSpec().setSelector(new V1LabelSelector()
                .addMatchExpressionsItem(new V1LabelSelectorRequirement().key("app").operator("Near")));
        cluster.store(ResourceType.DEPLOYMENTS, deployment);
        cluster.deliver();
        assertThatThrownBy(() -> controller.plan(WEB)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("default/web", "spec.selector", "Near");
    }

    @Test
    void warnsOfASelectorThatTakesAll() {
        V1Deployment deployment = Deployments.named("web").build();
        deployment.getSpec().setSelector(new V1LabelSelector());
        cluster.store(ResourceType.DEPLOYMENTS, deployment);
        settle();
        assertThat(cluster.eventTexts()).contains(
                "Warning SelectingAll This deployment is selecting all pods. A non-empty selector is required.");
        assertThat(web().getStatus().getObservedGeneration()).isEqualTo(1);
        assertThat(sets()).isEmpty();
    }

    @Test
    void showsItsPlanWithoutWriting() {
        create(Deployments.named("web").build());
        cluster.deliver();
        cluster.requests.take();
        assertThat(new Decided(controller.plan(WEB)).kinds()).containsExactly("Create", "Event", "UpdateStatus");
        assertThat(cluster.requests.take()).isEmpty();
        assertThat(controller.plan(ObjectKey.of("default", "other"))).isEmpty();
    }

    @Test
    void keepsTwoDeploymentsOfOneSelectorApart() {
        create(Deployments.named("web").replicas(2).build());
        V1Deployment other = Deployments.named("other").replicas(1).image("app:v2").build();
        other.getSpec().setSelector(new V1LabelSelector().matchLabels(Map.of("app", "web")));
        other.getSpec().getTemplate().getMetadata().setLabels(Map.of("app", "web"));
        create(other);
        nodesWork();
        assertThat(pods()).hasSize(3);
        assertThat(web().getStatus().getAvailableReplicas()).isEqualTo(2);
        edit(d -> d.getSpec().setReplicas(4));
        nodesWork();
        assertThat(pods()).hasSize(5);
    }
}
