package dev.wheelhouse.client.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.ProtobufWriter;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Requests and answers in protobuf, and in JSON where one side does not know protobuf. */
class NegotiationTest {
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final String BOTH = PROTOBUF + ",application/json";
    private static final ObjectKey A = ObjectKey.of("default", "a");
    private static final String CONFIG_MAP = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
            + "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"data\":{\"k\":\"v\"}}";

    private final RawServer server = new RawServer((request, out) -> RawServer.send(out, 200, PROTOBUF,
            protobuf(CONFIG_MAP)));
    private final HttpKubeClient client = new HttpKubeClient(server.api(), Clock.system());
    private final ResourceClient<V1ConfigMap> configMaps = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
    private final ListerWatcher<V1ConfigMap> cached = configMaps.listerWatcher("", LabelSelector.everything(),
            FieldSelector.everything());

    NegotiationTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private static byte[] protobuf(String json) {
        return ProtobufWriter.write((ObjectNode) Json.read(json));
    }

    private static V1ConfigMap a() {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("a")).data(Map.of("k", "v"));
    }

    private String options(int request) {
        byte[] body = server.requests.get(request).body().getBytes(StandardCharsets.UTF_8);
        return ProtobufBodies.read(body).toString().replace('"', '\'');
    }

    private String header(int request, String name) {
        return String.valueOf(server.requests.get(request).headers().get(name));
    }

    @Test
    void objectsOfBuiltInTypesAreWrittenAndReadInProtobuf() {
        assertThat(configMaps.get(A).getData()).containsEntry("k", "v");
        assertThat(configMaps.create(a()).getKind()).isEqualTo("ConfigMap");
        assertThat(configMaps.update(a()).getMetadata().getName()).isEqualTo("a");
        assertThat(configMaps.updateStatus(a()).getMetadata().getName()).isEqualTo("a");
        for (int i = 0; i < 4; i++) {
            assertThat(header(i, "accept")).isEqualTo(BOTH);
        }
        for (int i = 1; i < 4; i++) {
            assertThat(header(i, "content-type")).isEqualTo(PROTOBUF);
            assertThat(server.requests.get(i).body()).startsWith("k8s\0").contains("ConfigMap", "default");
        }
    }

    @Test
    void theOptionsOfADeleteAreProtobufForBuiltInTypesAndJsonForMetadataAlone() {
        configMaps.delete(A, new Deletion(3L, "uid-1", "17", "Foreground"));
        configMaps.delete(A, Deletion.unconditional());
        client.metadata(ResourceType.CONFIG_MAPS).delete(A, Deletion.ofUid("uid-1"));
        assertThat(header(0, "accept")).isEqualTo(BOTH);
        assertThat(header(0, "content-type")).isEqualTo(PROTOBUF);
        assertThat(options(0)).isEqualTo("{'kind':'DeleteOptions','apiVersion':'v1','gracePeriodSeconds':3,"
                + "'preconditions':{'uid':'uid-1','resourceVersion':'17'},'propagationPolicy':'Foreground'}");
        assertThat(options(1)).isEqualTo("{'kind':'DeleteOptions','apiVersion':'v1'}");
        assertThat(header(2, "content-type")).startsWith("application/json");
        assertThat(server.requests.get(2).body()).contains("\"uid\":\"uid-1\"");
    }

    @Test
    void anObjectThatWasReadMayBeChanged() {
        V1ConfigMap read = configMaps.get(A);
        read.getData().put("more", "x");
        read.getMetadata().putLabelsItem("app", "web");
        assertThat(configMaps.get(A).getData()).hasSize(1);
    }

    @Test
    void aPatchIsJsonAndItsAnswerProtobuf() {
        assertThat(configMaps.patch(A, "", PatchType.MERGE, "{}").getData()).containsEntry("k", "v");
        assertThat(header(0, "accept")).isEqualTo(BOTH);
        assertThat(header(0, "content-type")).startsWith("application/merge-patch+json");
    }

    /** A Scale is not a Deployment: its fields have other numbers. */
    @Test
    void otherSubresourcesThanTheStatusAreJson() {
        server.answerWith(RawServer.always(200, "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\","
                + "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"spec\":{\"replicas\":3}}"));
        ResourceClient<V1Deployment> deployments = client.resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
        assertThat(deployments.getSubresource(A, "scale").getSpec().getReplicas()).isEqualTo(3);
        assertThat(header(0, "accept")).isEqualTo("application/json");
    }

    @Test
    void aListIsReadInProtobuf() throws Exception {
        server.answerWith((request, out) -> RawServer.send(out, 200, PROTOBUF, protobuf("""
                {"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"next"},
                 "items":[{"metadata":{"name":"a","namespace":"default"},"data":{"k":"v"}},
                          {"metadata":{"namespace":"default"}}, {"metadata":{"name":"b"}}]}""")));
        ListPage<V1ConfigMap> page = cached.list(ListOptions.cached());
        assertThat(page.items()).extracting(o -> o.getMetadata().getName()).containsExactly("a", "b");
        assertThat(page.items().getFirst().getApiVersion()).isEqualTo("v1");
        assertThat(page.items().getFirst().getKind()).isEqualTo("ConfigMap");
        assertThat(page.resourceVersion()).isEqualTo("42");
        assertThat(page.continueToken()).isEqualTo("next");
        assertThat(page.skipped()).singleElement().asString().contains("metadata.name");
        assertThat(header(0, "accept")).isEqualTo(BOTH);
    }

    @Test
    void aWatchIsReadInProtobuf() throws Exception {
        ByteArrayOutputStream events = new ByteArrayOutputStream();
        events.writeBytes(ProtobufWriter.frame("ADDED", protobuf(CONFIG_MAP)));
        events.writeBytes(ProtobufWriter.frame("BOOKMARK", protobuf("""
                {"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7",
                 "annotations":{"k8s.io/initial-events-end":"true"}}}""")));
        events.writeBytes(ProtobufWriter.frame("DELETED", protobuf(CONFIG_MAP)));
        events.writeBytes(ProtobufWriter.frame("ERROR", protobuf("{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                + "\"status\":\"Failure\",\"message\":\"too old\",\"reason\":\"Expired\",\"code\":410}")));
        server.answerWith((request, out) -> RawServer.send(out, 200, PROTOBUF + ";stream=watch", events.toByteArray()));
        try (WatchStream<V1ConfigMap> watch = cached.watch(new WatchOptions("1", false, Duration.ofMinutes(5)))) {
            Duration wait = Duration.ofSeconds(20);
            assertThat(watch.next(wait)).isInstanceOfSatisfying(WatchEvent.Added.class,
                    event -> assertThat(((V1ConfigMap) event.object()).getData()).containsEntry("k", "v"));
            assertThat(watch.next(wait)).isEqualTo(new WatchEvent.Bookmark<V1ConfigMap>("7", true));
            assertThat(watch.next(wait)).isInstanceOf(WatchEvent.Deleted.class);
            assertThat(watch.next(wait)).isInstanceOfSatisfying(WatchEvent.Failed.class,
                    event -> assertThat(event.error().isExpired()).isTrue());
        }
        assertThat(header(0, "accept")).isEqualTo(BOTH);
    }

    @Test
    void metadataOfAnyTypeIsAskedForInProtobuf() throws Exception {
        server.answerWith((request, out) -> RawServer.send(out, 200, PROTOBUF,
                protobuf("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                        + "\"metadata\":{\"resourceVersion\":\"3\"},\"items\":[{\"metadata\":{\"name\":\"w\"}}]}")));
        ListPage<PartialObjectMetadata> page = client
                .metadata(new ResourceType("example.com", "v1", "widgets", "Widget", true))
                .list("", LabelSelector.everything(), FieldSelector.everything(), ListOptions.cached());
        assertThat(page.items()).singleElement().satisfies(item -> {
            assertThat(item.getMetadata().getName()).isEqualTo("w");
            assertThat(item.getKind()).isEqualTo("Widget");
        });
        String form = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        assertThat(header(0, "accept"))
                .isEqualTo(PROTOBUF + form + ",application/json" + form + ",application/json");
    }

    @Test
    void customResourcesAndAClientOfJsonAskForJson() throws Exception {
        server.answerWith(RawServer.always(200, CONFIG_MAP));
        client.resource(new ResourceType("example.com", "v1", "widgets", "ConfigMap", true), Unstructured.class).get(A);
        try (HttpKubeClient json = new HttpKubeClient(server.api(), ContentType.JSON, Clock.system())) {
            json.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(a());
        }
        assertThat(server.requests).allMatch(request -> request.headers().get("accept").equals("application/json"));
        assertThat(header(1, "content-type")).startsWith("application/json");
    }

    @Test
    void aServerMayAnswerInJson() {
        server.answerWith(RawServer.always(200, CONFIG_MAP));
        assertThat(configMaps.get(A).getData()).containsEntry("k", "v");
    }

    @Test
    void aTypeWhoseProtobufIsRefusedIsAskedForInJsonFromThenOn() {
        for (int code : List.of(406, 415)) {
            try (HttpKubeClient another = new HttpKubeClient(server.api(), Clock.system())) {
                server.requests.clear();
                server.answerWith((request, out) -> RawServer.json(out,
                        request.headers().get("accept").contains(PROTOBUF) ? code : 201, "", CONFIG_MAP));
                ResourceClient<V1ConfigMap> maps = another.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
                assertThat(maps.create(a()).getData()).containsEntry("k", "v");
                assertThat(another.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(A).getData()).hasSize(1);
                assertThat(server.requests).extracting(RawServer.Request::method)
                        .containsExactly("POST", "POST", "GET");
                assertThat(header(1, "content-type")).startsWith("application/json");
                assertThat(server.requests.get(1).body()).startsWith("{");
            }
        }
    }

    @Test
    void anErrorInProtobufCarriesTheServersStatus() {
        server.answerWith((request, out) -> RawServer.send(out, 429, PROTOBUF, protobuf("""
                {"kind":"Status","apiVersion":"v1","status":"Failure","message":"slow down","reason":"TooManyRequests",
                 "details":{"retryAfterSeconds":7},"code":429}""")));
        KubeApiException error = catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A));
        assertThat(error.code()).isEqualTo(429);
        assertThat(error.reason()).isEqualTo("TooManyRequests");
        assertThat(error.statusMessage()).isEqualTo("slow down");
        assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void anAnswerThatIsNoProtobufOrOfAnotherKindIsRefusedWithASentence() throws Exception {
        server.answerWith((request, out) -> RawServer.send(out, 200, PROTOBUF, new byte[]{'k', '8', 's', 0, 18, 100}));
        assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)))
                .hasMessageContaining("the bytes end within a value of 100 bytes");
        assertThat(catchThrowableOfType(KubeApiException.class, () -> cached.list(ListOptions.cached()))).isNotNull();
        server.answerWith((request, out) -> RawServer.send(out, 200, PROTOBUF,
                protobuf("{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}")));
        assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)))
                .hasMessageContaining("expected ConfigMap, got Secret");
    }
}
