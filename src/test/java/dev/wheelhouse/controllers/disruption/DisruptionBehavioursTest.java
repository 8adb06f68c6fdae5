package dev.wheelhouse.controllers.disruption;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Evictions on several threads (upstream: {@code test/integration/evictions}). */
class DisruptionBehavioursTest {
    private final Cluster cluster = new Cluster();
    private final DisruptionController controller = new DisruptionController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private boolean evict(ObjectKey pod) {
        try {
            cluster.user().metadata(ResourceType.PODS).createSubresource(pod, "eviction", Map.of("metadata",
                    Map.of("name", pod.name(), "namespace", pod.namespace())));
            return true;
        } catch (KubeApiException e) {
            assertThat(e.code()).isEqualTo(429);
            return false;
        }
    }

    @Test
    void evictionsAtTheSameTimeTakeFromTheBudgetWhatItHas() throws Exception {
        List<Callable<Boolean>> evictions = IntStream.range(0, 10).mapToObj(i -> cluster.create(ResourceType.PODS,
                V1Pod.class, """
                        {metadata: {namespace: default, name: p%d, labels: {app: web}}, spec: {nodeName: a, containers:
                         [{name: a, image: app}]}, status: {phase: Running, conditions: [{type: Ready,
                         status: 'True'}]}}
                        """, i)).map(pod -> (Callable<Boolean>) () -> evict(ObjectKey.of(pod))).toList();
        cluster.create(ResourceType.POD_DISRUPTION_BUDGETS, V1PodDisruptionBudget.class, """
                {metadata: {namespace: default, name: web}, spec: {minAvailable: 4,
                 selector: {matchLabels: {app: web}}}}""");
        cluster.settle(controller.loops());
        int evicted = 0;
        try (ExecutorService users = Executors.newFixedThreadPool(10)) {
            for (Future<Boolean> answer : users.invokeAll(evictions)) {
                evicted += answer.get() ? 1 : 0;
            }
        }
        assertThat(evicted).isEqualTo(6);
        assertThat(cluster.all(ResourceType.PODS, V1Pod.class)).filteredOn(Pods::isDeleting).hasSize(6);
    }
}
