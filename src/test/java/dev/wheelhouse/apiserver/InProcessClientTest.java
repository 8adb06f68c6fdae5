package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class InProcessClientTest {
    private static final Duration LONG = Duration.ofMinutes(30);
    private static final Duration NOW = Duration.ZERO;

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(
            ApiServerOptions.defaults().withClock(clock).withRandom(seeded()));
    private final ResourceClient<V1ConfigMap> configMaps = server.client("tester/1").resource(
            ResourceType.CONFIG_MAPS, V1ConfigMap.class);
    private final ResourceClient<V1Pod> pods = server.client("tester/1").resource(ResourceType.PODS, V1Pod.class);

    private static RandomGenerator seeded() {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(42);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)).data(Map.of("k", "v"));
    }

    private static V1Pod pod(String name) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name(name))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("c").image("i")));
    }

    @Test
    void writesAndReadsModels() {
        V1ConfigMap created = configMaps.create(configMap("a"));
        assertThat(created.getMetadata().getUid()).isNotEmpty();
        assertThat(created.getMetadata().getCreationTimestamp().toInstant()).isEqualTo(clock.now());
        V1ConfigMap updated = configMaps.update(created.data(Map.of("k", "2")));
        assertThat(configMaps.get(ObjectKey.of("default", "a"))).isEqualTo(updated);
        assertThatThrownBy(() -> configMaps.update(created)).isInstanceOfSatisfying(KubeApiException.class,
                e -> assertThat(e.isConflict()).isTrue());
        assertThatThrownBy(() -> configMaps.create(configMap("a"))).isInstanceOfSatisfying(KubeApiException.class,
                e -> assertThat(e.isAlreadyExists()).isTrue());
        assertThat(configMaps.patch(ObjectKey.of("default", "a"), "", PatchType.MERGE, "{\"data\":{\"n\":\"1\"}}")
                .getData()).containsEntry("n", "1");
        configMaps.delete(ObjectKey.of("default", "a"), Deletion.ofUid(created.getMetadata().getUid()));
        assertThatThrownBy(() -> configMaps.get(ObjectKey.of("default", "a"))).isInstanceOfSatisfying(
                KubeApiException.class,
                e -> assertThat(e.isNotFound()).isTrue());
    }

    @Test
    void listsInPages() {
        for (int i = 0; i < 5; i++) {
            configMaps.create(configMap("p" + i));
        }
        FieldSelector all = FieldSelector.everything();
        ListPage<V1ConfigMap> first = configMaps.list("default", LabelSelector.everything(), all,
                ListOptions.consistent(3));
        ListPage<V1ConfigMap> second = configMaps.list("default", LabelSelector.everything(), all,
                ListOptions.consistent(3).next(Objects.requireNonNull(first.continueToken())));
        assertThat(first.items()).hasSize(3).allSatisfy(item -> assertThat(item.getKind()).isEqualTo("ConfigMap"));
        assertThat(second.items()).hasSize(2);
        assertThat(second.continueToken()).isNull();
        assertThat(second.resourceVersion()).isEqualTo(first.resourceVersion());
    }

    @Test
    void watchesWithoutWaiting() throws Exception {
        String version = configMaps.create(configMap("a")).getMetadata().getResourceVersion();
        try (WatchStream<V1ConfigMap> watch = configMaps.listerWatcher()
                .watch(new WatchOptions(version, false, LONG))) {
            assertThat(watch.next(LONG)).isNull();
            configMaps.create(configMap("b"));
            assertThat(watch.next(NOW)).isInstanceOfSatisfying(WatchEvent.Added.class,
                    e -> assertThat(((V1ConfigMap) e.object()).getMetadata().getName()).isEqualTo("b"));
            assertThat(watch.next(NOW)).isNull();
            clock.advance(Duration.ofSeconds(61));
            pods.create(pod("p"));
            assertThat(watch.next(NOW)).isInstanceOf(WatchEvent.Bookmark.class);
            assertThat(watch.isEnded()).isFalse();
            clock.advance(LONG);
            while (watch.next(NOW) != null) {
                // Skip the events before the end.
            }
            assertThat(watch.isEnded()).isTrue();
        }
    }

    @Test
    void streamsTheInitialEventsAndMarksTheirEnd() throws Exception {
        configMaps.create(configMap("a"));
        try (WatchStream<V1ConfigMap> watch = configMaps
                .listerWatcher("default", LabelSelector.everything(), FieldSelector.of("metadata.name", "a"))
                .watch(new WatchOptions("", true, LONG))) {
            assertThat(watch.next(NOW)).isInstanceOf(WatchEvent.Added.class);
            assertThat(watch.next(NOW)).isInstanceOfSatisfying(WatchEvent.Bookmark.class,
                    e -> assertThat(e.initialEventsEnd()).isTrue());
            assertThat(watch.next(NOW)).isNull();
        }
    }

    @Test
    void aWatchFromACompactedVersionFailsAsExpired() throws Exception {
        configMaps.create(configMap("a"));
        server.store().compact();
        try (WatchStream<V1ConfigMap> watch = configMaps.listerWatcher().watch(new WatchOptions("1", false, LONG))) {
            assertThat(watch.next(NOW)).isInstanceOfSatisfying(WatchEvent.Failed.class,
                    e -> assertThat(e.error().isExpired()).isTrue());
            assertThat(watch.next(NOW)).isNull();
            assertThat(watch.isEnded()).isTrue();
        }
    }

    @Test
    void bindsAPodAndDeletesItGracefully() {
        pods.create(pod("p"));
        ObjectKey key = ObjectKey.of("default", "p");
        pods.createSubresource(key, "binding", new V1Binding().metadata(new V1ObjectMeta().name("p"))
                .target(new V1ObjectReference().kind("Node").name("n1")));
        assertThat(pods.get(key).getSpec().getNodeName()).isEqualTo("n1");
        pods.delete(key, Deletion.unconditional());
        V1Pod terminating = pods.get(key);
        assertThat(terminating.getMetadata().getDeletionTimestamp().toInstant())
                .isEqualTo(clock.now().plusSeconds(30));
        pods.delete(key, new Deletion(0L, null, null, null));
        assertThatThrownBy(() -> pods.get(key)).isInstanceOf(KubeApiException.class);
    }

    @Test
    void readsMetadataAlone() {
        configMaps.create(configMap("a"));
        assertThat(server.client("gc/1").metadata(ResourceType.CONFIG_MAPS).get(ObjectKey.of("default", "a"))
                .getMetadata().getName()).isEqualTo("a");
        assertThat(server.client("gc/1").discover().types()).contains(ResourceType.DEPLOYMENTS, ResourceType.PODS);
        assertThat(server.client("gc/1").serverVersion()).startsWith("v1.36");
    }

    @Test
    void aWriteIsDecodedOnceForItsSenderAndForWatches() throws Exception {
        ResourceClient<V1ConfigMap> sharing = server.client("tester/1").sharing().resource(ResourceType.CONFIG_MAPS,
                V1ConfigMap.class);
        V1ConfigMap first = sharing.create(configMap("a"));
        String version = first.getMetadata().getResourceVersion();
        try (WatchStream<V1ConfigMap> watch = sharing.listerWatcher().watch(new WatchOptions(version, false, LONG))) {
            V1ConfigMap second = sharing.create(configMap("b"));
            assertThat(watch.next(NOW)).isInstanceOfSatisfying(WatchEvent.Added.class,
                    e -> assertThat(e.object()).isSameAs(second));
        }
        assertThat(configMaps.get(ObjectKey.of("default", "a"))).isEqualTo(first).isNotSameAs(first);
    }

    @Test
    void theLimitsOfTheServerHoldInProcess() throws Exception {
        try (ApiServer small = new ApiServer(ApiServerOptions.defaults().withClock(clock)
                .withLimits(TestLimits.withBody(1_000, TestLimits.withWatches(1, ApiServerLimits.standard()))))) {
            ResourceClient<V1ConfigMap> objects = small.client("tester/1").resource(ResourceType.CONFIG_MAPS,
                    V1ConfigMap.class);
            assertThatThrownBy(() -> objects.create(configMap("a").data(Map.of("k", "v".repeat(1_000)))))
                    .isInstanceOfSatisfying(KubeApiException.class, e -> assertThat(e.code()).isEqualTo(413));
            WatchOptions options = new WatchOptions("", true, LONG);
            WatchStream<V1ConfigMap> watch = objects.listerWatcher().watch(options);
            assertThatThrownBy(() -> objects.listerWatcher().watch(options))
                    .isInstanceOfSatisfying(KubeApiException.class, e -> assertThat(e.code()).isEqualTo(429));
            watch.close();
            watch.close();
            objects.listerWatcher().watch(options).close();
        }
    }

    @Test
    void aCallOfAClosedServerFailsAsAnApiErrorOnEveryThread() throws Exception {
        server.close();
        assertThatThrownBy(() -> configMaps.create(configMap("a"))).isInstanceOf(KubeApiException.class);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread.ofVirtual().start(() -> {
            try {
                configMaps.create(configMap("b"));
            } catch (RuntimeException e) {
                failure.set(e);
            }
        }).join();
        assertThat(failure.get()).isInstanceOf(KubeApiException.class);
    }

    @Test
    void theSameSeedGivesTheSameUids() {
        ApiServer twin = new ApiServer(
                ApiServerOptions.defaults().withClock(new ManualClock()).withRandom(seeded()));
        V1ConfigMap here = configMaps.create(configMap("a"));
        V1ConfigMap there = twin.client("tester/1").resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .create(configMap("a"));
        assertThat(there).isEqualTo(here);
        twin.close();
    }
}
