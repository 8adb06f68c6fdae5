package dev.wheelhouse.informer;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Informers on a real kube-apiserver, with the initial state streamed and listed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class RealServerInformerTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final int OBJECTS = 120;

    @TempDir
    private static Path directory;

    private final LoopRunner runner = new LoopRunner("real-server-test", Clock.system());
    private RealApiServer server;
    private KubeClient client;
    private ResourceClient<V1ConfigMap> configMaps;

    @BeforeAll
    void start() throws Exception {
        server = RealApiServer.startOrSkip(directory);
        client = new HttpKubeClient(new KubeConfigs(Clock.system()).fromFile(server.kubeconfig(), null).api(),
                Clock.system());
        configMaps = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        eventually("the default namespace is there", SOON, () -> {
            configMaps.create(configMap("first"));
            return true;
        });
        for (int i = 0; i < OBJECTS; i++) {
            configMaps.create(configMap("o" + i));
        }
    }

    @AfterAll
    void stop() throws Exception {
        runner.close(Duration.ofSeconds(5));
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)
                .putLabelsItem("odd", String.valueOf(name.hashCode() % 2 != 0))).putDataItem("k", "1");
    }

    private void followsFromStartToEnd(boolean watchList) {
        MeterRegistry registry = new SimpleMeterRegistry();
        Map<String, String> told = new ConcurrentHashMap<>();
        InformerOptions options = InformerOptions.builder().watchList(watchList).build();
        try (InformerFactory factory = new InformerFactory(client, Clock.system(), registry, options)) {
            SharedIndexInformer<V1ConfigMap> informer = factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class,
                    "default", LabelSelector.everything(), FieldSelector.everything());
            SharedIndexInformer<PartialObjectMetadata> metadata = factory.metadata(ResourceType.CONFIG_MAPS);
            SharedIndexInformer<V1ConfigMap> withoutData = factory.informer(new CachedCollection<>(
                    ResourceType.CONFIG_MAPS, V1ConfigMap.class, "default", LabelSelector.everything(),
                    FieldSelector.everything(), true, null));
            SharedIndexInformer<Unstructured> selected = factory.informer(ResourceType.CONFIG_MAPS, Unstructured.class,
                    "default",
                    LabelSelector.of(Map.of("odd", "true")), FieldSelector.everything());
            informer.addEventHandler(new ResourceEventHandler<>() {
                @Override
                public void onAdd(V1ConfigMap object, boolean initial) {
                    told.put(object.getMetadata().getName(), object.getData().get("k"));
                }

                @Override
                public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
                    told.put(after.getMetadata().getName(), after.getData().get("k"));
                }

                @Override
                public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
                    told.remove(object.getMetadata().getName());
                }
            });
            factory.start(runner);
            eventually("all have synced: " + factory.states(), SOON, factory::hasSynced);
            assertThat(informer.getIndexer().size()).isGreaterThanOrEqualTo(OBJECTS);
            assertThat(metadata.getIndexer().list("default")).hasSameSizeAs(informer.getIndexer().list());
            assertThat(withoutData.getIndexer().list()).hasSameSizeAs(informer.getIndexer().list())
                    .allSatisfy(object -> {
                        assertThat(object.getData()).isNullOrEmpty();
                        assertThat(object.getKind()).isEqualTo("ConfigMap");
                        assertThat(object.getMetadata().getResourceVersion()).isNotNull();
                    });
            assertThat(selected.getIndexer().size()).isBetween(1, informer.getIndexer().size() - 1);
            List<String> ended = Counts.of(registry, "reflector.watch.duration", "cause");
            if (!ended.isEmpty()) {
                System.out.println("SKIPPED in part: the server's etcd is too old to stream the initial state ("
                        + ended + "); the fall-back to a list was tested");
            }
            System.out.println("SKEW informers, watchList=" + watchList + ": " + Counts.of(registry,
                    "reflector.watch.duration", "cause") + ", lists "
                    + registry.find("reflector.lists").counters().stream().mapToDouble(c -> c.count()).sum());
            assertThat(ended).as("what a stream may end by before all have synced").isSubsetOf("error");

            String name = "late-" + watchList;
            configMaps.create(configMap(name));
            V1ConfigMap changed = configMaps.get(ObjectKey.of("default", "o1"));
            configMaps.update(changed.putDataItem("k", "changed " + watchList));
            eventually("the changes arrive", SOON,
                    () -> told.containsKey(name) && ("changed " + watchList).equals(told.get("o1")));
            configMaps.delete(ObjectKey.of("default", name), Deletion.unconditional());
            eventually("the deletion arrives", SOON, () -> !told.containsKey(name));
            assertThat(informer.state().lastFailure()).isNull();
            assertThat(informer.state().counts().relists()).isEmpty();
            assertThat(informer.get(ObjectKey.of("default", "o1")).getKind()).isEqualTo("ConfigMap");
        }
    }

    @Test
    void theInitialStateIsStreamed() {
        followsFromStartToEnd(true);
    }

    @Test
    void theInitialStateIsListed() {
        followsFromStartToEnd(false);
    }

    @Test
    void aFreshStateOfACollectionOfSeveralPagesShowsTheLastWrite() throws InterruptedException {
        Clock clock = Clock.system();
        try (InformerFactory factory = new InformerFactory(client, clock, Meters.NONE,
                InformerOptions.builder().pageSize(OBJECTS / 4).build())) {
            SharedIndexInformer<V1ConfigMap> informer = factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class,
                    "default", LabelSelector.everything(), FieldSelector.everything());
            factory.start(runner);
            eventually("it has synced", SOON, factory::hasSynced);
            ObjectKey key = ObjectKey.of("default", "o2");
            for (int i = 0; i < 5; i++) {
                String value = "fresh " + i;
                configMaps.update(configMaps.get(key).putDataItem("k", value));
                // The versions of the server grow beyond that of the collection.
                client.resource(ResourceType.SECRETS, V1Secret.class).create(
                        new V1Secret().metadata(new V1ObjectMeta().namespace("default").generateName("other-")));
                AtomicReference<String> cached = new AtomicReference<>("");
                CountDownLatch fresh = new CountDownLatch(1);
                long began = clock.nanoTime();
                informer.whenFresh(began, () -> {
                    cached.set(informer.get(key).getData().get("k"));
                    fresh.countDown();
                });
                assertThat(fresh.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
                assertThat(cached.get()).isEqualTo(value);
                System.out.println("fresh after " + Duration.ofNanos(clock.nanoTime() - began).toMillis() + " ms");
            }
            Map<String, Long> relists = informer.state().counts().relists();
            assertThat(relists.keySet()).isSubsetOf("refresh");
            if (!relists.isEmpty()) {
                System.out.println("SKIPPED in part: the server's etcd is too old to report its progress (" + relists
                        + "); the fall-back to a list was tested");
            }
        }
    }
}
