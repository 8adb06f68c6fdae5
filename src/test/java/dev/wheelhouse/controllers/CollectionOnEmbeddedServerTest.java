package dev.wheelhouse.controllers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;
import dev.wheelhouse.controllers.namespace.NamespaceController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.scheduler.Scheduler;
import dev.wheelhouse.scheduler.SchedulerConfig;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Real controllers, informers and API server, stepped by one thread. The test plays the kubelet. */
class CollectionOnEmbeddedServerTest {
    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(
            ApiServerOptions.defaults().withClock(clock).withRandom(new SplittableRandom(1)));
    private final KubeClient client = server.client("test");
    private final InformerFactory informers = new InformerFactory(client, clock);
    private final List<Controller> controllers = new ArrayList<>();
    private Scheduler scheduler;

    @BeforeEach
    void start() throws InterruptedException {
        var context = new ControllerContext(server.client("wheelhouse"), informers, clock,
                component -> EventRecorder.NONE, ControllerContext.Settings.stepped());
        controllers.add(new DeploymentController(context));
        controllers.add(new ReplicaSetController(context));
        controllers.add(new GarbageCollector(context));
        controllers.add(new NamespaceController(context));
        scheduler = new Scheduler(SchedulerConfig.DEFAULT, client, informers, name -> EventRecorder.NONE, clock,
                Meters.NONE, 1, 1);
        create(ResourceType.NODES, V1Node.class, "{metadata: {name: node-1}}");
        var nodes = client.resource(ResourceType.NODES, V1Node.class);
        nodes.patch(ObjectKey.cluster("node-1"), "", PatchType.MERGE, "{\"spec\": {\"taints\": null}}");
        nodes.patch(ObjectKey.cluster("node-1"), "status", PatchType.MERGE, """
                {"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
                            "conditions": [{"type": "Ready", "status": "True"}]}}""");
        create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: team}}");
        settle();
    }

    @AfterEach
    void stop() {
        controllers.forEach(Controller::close);
        scheduler.close();
        informers.close();
        server.close();
    }

    private <T extends KubernetesObject> T create(ResourceType type, Class<T> model, String yaml) {
        T object = Yaml.read(yaml, model);
        return client.resource(type, model).create(object);
    }

    private void deployment() throws InterruptedException {
        create(ResourceType.DEPLOYMENTS, V1Deployment.class, """
                {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: team}, spec: {replicas: 2,
                 selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
                 spec: {containers: [{name: c, image: app}]}}}}""");
        settle();
        assertThat(list(ResourceType.REPLICA_SETS, V1ReplicaSet.class)).hasSize(1);
        assertThat(list(ResourceType.PODS, V1Pod.class)).hasSize(2)
                .allMatch(pod -> "node-1".equals(pod.getSpec().getNodeName()));
    }

    /** Steps everything until nothing happens for a second of the clock. */
    private void settle() throws InterruptedException {
        settle(Duration.ofSeconds(1));
    }

    private void settle(Duration time) throws InterruptedException {
        Duration slice = Duration.ofMillis(50);
        for (Duration passed = Duration.ZERO; passed.compareTo(time) <= 0; passed = passed.plus(slice)) {
            boolean busy = true;
            for (int i = 0; busy && i < 10_000; i++) {
                busy = false;
                List<Loop> loops = new ArrayList<>(informers.loops());
                controllers.forEach(c -> loops.addAll(c.loops()));
                loops.addAll(scheduler.loops());
                for (Loop loop : loops) {
                    busy |= loop.step() == Loop.BUSY;
                }
            }
            clock.advance(slice);
        }
    }

    private <T extends KubernetesObject> List<T> list(ResourceType type, Class<T> model) {
        return client.resource(type, model)
                .list("team", LabelSelector.everything(), FieldSelector.everything(), ListOptions.consistent(0))
                .items();
    }

    /** Ends the pods that are being deleted, as a kubelet does. */
    private void endPods() {
        for (V1Pod pod : list(ResourceType.PODS, V1Pod.class)) {
            if (pod.getMetadata().getDeletionTimestamp() != null) {
                client.resource(ResourceType.PODS, V1Pod.class).delete(ObjectKey.of(pod),
                        new Deletion(0L, pod.getMetadata().getUid(), null, null));
            }
        }
    }

    @Test
    void deletingANamespaceEmptiesItPodsFirst() throws InterruptedException {
        deployment();
        create(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "{metadata: {name: settings, namespace: team}}");
        client.resource(ResourceType.NAMESPACES, V1Namespace.class).delete(ObjectKey.cluster("team"),
                Deletion.unconditional());
        settle(Duration.ofSeconds(6));
        assertThat(list(ResourceType.PODS, V1Pod.class)).hasSize(2);
        assertThat(list(ResourceType.CONFIG_MAPS, V1ConfigMap.class)).isNotEmpty();
        V1Namespace namespace = client.resource(ResourceType.NAMESPACES, V1Namespace.class)
                .get(ObjectKey.cluster("team"));
        assertThat(namespace.getStatus().getConditions()).anySatisfy(condition -> {
            assertThat(condition.getType()).isEqualTo("NamespaceContentRemaining");
            assertThat(condition.getMessage())
                    .isEqualTo("Some resources are remaining: pods. has 2 resource instances");
        });
        endPods();
        settle(Duration.ofSeconds(20));
        assertThat(list(ResourceType.CONFIG_MAPS, V1ConfigMap.class)).isEmpty();
        assertThat(list(ResourceType.REPLICA_SETS, V1ReplicaSet.class)).isEmpty();
        try {
            V1Namespace left = client.resource(ResourceType.NAMESPACES, V1Namespace.class)
                    .get(ObjectKey.cluster("team"));
            assertThat(left).as("the namespace is still there").isNull();
        } catch (KubeApiException e) {
            assertThat(e.isNotFound()).isTrue();
        }
    }

    @Test
    void aPodThatFitsNowhereSaysSoInItsStatus() throws InterruptedException {
        create(ResourceType.PODS, V1Pod.class, "{metadata: {name: big, namespace: team}, spec: {containers: "
                + "[{name: c, image: app, resources: {requests: {cpu: '5'}}}]}}");
        settle();
        V1Pod pod = client.resource(ResourceType.PODS, V1Pod.class).get(ObjectKey.of("team", "big"));
        assertThat(pod.getStatus().getConditions()).singleElement().satisfies(condition -> {
            assertThat(condition.getType()).isEqualTo("PodScheduled");
            assertThat(condition.getReason()).isEqualTo("Unschedulable");
            assertThat(condition.getMessage()).isEqualTo("0/1 nodes are available: 1 Insufficient cpu. preemption: "
                    + "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
        });
    }
}
