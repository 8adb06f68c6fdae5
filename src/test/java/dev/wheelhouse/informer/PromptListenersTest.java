package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Handlers that share a thread, and those that do not. */
class PromptListenersTest {
    private final Map<String, Thread> threads = new ConcurrentHashMap<>();

    private ResourceEventHandler<V1ConfigMap> named(String name) {
        return ResourceEventHandler.of((before, map) -> threads.put(name + " " + map.getMetadata().getName(),
                Thread.currentThread()));
    }

    private void await(String... calls) {
        Eventually.eventually("calls of " + List.of(calls), Duration.ofMinutes(2),
                () -> threads.keySet().containsAll(List.of(calls)));
    }

    @Test
    void promptHandlersOfACacheShareAThreadAndNoOtherHandlerDelaysThem() {
        CountDownLatch blocked = new CountDownLatch(1);
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults());
                LoopRunner runner = new LoopRunner("test", Clock.system())) {
            CachingInformer<V1ConfigMap> informer = new CachingInformer<>(SteppedInformer.configMapsOf(server),
                    V1ConfigMap.class, InformerOptions.defaults(), Clock.system(), Meters.NONE);
            informer.addEventHandler(new PromptHandler<>(named("first")));
            informer.addEventHandler(ResourceEventHandler.of((before, after) -> {
                try {
                    blocked.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
            informer.addEventHandler(new PromptHandler<>(ResourceEventHandler.of((before, after) -> {
                throw new IllegalStateException("on purpose");
            })));
            informer.start(runner);
            SharedIndexInformer.Registration second = informer.addEventHandler(new PromptHandler<>(named("second")),
                    Duration.ZERO);
            ResourceClient<V1ConfigMap> client = server.client("test").resource(ResourceType.CONFIG_MAPS,
                    V1ConfigMap.class);
            client.create(SteppedInformer.configMap("a", "1"));
            await("first a", "second a");
            assertThat(threads.get("first a")).isSameAs(threads.get("second a"));
            assertThat(threads.get("first a").getName()).isEqualTo("test/handlers configmaps default");

            second.remove();
            client.create(SteppedInformer.configMap("b", "1"));
            await("first b");
            client.create(SteppedInformer.configMap("c", "1"));
            await("first c");
            assertThat(threads).doesNotContainKeys("second b", "second c");
            blocked.countDown();
            informer.close();
        }
    }
}
