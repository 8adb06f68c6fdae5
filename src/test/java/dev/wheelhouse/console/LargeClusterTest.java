package dev.wheelhouse.console;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.health.Health;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.Election;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

/** The view of an owner of 10,000 pods: small, quick, and with the pods that are not well. */
@Tag("full")
class LargeClusterTest {
    private static final int PODS = 10_000;
    private static final ObjectKey FLEET = ObjectKey.of("default", "fleet");

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.REPLICA_SETS);
    private final LoopRunner runner = new LoopRunner("test", cluster.clock);
    private final ControllerManager manager = new ControllerManager(
            cluster.context(ControllerContext.Settings.stepped()), List.of(),
            new ManagerGuard(ManagerGuard.Mode.OBSERVE, cluster.client(), cluster.clock),
            Election.none().leadership(), Standby.COLD, runner);
    private final Parts parts = new Parts(manager, () -> cluster.informers().states(), cluster.informers(),
            new ClusterHealth(cluster.informers(), manager, Journal.NONE, cluster.clock, Meters.NONE), Journal.NONE,
            List::of,
            cluster.client(), new ApiClient(), cluster.clock, () -> null, true, true);
    private final CachedObjects objects = new CachedObjects(cluster.informers());
    private final ObjectView view = new ObjectView(parts, objects, new Rollouts(cluster.clock));

    @AfterEach
    void close() {
        runner.close();
        cluster.close();
    }

    private void fill() {
        cluster.informers().informer(ResourceType.PODS, V1Pod.class);
        cluster.informers().informer(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
        V1ReplicaSet owner = cluster.create(ResourceType.REPLICA_SETS, V1ReplicaSet.class,
                """
                        {metadata: {namespace: default, name: fleet}, spec: {replicas: 10000,
                         selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
                         spec: {containers: [{name: web, image: nginx}]}}}}""");
        for (int i = 0; i < PODS; i++) {
            V1Pod pod = Manifests.pod("fleet-%05d".formatted(i), Map.of("app", "web"));
            V1ObjectMeta meta = pod.getMetadata().uid("pod-" + i).resourceVersion("1000");
            meta.addOwnerReferencesItem(new V1OwnerReference().apiVersion("apps/v1").kind("ReplicaSet").name("fleet")
                    .uid(owner.getMetadata().getUid()).controller(true).blockOwnerDeletion(true));
            pod.status(new V1PodStatus().phase(i == 7777 ? "Failed" : "Running")
                    .addConditionsItem(new V1PodCondition().type("Ready").status(i % 100 == 3 ? "False" : "True")));
            cluster.store(ResourceType.PODS, pod);
        }
        cluster.deliver();
    }

    @Test
    void isAsSmallAsThatOfAFewPodsAndShowsTheWorst() {
        fill();
        ObjectView.View shown = view.of(ResourceType.REPLICA_SETS, FLEET, TestViewer.MAY_ALL);
        ObjectView.Group pods = shown.object().dependents().getFirst();
        assertThat(pods.count()).isEqualTo(PODS);
        assertThat(pods.states()).containsEntry(Health.Level.DEGRADED, 1).containsEntry(Health.Level.PROGRESSING, 100)
                .containsEntry(Health.Level.HEALTHY, PODS - 101);
        assertThat(pods.members()).hasSize(ObjectView.MOST_MEMBERS);
        assertThat(pods.members().getFirst().name()).isEqualTo("fleet-07777");
        assertThat(JsonMapper.shared().writeValueAsBytes(shown)).hasSizeLessThan(40_000);

        Map<String, Object> page = view.list("pods", List.of(ResourceType.PODS), "", "fleet", 200, 100,
                TestViewer.MAY_ALL);
        assertThat(page).containsEntry("count", PODS);
        assertThat(JsonMapper.shared().writeValueAsBytes(page)).hasSizeLessThan(40_000);
    }

    @Test
    void takesAFractionOfTheTimeBetweenTwoEvents() {
        // The time of the processor, not the clock's: other work on the machine does not count.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        fill();
        for (int i = 0; i < 20; i++) {
            view.of(ResourceType.REPLICA_SETS, FLEET, TestViewer.MAY_ALL);
        }
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            long began = threads.getCurrentThreadCpuTime();
            view.of(ResourceType.REPLICA_SETS, FLEET, TestViewer.MAY_ALL);
            best = Math.min(best, threads.getCurrentThreadCpuTime() - began);
        }
        System.out.println("a view of 10,000 pods takes " + best / 1000 + " us");
        assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void aViewerWhoMayNotListPodsSeesNone() {
        fill();
        assertThat(
                view.of(ResourceType.REPLICA_SETS, FLEET, TestViewer.mayNot(ResourceType.PODS)).object().dependents())
                .isEmpty();
    }
}
