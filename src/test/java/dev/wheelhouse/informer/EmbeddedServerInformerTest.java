package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The HTTP client and informers on their own threads, with the embedded API server. */
@Isolated
class EmbeddedServerInformerTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final KubeClient client = new HttpKubeClient(new ClientBuilder().setBasePath(server.url()).build(),
            Clock.system());
    private final LoopRunner runner = new LoopRunner("informer-test", Clock.system());
    private final InformerFactory factory = new InformerFactory(client, Clock.system());
    private final ResourceClient<V1ConfigMap> configMaps = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);

    @AfterEach
    void close() {
        factory.close();
        assertThat(runner.close(Duration.ofMinutes(2))).as("threads left").isEmpty();
        client.close();
        server.close();
    }

    private V1ConfigMap configMap(String name, String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)).putDataItem("k", value);
    }

    /** The state that follows from a handler's notifications. */
    private static class Folded implements ResourceEventHandler<V1ConfigMap> {
        final Map<String, String> values = new ConcurrentHashMap<>();
        final List<String> deleted = new CopyOnWriteArrayList<>();

        @Override
        public void onAdd(V1ConfigMap object, boolean initial) {
            values.put(object.getMetadata().getName(), String.valueOf(object.getData().get("k")));
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
            values.put(after.getMetadata().getName(), String.valueOf(after.getData().get("k")));
        }

        @Override
        public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
            values.remove(object.getMetadata().getName());
            deleted.add(object.getMetadata().getName());
        }
    }

    @Test
    void theClientDoesWhatItsPortPromises() {
        assertThat(client.serverVersion()).startsWith("v1.");
        V1ConfigMap made = configMaps.create(configMap("a", "1"));
        assertThat(made.getMetadata().getUid()).isNotEmpty();
        made.putDataItem("k", "2");
        V1ConfigMap updated = configMaps.update(made);
        assertThat(org.assertj.core.api.Assertions
                .catchThrowableOfType(KubeApiException.class, () -> configMaps.update(made))
                .isConflict()).isTrue();
        V1ConfigMap patched = configMaps.patch(ObjectKey.of("default", "a"), "", PatchType.MERGE,
                "{\"data\":{\"k\":null,\"u\":\"ü\"}}");
        assertThat(patched.getData()).containsExactly(Map.entry("u", "ü"));
        assertThat(patched.getMetadata().getUid()).isEqualTo(updated.getMetadata().getUid());
        for (int i = 0; i < 5; i++) {
            configMaps.create(configMap("b" + i, "1"));
        }
        var page = configMaps.list("default", LabelSelector.everything(), FieldSelector.everything(),
                ListOptions.consistent(4));
        assertThat(page.items()).hasSize(4).allMatch(o -> "ConfigMap".equals(o.getKind()));
        assertThat(page.continueToken()).isNotNull();
        PartialObjectMetadata meta = client.metadata(ResourceType.CONFIG_MAPS).get(ObjectKey.of("default", "b1"));
        assertThat(meta.getMetadata().getName()).isEqualTo("b1");
        configMaps.delete(ObjectKey.of("default", "a"), Deletion.ofUid(updated.getMetadata().getUid()));
        assertThat(org.assertj.core.api.Assertions
                .catchThrowableOfType(KubeApiException.class, () -> configMaps.get(ObjectKey.of("default", "a")))
                .isNotFound())
                .isTrue();
        KubeClient.Discovered found = client.discover();
        assertThat(found.types()).contains(ResourceType.PODS, ResourceType.DEPLOYMENTS, ResourceType.LEASES)
                .doesNotHaveDuplicates();
        assertThat(found.failures()).isEmpty();
    }

    @Test
    void theThreadThatReadsAnEventHandsItToTheHandler() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        InformerMetrics metrics = new InformerMetrics() {
            @Override
            public void processed(Duration took) {
                threads.add(Thread.currentThread().getName());
            }
        };
        AtomicInteger made = new AtomicInteger();
        try (InformerFactory measured = new InformerFactory(client, Clock.system(),
                (type, model, namespace, selector) -> metrics, InformerOptions.defaults())) {
            SharedIndexInformer<V1ConfigMap> informer = measured.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            measured.start(runner);
            Eventually.eventually("it has synced", SOON, informer::hasSynced);
            Eventually.eventually("no other thread changed the cache", SOON, () -> {
                configMaps.create(configMap("a" + made.incrementAndGet(), "1"));
                return threads.stream().anyMatch(thread -> thread.startsWith("watch "));
            });
            ObjectKey last = ObjectKey.of("default", "a" + made.get());
            Eventually.eventually("the last one came", SOON, () -> informer.get(last) != null);
        }
    }

    @Test
    void moreWatchesThanPlatformThreadsAreRead() {
        List<SharedIndexInformer<V1ConfigMap>> informers = IntStream.range(0, 70)
                .mapToObj(i -> factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "default",
                        LabelSelector.parse("number!=" + i), FieldSelector.everything()))
                .toList();
        factory.start(runner);
        Eventually.eventually("all have synced", SOON, factory::hasSynced);
        configMaps.create(configMap("late", "1"));
        ObjectKey late = ObjectKey.of("default", "late");
        Eventually.eventually("all follow", SOON,
                () -> informers.stream().allMatch(informer -> informer.get(late) != null));
    }

    @Test
    void anInformerFollowsTheServerAlsoForAHandlerThatComesLate() {
        for (int i = 0; i < 20; i++) {
            configMaps.create(configMap("a" + i, "1"));
        }
        SharedIndexInformer<V1ConfigMap> informer = factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        assertThat(factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class)).isSameAs(informer);
        Folded early = new Folded();
        SharedIndexInformer.Registration registration = informer.addEventHandler(early);
        factory.start(runner);
        Eventually.eventually("the handler has synced", SOON, registration::hasSynced);
        assertThat(early.values).containsKeys("a0", "a19");

        Folded late = new Folded();
        informer.addEventHandler(late);
        String last = "";
        for (int i = 0; i < 20; i++) {
            V1ConfigMap object = configMaps.get(ObjectKey.of("default", "a" + i));
            object.putDataItem("k", "2");
            last = String.valueOf(configMaps.update(object).getMetadata().getResourceVersion());
        }
        configMaps.delete(ObjectKey.of("default", "a7"), Deletion.unconditional());
        for (Folded handler : List.of(early, late)) {
            Eventually.eventually("every change arrives", SOON, () -> handler.deleted.equals(List.of("a7"))
                    && "2".equals(handler.values.get("a19")) && !handler.values.containsValue("1"));
        }
        assertThat(Long.parseLong(informer.resourceVersion())).isGreaterThan(Long.parseLong(last));
        assertThat(informer.state().lastError()).isNull();
    }

    @Test
    void metadataAndSelectedObjectsHaveInformersOfTheirOwn() {
        configMaps.create(configMap("a", "1"));
        V1ConfigMap labelled = configMap("b", "1");
        labelled.getMetadata().putLabelsItem("app", "web");
        configMaps.create(labelled);
        var metadata = factory.metadata(ResourceType.CONFIG_MAPS);
        var selected = factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "default",
                LabelSelector.of(Map.of("app", "web")), FieldSelector.everything());
        var one = factory.informer(ResourceType.NAMESPACES, V1Namespace.class, "", LabelSelector.everything(),
                FieldSelector.of("metadata.name", "default"));
        factory.start(runner);
        Eventually.eventually("all have synced", SOON, factory::hasSynced);
        assertThat(metadata.getIndexer().list("default")).extracting(o -> o.getMetadata().getName()).contains("a", "b");
        assertThat(selected.getIndexer().list()).extracting(o -> o.getMetadata().getName()).containsExactly("b");
        assertThat(one.getIndexer().list()).hasSize(1);

        // An object that no longer matches leaves the selection, and returns with its label.
        configMaps.patch(ObjectKey.of("default", "b"), "", PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"app\":null}}}");
        Eventually.eventually("it is gone", SOON, () -> selected.getIndexer().size() == 0);
        configMaps.patch(ObjectKey.of("default", "b"), "", PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}");
        Eventually.eventually("it is back", SOON, () -> selected.getIndexer().size() == 1);
        factory.stop(metadata);
        assertThat(factory.states()).hasSize(2);
    }

    @Test
    void threadsDoNotPileUpAndAStopInterruptsAHandlerThatHangs() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) {
            configMaps.create(configMap("a" + i, "1"));
        }
        for (int round = 0; round < 10; round++) {
            LoopRunner own = new LoopRunner("round-" + round, Clock.system());
            try (InformerFactory made = new InformerFactory(client, Clock.system())) {
                SharedIndexInformer<V1ConfigMap> informer = made.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
                informer.addEventHandler(new Folded());
                if (round == 9) {
                    // This handler returns only when it is interrupted.
                    informer.addEventHandler(new Folded() {
                        @Override
                        public void onAdd(V1ConfigMap object, boolean initial) {
                            called.countDown();
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        }
                    });
                }
                made.start(own);
                Eventually.eventually("it has synced", SOON, informer::hasSynced);
                if (round == 9) {
                    Eventually.eventually("the handler hangs", SOON, () -> called.getCount() == 0);
                }
            }
            assertThat(own.close(Duration.ofMinutes(2))).as("threads left in round " + round).isEmpty();
        }
        Eventually.eventually("no thread is left", SOON, () -> {
            assertThat(Thread.getAllStackTraces().keySet()).filteredOn(thread -> !before.contains(thread)
                    && thread.getName().contains("configmaps")).extracting(Thread::getName).isEmpty();
            return true;
        });
    }

    @Test
    void theInProcessClientCarriesAnInformerTheSameWay() {
        try (InformerFactory inProcess = new InformerFactory(server.client("test"), Clock.system())) {
            SharedIndexInformer<V1ConfigMap> informer = inProcess.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            inProcess.start(runner);
            Eventually.eventually("it has synced", SOON, informer::hasSynced);
            configMaps.create(configMap("a", "1"));
            Eventually.eventually("the new object arrives", SOON,
                    () -> informer.get(ObjectKey.of("default", "a")) != null);
        }
    }

    @Test
    void watchListStreamsTheInitialStateWhereTheServerCanDoItAndIsListedElsewhere() {
        configMaps.create(configMap("a", "1"));
        try (InformerFactory streaming = new InformerFactory(client, Clock.system(), InformerMetrics.Provider.NONE,
                InformerOptions.builder().watchList(true).build())) {
            SharedIndexInformer<V1ConfigMap> informer = streaming.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            streaming.start(runner);
            Eventually.eventually("it has synced", SOON, informer::hasSynced);
            assertThat(informer.get(ObjectKey.of("default", "a"))).isNotNull();
        }
    }
}
