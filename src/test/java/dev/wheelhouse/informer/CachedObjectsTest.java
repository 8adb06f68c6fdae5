package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Toleration;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.LastApplied;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Objects from a cache are complete, can be copied and written back, and stay unchanged by that. */
class CachedObjectsTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String APPLIED = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}";

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final KubeClient client = new HttpKubeClient(new ClientBuilder().setBasePath(server.url()).build(),
            Clock.system());
    private final LoopRunner runner = new LoopRunner("cached-objects-test", Clock.system());

    @AfterEach
    void close() {
        runner.close(Duration.ofSeconds(5));
        client.close();
        server.close();
    }

    private InformerFactory factory(InformerOptions.Builder options) {
        return new InformerFactory(client, Clock.system(), Meters.NONE,
                options.detectMutations(true).build());
    }

    private static V1Pod pod(String name) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name(name).putLabelsItem("app", "web")
                .putAnnotationsItem("note", "ü")).spec(new V1PodSpec()
                        .addContainersItem(new V1Container().name("c")
                                .image("i").addEnvItem(new V1EnvVar().name("A").value("1")))
                        .addTolerationsItem(new V1Toleration().key("k").operator("Exists")));
    }

    @Test
    void anObjectThatIsGivenOutSerialisesCompletelyThroughTheOfficialClient() {
        ResourceClient<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class);
        pods.create(pod("a"));
        try (InformerFactory factory = factory(InformerOptions.builder())) {
            SharedIndexInformer<V1Pod> informer = factory.informer(ResourceType.PODS, V1Pod.class);
            factory.start(runner);
            Eventually.eventually("it has synced", SOON, informer::hasSynced);
            pods.create(pod("b"));
            Eventually.eventually("the second came by the watch", SOON, () -> informer.getIndexer().size() == 2);
            for (String name : new String[]{"a", "b"}) {
                V1Pod cached = Objects.requireNonNull(informer.get(ObjectKey.of("default", name)));
                V1Pod live = pods.get(ObjectKey.of("default", name));
                V1Pod throughOfficial = JSON.deserialize(JSON.serialize(cached), V1Pod.class);
                assertThat(ModelJson.tree(throughOfficial)).isEqualTo(ModelJson.tree(live));
                assertThat(cached).isEqualTo(live);
            }
            factory.verifyUnchanged();
        }
    }

    @Test
    void codeThatChangesACopyChangesNeitherTheCacheNorAnotherObject() {
        ResourceClient<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class);
        pods.create(pod("a"));
        pods.create(pod("b"));
        try (InformerFactory factory = factory(InformerOptions.builder())) {
            SharedIndexInformer<V1Pod> informer = factory.informer(ResourceType.PODS, V1Pod.class);
            factory.start(runner);
            Eventually.eventually("it has synced", SOON, informer::hasSynced);
            V1Pod a = Objects.requireNonNull(informer.get(ObjectKey.of("default", "a")));
            V1Pod b = Objects.requireNonNull(informer.get(ObjectKey.of("default", "b")));
            String beforeA = ModelJson.write(a);
            String beforeB = ModelJson.write(b);
            V1Pod copy = ModelJson.copy(a);
            copy.getMetadata().putLabelsItem("app", "changed").getAnnotations().clear();
            copy.getSpec().getContainers().getFirst().image("changed").getEnv().getFirst().value("changed");
            copy.getSpec().getTolerations().clear();
            copy.getSpec().getTolerations().add(new V1Toleration().key("changed"));
            assertThat(ModelJson.write(a)).isEqualTo(beforeA);
            assertThat(ModelJson.write(b)).isEqualTo(beforeB);
            factory.verifyUnchanged();
            // Shared parts of a cached object are unmodifiable.
            assertThatThrownBy(() -> a.getMetadata().getLabels().put("app", "changed"))
                    .isInstanceOf(UnsupportedOperationException.class);
            // The mutation detector finds other changes.
            a.getSpec().setNodeName("changed");
            assertThatThrownBy(factory::verifyUnchanged).hasMessageContaining("pods default/a")
                    .hasMessageContaining("changed");
        }
    }

    private V1ConfigMap applied(String name) {
        V1ConfigMap object = SteppedInformer.configMap(name, "1");
        object.getMetadata().putAnnotationsItem(LastApplied.ANNOTATION, APPLIED).putAnnotationsItem("note", "n");
        return client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(object);
    }

    private String annotationOnServer(String name) {
        return String.valueOf(client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .get(ObjectKey.of("default", name)).getMetadata().getAnnotations().get(LastApplied.ANNOTATION));
    }

    @Test
    void aCachedObjectThatIsPutBackDoesNotLoseTheLastAppliedAnnotation() {
        applied("a");
        ResourceClient<V1ConfigMap> configMaps = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        for (boolean dropped : new boolean[]{false, true}) {
            try (InformerFactory factory = factory(InformerOptions.builder().dropLastApplied(dropped))) {
                SharedIndexInformer<V1ConfigMap> informer = factory.informer(ResourceType.CONFIG_MAPS,
                        V1ConfigMap.class);
                factory.start(runner);
                Eventually.eventually("it has synced", SOON, informer::hasSynced);
                V1ConfigMap cached = Objects.requireNonNull(informer.get(ObjectKey.of("default", "a")));
                Map<String, String> annotations = cached.getMetadata().getAnnotations();
                assertThat(annotations).containsEntry("note", "n").containsEntry(LastApplied.ANNOTATION,
                        dropped ? "" : APPLIED);
                V1ConfigMap copy = ModelJson.copy(cached);
                copy.putDataItem("v", "written by " + dropped);
                V1ConfigMap stored = configMaps.update(copy);
                assertThat(stored.getData()).containsEntry("v", "written by " + dropped);
                assertThat(annotationOnServer("a")).as("dropped: %s", dropped).isEqualTo(APPLIED);
                factory.verifyUnchanged();
            }
        }
    }

    @Test
    void whereTheLastAppliedAnnotationWasLeftOutACreateFromACachedObjectHasNoneAndTheInProcessClientPutsItBackToo() {
        applied("a");
        KubeClient inProcess = server.client("test");
        ResourceClient<V1ConfigMap> configMaps = inProcess.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        V1ConfigMap left = LastApplied.leaveOut(configMaps.get(ObjectKey.of("default", "a")));
        V1ConfigMap other = ModelJson.copy(left);
        other.metadata(new V1ObjectMeta().namespace("default").name("b").annotations(left.getMetadata()
                .getAnnotations()));
        for (KubeClient creating : new KubeClient[]{client, inProcess}) {
            V1ConfigMap made = creating.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(other);
            assertThat(made.getMetadata().getAnnotations()).containsOnlyKeys("note");
            other.getMetadata().setName("c");
        }
        configMaps.update(left);
        assertThat(annotationOnServer("a")).isEqualTo(APPLIED);
    }
}
