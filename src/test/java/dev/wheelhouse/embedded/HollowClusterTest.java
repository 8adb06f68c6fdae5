package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import static dev.wheelhouse.testing.Eventually.eventually;

@Timeout(900)
class HollowClusterTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    @Test
    void closingTheClusterLeavesTheCachesThatItSharesToTheirOwner() {
        Clock clock = Clock.system();
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults());
                LoopRunner runner = new LoopRunner("owner", clock);
                InformerFactory informers = new InformerFactory(server.client("owner"), clock)) {
            KubeClient client = server.client("hollow");
            informers.start(runner);
            HollowCluster cluster = new HollowCluster(new HollowCluster.Options(List.of(), true, true, null), client,
                    informers,
                    component -> EventRecorder.NONE, Meters.NONE,
                    clock);
            cluster.start();
            SharedIndexInformer<V1Pod> pods = informers.informer(ResourceType.PODS, V1Pod.class);
            eventually("the scheduler's caches have synced", SOON, pods::hasSynced);

            cluster.close();
            client.resource(ResourceType.PODS, V1Pod.class).create(new V1Pod()
                    .metadata(new V1ObjectMeta().namespace("default").name("late"))
                    .spec(new V1PodSpec().addContainersItem(new V1Container().name("c").image("app"))));

            eventually("the cache of pods still follows the API server", SOON,
                    () -> pods.get(ObjectKey.of("default", "late")) != null);
        }
    }
}
