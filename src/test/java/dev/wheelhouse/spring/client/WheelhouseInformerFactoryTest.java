package dev.wheelhouse.spring.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NamespaceList;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.GenericKubernetesApi;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Programs that were written against the official client's informers, with the one line changed that makes the factory.
 */
class WheelhouseInformerFactoryTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final ApiClient api = new ClientBuilder().setBasePath(server.url()).build();
    private final CoreV1Api core = new CoreV1Api(api);
    /** The line that changed: it was {@code new SharedInformerFactory(api)}. */
    private final SharedInformerFactory factory = new WheelhouseInformerFactory(api, Clock.system());

    @AfterEach
    void close() {
        factory.stopAllRegisteredInformers();
        server.close();
    }

    private V1ConfigMap configMap(String namespace, String name, String value) throws ApiException {
        return core.createNamespacedConfigMap(namespace, new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).putLabelsItem("tier", value))
                .putDataItem("k", value)).execute();
    }

    private SharedIndexInformer<V1ConfigMap> configMaps(String namespace) {
        return factory.sharedIndexInformerFor((CallGeneratorParams params) -> core.listNamespacedConfigMap(namespace)
                .fieldSelector("metadata.name!=kube-root-ca.crt").resourceVersion(params.resourceVersion)
                .timeoutSeconds(params.timeoutSeconds).watch(params.watch)
                .buildCall(null), V1ConfigMap.class, V1ConfigMapList.class);
    }

    private static class Heard<T extends io.kubernetes.client.common.KubernetesObject>
            implements
                ResourceEventHandler<T> {
        final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void onAdd(T object) {
            events.add("add " + object.getMetadata().getName());
        }

        @Override
        public void onUpdate(T before, T after) {
            events.add("update " + after.getMetadata().getName());
        }

        @Override
        public void onDelete(T object, boolean finalStateUnknown) {
            events.add("delete " + object.getMetadata().getName());
        }
    }

    @Test
    void theOfficialClientsPublishedInformerExampleRuns() throws Exception {
        // InformerExample of the official client's examples, with what it prints asserted instead
        api.setHttpClient(api.getHttpClient().newBuilder().readTimeout(0, TimeUnit.SECONDS).build());
        SharedIndexInformer<V1Node> nodeInformer = factory.sharedIndexInformerFor(
                (CallGeneratorParams params) -> core.listNode()
                        .resourceVersion(params.resourceVersion)
                        .timeoutSeconds(params.timeoutSeconds)
                        .watch(params.watch)
                        .buildCall(null),
                V1Node.class, V1NodeList.class);
        Heard<V1Node> heard = new Heard<>();
        nodeInformer.addEventHandler(heard);
        factory.startAllRegisteredInformers();
        V1Node nodeToCreate = new V1Node();
        V1ObjectMeta metadata = new V1ObjectMeta();
        metadata.setName("noxu");
        nodeToCreate.setMetadata(metadata);
        core.createNode(nodeToCreate).execute();
        Eventually.eventually("the node is told", SOON, () -> heard.events.contains("add noxu"));
        Lister<V1Node> nodeLister = new Lister<>(nodeInformer.getIndexer());
        V1Node node = nodeLister.get("noxu");
        assertThat(node.getMetadata().getUid()).isNotEmpty();
        assertThat(node.getKind()).isEqualTo("Node");
        assertThat(nodeInformer.hasSynced()).isTrue();
        assertThat(nodeInformer.lastSyncResourceVersion()).isNotEmpty();
        core.deleteNode("noxu").execute();
        Eventually.eventually("the deletion is told", SOON, () -> heard.events.contains("delete noxu"));
        assertThat(nodeLister.list()).isEmpty();
    }

    @Test
    void oneFactoryHoldsInformersOfOneTypeForSeveralNamespacesAndSelectors() throws Exception {
        core.createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name("other"))).execute();
        SharedIndexInformer<V1ConfigMap> here = configMaps("default");
        SharedIndexInformer<V1ConfigMap> there = configMaps("other");
        SharedIndexInformer<V1ConfigMap> front = factory.sharedIndexInformerFor(
                params -> core.listConfigMapForAllNamespaces().labelSelector("tier in (front)").buildCall(null),
                V1ConfigMap.class, V1ConfigMapList.class);
        configMap("default", "a", "front");
        configMap("default", "b", "back");
        configMap("other", "c", "front");
        factory.startAllRegisteredInformers();
        Eventually.eventually("all synced", SOON, () -> ((WheelhouseInformerFactory) factory).hasSynced());
        assertThat(here.getIndexer().listKeys()).containsExactlyInAnyOrder("default/a", "default/b");
        assertThat(there.getIndexer().listKeys()).containsExactly("other/c");
        assertThat(front.getIndexer().listKeys()).containsExactlyInAnyOrder("default/a", "other/c");
        configMap("other", "d", "front");
        Eventually.eventually("both caches follow", SOON,
                () -> front.getIndexer().getByKey("other/d") != null && there.getIndexer().getByKey("other/d") != null);
        assertThat(here.getIndexer().list()).hasSize(2);
    }

    @Test
    void indexersAndListersFindWhatTheyFile() throws Exception {
        SharedIndexInformer<V1ConfigMap> informer = configMaps("default");
        informer.addIndexers(Map.of("value", object -> List.of(object.getData().get("k"))));
        V1ConfigMap a = configMap("default", "a", "x");
        configMap("default", "b", "x");
        configMap("default", "c", "y");
        factory.startAllRegisteredInformers();
        Eventually.eventually("it synced", SOON, informer::hasSynced);
        var indexer = informer.getIndexer();
        assertThat(indexer.indexKeys("value", "x")).containsExactlyInAnyOrder("default/a", "default/b");
        assertThat(indexer.byIndex("value", "y")).singleElement()
                .satisfies(found -> assertThat(found.getMetadata().getName()).isEqualTo("c"));
        assertThat(indexer.index("value", a)).hasSize(2);
        assertThat(indexer.getIndexers()).containsOnlyKeys("namespace", "value");
        assertThat(new Lister<>(indexer, "default").list()).hasSize(3);
        assertThat(new Lister<>(indexer).namespace("default").get("a").getData()).containsEntry("k", "x");
        assertThat(indexer.getByKey("no/such/key")).isNull();
        assertThatThrownBy(() -> indexer.delete(a)).hasMessageContaining("follows the API server");
    }

    /** The decoder shares equal parts between objects, so a setter on one of them would change others. */
    @Test
    void changingWhatACacheHandsOutHarmsNoOtherObject() throws Exception {
        SharedIndexInformer<V1Pod> informer = factory.sharedIndexInformerFor(
                (CallGeneratorParams params) -> core.listPodForAllNamespaces().resourceVersion(params.resourceVersion)
                        .timeoutSeconds(params.timeoutSeconds).watch(params.watch).buildCall(null),
                V1Pod.class, V1PodList.class);
        List<String> handed = new CopyOnWriteArrayList<>();
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1Pod pod) {
                handed.add(pod.getSpec().getContainers().getFirst().getImage());
                pod.getSpec().getContainers().getFirst().setImage("changed by a handler");
            }

            @Override
            public void onUpdate(V1Pod before, V1Pod after) {}

            @Override
            public void onDelete(V1Pod pod, boolean finalStateUnknown) {}
        });
        for (String name : List.of("a", "b", "c")) {
            core.createNamespacedPod("default", new V1Pod().metadata(new V1ObjectMeta().name(name))
                    .spec(new V1PodSpec().addContainersItem(new V1Container().name("c").image("image")))).execute();
        }
        factory.startAllRegisteredInformers();
        Eventually.eventually("it synced", SOON, informer::hasSynced);
        Lister<V1Pod> lister = new Lister<>(informer.getIndexer(), "default");
        lister.get("a").getSpec().getContainers().getFirst().setImage("changed");
        lister.list().forEach(pod -> pod.getSpec().setContainers(List.of()));
        informer.getIndexer().getByKey("default/a").setSpec(null);
        core.createNamespacedPod("default", new V1Pod().metadata(new V1ObjectMeta().name("d"))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("c").image("image")))).execute();
        Eventually.eventually("all were handed over", SOON, () -> handed.size() == 4);
        assertThat(handed).containsOnly("image");
        assertThat(lister.list()).extracting(pod -> pod.getSpec().getContainers().getFirst().getImage())
                .containsExactly("image", "image", "image", "image");
    }

    @Test
    void aTransformIsAppliedBeforeTheCacheAndTheHandlers() throws Exception {
        SharedIndexInformer<V1ConfigMap> informer = configMaps("default");
        Heard<V1ConfigMap> heard = new Heard<>();
        informer.addEventHandler(heard);
        informer.setTransform(object -> {
            V1ConfigMap map = (V1ConfigMap) object;
            if (map.getMetadata().getName().equals("bad")) {
                throw new IllegalArgumentException("not this one");
            }
            map.setData(Map.of());
            return map;
        });
        configMap("default", "listed", "x");
        factory.startAllRegisteredInformers();
        Eventually.eventually("it synced", SOON, informer::hasSynced);
        configMap("default", "bad", "x");
        configMap("default", "watched", "x");
        Eventually.eventually("told", SOON, () -> heard.events.size() == 2);
        assertThat(informer.getIndexer().list()).hasSize(2).allMatch(map -> map.getData().isEmpty());
        assertThat(heard.events).containsExactly("add listed", "add watched");
        assertThatThrownBy(() -> informer.setTransform(object -> object)).hasMessageContaining("set it before");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "renamed", "unnamed", "error", "checked"})
    void aTransformThatFailsInAnyWayLeavesOutThatObjectOnly(String way) throws Exception {
        SharedIndexInformer<V1ConfigMap> informer = configMaps("default");
        Heard<V1ConfigMap> heard = new Heard<>();
        informer.addEventHandler(heard);
        informer.setTransform(object -> {
            V1ConfigMap map = (V1ConfigMap) object;
            return map.getMetadata().getName().startsWith("bad") ? failing(way, map) : map;
        });
        configMap("default", "bad-listed", "x");
        configMap("default", "listed", "x");
        factory.startAllRegisteredInformers();
        Eventually.eventually("it synced", SOON, informer::hasSynced);
        configMap("default", "bad-watched", "x");
        configMap("default", "watched", "x");
        Eventually.eventually("told", SOON, () -> heard.events.equals(List.of("add listed", "add watched")));
        assertThat(informer.getIndexer().list()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "null-value", "error", "checked", "interrupt"})
    void anIndexerThatFailsInAnyWayLeavesOutThatObjectOnly(String way) throws Exception {
        SharedIndexInformer<V1ConfigMap> informer = configMaps("default");
        Heard<V1ConfigMap> heard = new Heard<>();
        informer.addEventHandler(heard);
        informer.addIndexers(Map.of("value", map -> {
            if (map.getMetadata().getName().equals("bad")) {
                V1ConfigMap none = failing(way, map);
                return none == null ? null : Collections.singletonList(null);
            }
            return List.of(map.getData().get("k"));
        }));
        configMap("default", "bad", "x");
        configMap("default", "listed", "x");
        factory.startAllRegisteredInformers();
        configMap("default", "watched", "x");
        Eventually.eventually("told", SOON, () -> heard.events.size() == 3);
        assertThat(informer.getIndexer().list()).hasSize(3);
        assertThat(informer.getIndexer().byIndex("value", "x")).extracting(map -> map.getMetadata().getName())
                .containsExactlyInAnyOrder("listed", "watched");
    }

    @ParameterizedTest
    @ValueSource(strings = {"error", "checked", "interrupt"})
    void aHandlerThatFailsInAnyWayGetsTheNextEvent(String way) throws Exception {
        SharedIndexInformer<V1ConfigMap> informer = configMaps("default");
        Heard<V1ConfigMap> heard = new Heard<>() {
            @Override
            public void onAdd(V1ConfigMap map) {
                super.onAdd(map);
                failing(way, map);
            }
        };
        informer.addEventHandler(heard);
        configMap("default", "listed", "x");
        factory.startAllRegisteredInformers();
        Eventually.eventually("told", SOON, () -> heard.events.contains("add listed"));
        configMap("default", "watched", "x");
        Eventually.eventually("told again", SOON, () -> heard.events.contains("add watched"));
    }

    private static V1ConfigMap failing(String way, V1ConfigMap map) {
        switch (way) {
            case "null" -> {
                return null;
            }
            case "renamed" -> map.getMetadata().setName("another");
            case "unnamed" -> map.setMetadata(null);
            case "error" -> throw new NoClassDefFoundError("as in a broken build");
            case "checked" -> throw WheelhouseInformerFactoryTest
                    .<RuntimeException>sneak(new IOException("as code in Kotlin does"));
            case "interrupt" -> Thread.currentThread().interrupt();
            default -> {
                // The caller returns a list of null.
            }
        }
        return map;
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E sneak(Exception e) throws E {
        throw (E) e;
    }

    @Test
    void handlersOfAResyncPeriodAreToldAgain() throws Exception {
        SharedIndexInformer<V1ConfigMap> informer = configMaps("default");
        Heard<V1ConfigMap> heard = new Heard<>();
        informer.addEventHandlerWithResyncPeriod(heard, 50);
        configMap("default", "a", "x");
        factory.startAllRegisteredInformers();
        Eventually.eventually("told again twice", SOON,
                () -> heard.events.stream().filter("update a"::equals).count() >= 2);
        assertThat(heard.events).first().isEqualTo("add a");
    }

    @Test
    void aGenericApiBecomesAnInformerOfItsType() throws Exception {
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> generic = new GenericKubernetesApi<>(V1ConfigMap.class,
                V1ConfigMapList.class, "", "v1", "configmaps", api);
        SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(generic, V1ConfigMap.class, 0,
                "default");
        assertThat(factory.getExistingSharedIndexInformer(V1ConfigMap.class)).isSameAs(informer);
        factory.startAllRegisteredInformers();
        configMap("default", "a", "x");
        Eventually.eventually("it follows", SOON, () -> informer.getIndexer().getByKey("default/a") != null);
        assertThat(((WheelhouseInformerFactory) factory).states()).singleElement()
                .satisfies(state -> assertThat(state.type().plural()).isEqualTo("configmaps"));
    }

    @Test
    void aListerAndWatcherOfTheOfficialClientDrivesTheEngine() throws Exception {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        ListerWatcher<V1Namespace, V1NamespaceList> source = new ListerWatcher<>() {
            private int lists;

            @Override
            public V1NamespaceList list(CallGeneratorParams params) throws ApiException {
                if (lists++ == 0) {
                    throw new ApiException(500, "not yet");
                }
                return core.listNamespace().resourceVersion(params.resourceVersion).execute();
            }

            @Override
            public Watchable<V1Namespace> watch(CallGeneratorParams params) throws ApiException {
                return Watch.createWatch(api,
                        core.listNamespace().watch(true).resourceVersion(params.resourceVersion)
                                .timeoutSeconds(params.timeoutSeconds).buildCall(null),
                        new com.google.gson.reflect.TypeToken<Watch.Response<V1Namespace>>() {
                        }.getType());
            }
        };
        SharedIndexInformer<V1Namespace> informer = factory.sharedIndexInformerFor(source, V1Namespace.class, 0,
                (type, failure) -> failures.add(failure));
        Heard<V1Namespace> heard = new Heard<>();
        informer.addEventHandler(heard);
        factory.startAllRegisteredInformers();
        Eventually.eventually("it synced", SOON, informer::hasSynced);
        assertThat(failures).isNotEmpty();
        core.createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name("late"))).execute();
        Eventually.eventually("told", SOON, () -> heard.events.contains("add late"));
        assertThat(informer.getIndexer().getByKey("default")).isNotNull();
    }

    @Test
    void aCallToAnotherServerOrOfNoListIsRefused() {
        CoreV1Api elsewhere = new CoreV1Api(new ClientBuilder().setBasePath("http://127.0.0.9:1").build());
        assertThatThrownBy(() -> factory.sharedIndexInformerFor(params -> elsewhere.listNode().buildCall(null),
                V1Node.class, V1NodeList.class)).hasMessageContaining("127.0.0.9:1");
        assertThatThrownBy(() -> factory.sharedIndexInformerFor(params -> core.readNode("a").buildCall(null),
                V1Node.class, V1NodeList.class)).hasMessageContaining("lists no resource type");
    }
}
