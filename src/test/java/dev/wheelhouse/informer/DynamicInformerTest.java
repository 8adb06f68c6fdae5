package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Meters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Informers of types without a model class, of metadata only, and of several namespaces. They share one implementation.
 */
class DynamicInformerTest {
    private final Stepper stepper = new Stepper(() -> this.factory.loops());
    private final ApiServer server = new ApiServer(
            ApiServerOptions.defaults().withClock(stepper.clock));
    private final InformerFactory factory = new InformerFactory(server.client("informer"), stepper.clock,
            Meters.NONE, InformerOptions.builder().seed(1).detectMutations(true).build());

    @AfterEach
    void close() {
        factory.verifyUnchanged();
        factory.close();
        server.close();
    }

    @Test
    void aDynamicInformerCachesObjectsOfAnyType() {
        ResourceType widgets = CustomTypes.define(server, "Widget", "widgets");
        ResourceClient<Unstructured> client = server.client("test").resource(widgets, Unstructured.class);
        client.create(CustomTypes.object(widgets, "a",
                Map.of("size", 3, "ratio", 0.5, "on", true, "parts", List.of(Map.of("name", "wheel")))));
        SharedIndexInformer<Unstructured> informer = factory.informer(widgets, Unstructured.class);
        informer.getIndexer().addIndex("size", o -> List.of(String.valueOf(o.getNumber("spec", "size"))));
        stepper.settle();
        Unstructured a = informer.get(ObjectKey.of("default", "a"));
        assertThat(a.getKind()).isEqualTo("Widget");
        assertThat(a.getApiVersion()).isEqualTo("example.com/v1");
        assertThat(a.getMetadata().getUid()).isNotEmpty();
        assertThat(a.getMetadata().getManagedFields()).isNullOrEmpty();
        assertThat(a.getString("spec", "parts", "0", "name")).isEqualTo("wheel");
        assertThat(a.get("spec", "on")).isEqualTo(true);
        assertThat(a.get("spec", "nothing", "there")).isNull();
        assertThat(informer.getIndexer().byIndex("size", "3")).containsExactly(a);
        assertThat(factory.informer(widgets, Unstructured.class)).isSameAs(informer);

        // Change and write a copy; the cached object stays unchanged.
        Unstructured copy = ModelJson.copy(a);
        copy.set("spec", Map.of("size", 4));
        client.update(copy);
        assertThat(a.getNumber("spec", "size")).isEqualTo(3);
        stepper.settle();
        assertThat(informer.getIndexer().byIndex("size", "4")).hasSize(1);
        client.delete(ObjectKey.of("default", "a"), Deletion.unconditional());
        stepper.settle();
        assertThat(informer.getIndexer().size()).isZero();
    }

    @Test
    void theOfficialClientsJsonWritesAndReadsADynamicObjectCompletely() {
        ResourceType widgets = CustomTypes.define(server, "Widget", "widgets");
        server.client("test").resource(widgets, Unstructured.class).create(CustomTypes.object(widgets, "a",
                Map.of("size", 3, "ratio", 0.5, "parts", List.of(Map.of("name", "ü")), "on", true)));
        SharedIndexInformer<Unstructured> informer = factory.informer(widgets, Unstructured.class);
        stepper.settle();
        Unstructured a = informer.get(ObjectKey.of("default", "a"));
        String written = JSON.serialize(a);
        // The official client also writes empty collections and fractions of seconds, but its output is read as an
        // equal object.
        assertThat(ModelJson.write(ModelJson.read(written, Unstructured.class))).isEqualTo(ModelJson.write(a));
        assertThat(ModelJson.write(JSON.deserialize(written, Unstructured.class))).isEqualTo(ModelJson.write(a));
    }

    @Test
    void aTypeThatComesAndGoes() {
        ResourceType widgets = new ResourceType("example.com", "v1", "widgets", "Widget", true);
        SharedIndexInformer<Unstructured> informer = factory.informer(widgets, Unstructured.class);
        stepper.pass(Duration.ofSeconds(5));
        assertThat(informer.hasSynced()).isFalse();
        assertThat(informer.state().reasonNotSynced()).contains("404").contains("widgets.example.com")
                .contains("install its CustomResourceDefinition");
        CustomTypes.define(server, "Widget", "widgets");
        ResourceClient<Unstructured> client = server.client("test").resource(widgets, Unstructured.class);
        client.create(CustomTypes.object(widgets, "a", Map.of("size", 1)));
        stepper.pass(Duration.ofSeconds(60));
        assertThat(informer.hasSynced()).isTrue();
        assertThat(informer.state().lastFailure()).isNull();
        assertThat(informer.getIndexer().size()).isEqualTo(1);

        client.delete(ObjectKey.of("default", "a"), Deletion.unconditional());
        CustomTypes.remove(server, "widgets");
        server.faults().cutWatches();
        stepper.pass(Duration.ofSeconds(60));
        assertThat(informer.getIndexer().size()).isZero();
        assertThat(informer.state().lastFailure()).isNotNull()
                .satisfies(failure -> assertThat(failure.status()).isEqualTo(404));
        assertThat(factory.states()).hasSize(1);

        CustomTypes.define(server, "Widget", "widgets");
        client.create(CustomTypes.object(widgets, "b", Map.of("size", 2)));
        stepper.pass(Duration.ofSeconds(120));
        assertThat(informer.getIndexer().list()).extracting(o -> o.getMetadata().getName()).containsExactly("b");
        assertThat(informer.state().lastFailure()).isNull();
        factory.stop(informer);
        assertThat(factory.states()).isEmpty();
    }

    @Test
    void aCacheHoldsTheSelectedObjectsAloneAndOnlyTheirMetadataIfAskedTo() {
        ResourceClient<V1ConfigMap> client = server.client("test").resource(ResourceType.CONFIG_MAPS,
                V1ConfigMap.class);
        V1ConfigMap web = SteppedInformer.configMap("web", "x");
        web.getMetadata().putLabelsItem("app", "web");
        client.create(web);
        client.create(SteppedInformer.configMap("other", "x"));
        SharedIndexInformer<PartialObjectMetadata> informer = factory.informer(ResourceType.CONFIG_MAPS,
                PartialObjectMetadata.class, "default",
                LabelSelector.of(Map.of("app", "web")), FieldSelector.everything());
        stepper.settle();
        assertThat(informer.getIndexer().list()).singleElement().satisfies(o -> {
            assertThat(o.getMetadata().getName()).isEqualTo("web");
            assertThat(o.getKind()).isEqualTo("ConfigMap");
            assertThat(ModelJson.write(o)).doesNotContain("\"data\"").doesNotContain("managedFields");
        });
    }

    @Test
    void aUserOfTheMetadataOnlySharesTheInformerOfWholeObjectsUnlessItLacksSome() {
        SharedIndexInformer<?> metadata = factory.metadata(ResourceType.CONFIG_MAPS);
        factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "default", LabelSelector.everything(),
                FieldSelector.everything());
        factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "", LabelSelector.of(Map.of("app", "web")),
                FieldSelector.everything());
        factory.informer(ResourceType.CONFIG_MAPS, Unstructured.class).setTransform(o -> o);
        assertThat((Object) factory.metadataOrMore(ResourceType.CONFIG_MAPS)).isSameAs(metadata);
        SharedIndexInformer<?> whole = factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        assertThat((Object) factory.metadataOrMore(ResourceType.CONFIG_MAPS)).isSameAs(whole);
    }

    @Test
    void anInformerOfSeveralNamespacesIsOne() {
        for (String name : List.of("one", "two", "three")) {
            server.client("test").resource(ResourceType.NAMESPACES, V1Namespace.class)
                    .create(new V1Namespace().metadata(new V1ObjectMeta().name(name)));
        }
        ResourceClient<V1ConfigMap> client = server.client("test").resource(ResourceType.CONFIG_MAPS,
                V1ConfigMap.class);
        for (String namespace : List.of("one", "two", "three")) {
            client.create(in(namespace, "a", "1"));
        }
        FieldSelector ours = FieldSelector.parse("metadata.name!=kube-root-ca.crt");
        SharedIndexInformer<V1ConfigMap> informer = factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class,
                Set.of("one", "two"), LabelSelector.everything(), ours);
        SteppedInformer.Told told = new SteppedInformer.Told();
        SharedIndexInformer.Registration registration = informer.addEventHandler(told);
        informer.getIndexer().addIndex("value", o -> List.of(o.getData().get("v")));
        // The informer shares those of the single namespaces.
        assertThat(factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "one", LabelSelector.everything(),
                ours).type()).isEqualTo(informer.type());
        assertThat(factory.states()).hasSize(2);
        server.faults().on("list", "configmaps").times(1).fail(403, "no");
        Stepper.step(factory.loops().getFirst());
        assertThat(informer.state().reasonNotSynced()).contains("403").contains("in namespace ");
        stepper.pass(Duration.ofSeconds(3));
        assertThat(informer.hasSynced()).isTrue();
        assertThat(registration.hasSynced()).isTrue();
        assertThat(told.calls()).containsExactly("+a=1 initial", "+a=1 initial");
        assertThat(informer.getIndexer().list()).hasSize(2);
        assertThat(informer.getIndexer().list("one")).hasSize(1);
        assertThat(informer.getIndexer().list("three")).isEmpty();
        assertThat(informer.getIndexer().byIndex("value", "1")).hasSize(2);
        assertThat(informer.get(ObjectKey.of("two", "a"))).isNotNull();
        client.create(in("two", "b", "2"));
        client.create(in("three", "b", "2"));
        stepper.settle();
        assertThat(told.calls()).containsExactly("+b=2");
        assertThat(informer.getIndexer().indexValues("value")).containsExactlyInAnyOrder("1", "2");
        assertThat(informer.state().objects()).isEqualTo(3);
        assertThat(informer.state().namespace()).isEqualTo("one,two");
        factory.stop(informer);
        assertThat(factory.states()).as("somebody has asked for this namespace alone")
                .extracting(InformerState::namespace).containsExactly("one");
        assertThatThrownBy(() -> factory.informer(ResourceType.NODES, io.kubernetes.client.openapi.models.V1Node.class,
                Set.of("one"), LabelSelector.everything(), ours)).hasMessageContaining("nodes");
    }

    private static V1ConfigMap in(String namespace, String name, String value) {
        V1ConfigMap object = SteppedInformer.configMap(name, value);
        object.getMetadata().setNamespace(namespace);
        return object;
    }
}
