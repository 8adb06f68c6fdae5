package dev.wheelhouse.client.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.ModelMapper;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.Transport;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Shape;
import dev.wheelhouse.runtime.SafeYaml;

import static org.assertj.core.api.Assertions.assertThat;

/** A server of a newer release has fields that no model has. Updates keep them. */
class NewerServerTest {
    private static final String MADE_UP = "madeUpIn137";

    /** A server with one object, which notes the requests. */
    private static final class Newer implements Transport {
        final List<Outgoing> requests = new ArrayList<>();
        JsonNode live;
        boolean mayGet = true;

        Newer(JsonNode live) {
            this.live = live;
        }

        @Override
        public byte[] send(Outgoing request) {
            requests.add(request);
            if (request.method().equals("PUT")) {
                live = ModelJson.tree(request.body(), 0, request.body().length);
            } else if (!request.query().isEmpty()) {
                return list();
            } else if (!mayGet) {
                throw new KubeApiException(request.tried(), 403, "Forbidden", "get is not allowed", null);
            }
            return Json.bytes(live);
        }

        private byte[] list() {
            ObjectNode list = Json.object().put("kind", "List").put("apiVersion", "v1");
            list.putObject("metadata").put("resourceVersion", "7");
            list.putArray("items").add(live);
            return Json.bytes(list);
        }

        @Override
        public <R> R stream(Outgoing request, BodyReader<R> reader) {
            requests.add(request);
            try {
                return reader.read(new ByteArrayInputStream(list()), false);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public <T extends KubernetesObject> WatchStream<T> watch(Outgoing request, ObjectDecoder<T> decoder,
                boolean unhurried) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String server() {
            return "newer";
        }

        @Override
        public void close() {}

        <T extends KubernetesObject> ResourceClient<T> client(ResourceType type, Class<T> model) {
            return new HttpKubeClient(this, ContentType.JSON, new DecoderMemory()).resource(type, model);
        }

        List<String> methods() {
            return requests.stream().map(Outgoing::method).toList();
        }
    }

    /** An update that one of the controllers may make, by the rights of the chart. */
    private record Update(String controller, ResourceType type, String subresource) {
        @Override
        public String toString() {
            return controller + " " + type.groupResource() + (subresource.isEmpty() ? "" : "/" + subresource);
        }
    }

    static Stream<Update> updates() throws IOException {
        JsonNode rights = Json.mapper()
                .valueToTree(SafeYaml.load(Files.readAllBytes(Path.of("helm/wheelhouse/files/rights.yaml"))));
        List<Update> updates = new ArrayList<>();
        rights.properties().forEach(controller -> controller.getValue().path("rules").forEach(rule -> {
            if (Json.texts(rule.path("verbs")).contains("update")) {
                rule.path("apiGroups").forEach(group -> rule.path("resources").forEach(resource -> {
                    String[] parts = resource.asString().split("/");
                    BuiltInResource.all().stream().map(BuiltInResource::type)
                            .filter(type -> type.group().equals(group.asString()) && type.plural().equals(parts[0]))
                            .findFirst()
                            .ifPresent(type -> updates.add(
                                    new Update(controller.getKey(), type, parts.length == 1 ? "" : parts[1])));
                }));
            }
        }));
        return updates.stream().filter(update -> !List.of("finalizers", "scale").contains(update.subresource));
    }

    @Test
    void theTableHasTheUpdatesOfManyControllers() throws IOException {
        assertThat(updates().map(Update::controller).distinct()).hasSizeGreaterThan(20);
        assertThat(updates().map(Update::type).distinct()).hasSizeGreaterThan(15);
    }

    @ParameterizedTest
    @MethodSource("updates")
    void anUpdateKeepsTheFieldsThatNoModelHas(Update update) {
        ResourceType type = update.type;
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        for (int seed = 0; seed < 5; seed++) {
            ObjectNode object = new RandomJson(seed).object(schema);
            object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
            ((ObjectNode) object.path("metadata")).put("resourceVersion", "5").remove("annotations");
            if (type.namespaced()) {
                ((ObjectNode) object.path("metadata")).put("namespace", "default");
            } else {
                ((ObjectNode) object.path("metadata")).remove("namespace");
            }
            int added = addMadeUp(object, schema);
            Newer server = new Newer(object);
            change(server, update, model(type));
            assertThat(count(server.live)).as("seed %s", seed).isEqualTo(added).isGreaterThan(1);
            assertThat(server.live.path("metadata").path("labels").path("touched").asString("")).isEqualTo("yes");
            assertThat(server.methods()).containsExactly("GET", "GET", "PUT");
        }
    }

    @SuppressWarnings("unchecked")
    private static Class<? extends KubernetesObject> model(ResourceType type) {
        return (Class<? extends KubernetesObject>) ModelMapper.getApiTypeClass(type.group(), type.version(),
                type.kind());
    }

    private static <T extends KubernetesObject> void change(Newer server, Update update, Class<T> model) {
        ResourceClient<T> client = server.client(update.type, model);
        T read = ModelJson.copy(client.list("", LabelSelector.everything(), FieldSelector.everything(),
                ListOptions.consistent(0)).items().getFirst());
        read.getMetadata().putLabelsItem("touched", "yes");
        if (update.subresource.isEmpty()) {
            client.update(read);
        } else if (update.subresource.equals("status")) {
            client.updateStatus(read);
        } else {
            client.updateSubresource(read, update.subresource);
        }
    }

    /** Gives each object that has a type a field that the type does not have. */
    private static int addMadeUp(ObjectNode object, TypeSchema type) {
        int added = 1;
        for (TypeSchema.Field field : type.fields().values()) {
            JsonNode value = object.get(field.name());
            if (value == null || field.type().scalar() != null || field.type().fields().isEmpty()) {
                continue;
            }
            if (field.shape() == Shape.SINGLE && value instanceof ObjectNode inner) {
                added += addMadeUp(inner, field.type());
            } else if (field.shape() == Shape.LIST && field.listMapKeys().isEmpty() || field.shape() == Shape.MAP) {
                for (JsonNode element : value) {
                    added += element instanceof ObjectNode inner ? addMadeUp(inner, field.type()) : 0;
                }
            }
        }
        object.put(MADE_UP, "kept");
        return added;
    }

    private static int count(JsonNode node) {
        return (node.has(MADE_UP) ? 1 : 0) + node.valueStream().mapToInt(NewerServerTest::count).sum();
    }

    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private static JsonNode deployment() {
        return Json.read("""
                {"apiVersion": "apps/v1", "kind": "Deployment",
                 "metadata": {"namespace": "default", "name": "web", "resourceVersion": "5",
                  "madeUpIn137": 1, "managedFields": [{"manager": "m"}]},
                 "spec": {"replicas": 2, "paused": true, "madeUpIn137": {}, "selector": {"matchLabels": {"a": "b"}},
                  "template": {"spec": {"containers": [{"name": "gone", "image": "i", "madeUpIn137": 2},
                   {"name": "app", "image": "i", "madeUpIn137": [3]}]}}},
                 "status": {"conditions": [{"type": "Available", "status": "True", "madeUpIn137": 4}]}}""");
    }

    @Test
    void elementsOfListsAreFoundByTheirKeysAndKnownFieldsThatWereRemovedStayRemoved() {
        Newer server = new Newer(deployment());
        ResourceClient<V1Deployment> client = server.client(ResourceType.DEPLOYMENTS, V1Deployment.class);
        V1Deployment read = client.get(WEB);
        read.getSpec().setPaused(null);
        List<V1Container> containers = read.getSpec().getTemplate().getSpec().getContainers();
        containers.remove(0);
        containers.getFirst().setImage("j");
        containers.add(0, new V1Container().name("new").image("k"));
        read.getStatus().getConditions().getFirst().setStatus("False");
        client.update(read);

        JsonNode sent = server.live;
        assertThat(sent.path("metadata").path(MADE_UP).asInt()).isEqualTo(1);
        assertThat(sent.path("metadata").has("managedFields")).isFalse();
        assertThat(sent.path("spec").path(MADE_UP).isObject()).isTrue();
        assertThat(sent.path("spec").has("paused")).isFalse();
        assertThat(sent.path("spec").path("template").path("spec").path("containers")).hasToString(
                "[{\"image\":\"k\",\"name\":\"new\"},{\"image\":\"j\",\"name\":\"app\",\"madeUpIn137\":[3]}]");
        assertThat(sent.path("status").path("conditions")).hasToString(
                "[{\"status\":\"False\",\"type\":\"Available\",\"madeUpIn137\":4}]");
    }

    @Test
    void aServerWhoseFieldsAreAllKnownIsNotAskedBeforeAnUpdateNorIsOneWhoseOtherTypesHaveMore() {
        JsonNode plain = Json.read("""
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "web",
                 "managedFields": [{"manager": "m"}]}, "data": {"madeUpIn137": "x"}}""");
        Newer server = new Newer(plain);
        HttpKubeClient all = new HttpKubeClient(server, ContentType.JSON, new DecoderMemory());
        ResourceClient<V1ConfigMap> maps = all.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        maps.update(maps.get(WEB));
        assertThat(server.methods()).containsExactly("GET", "PUT");

        server.live = Json.read(deployment().toString().replace("\"madeUpIn137\": 1,", "").replace(
                "\"madeUpIn137\":1,", ""));
        all.resource(ResourceType.DEPLOYMENTS, V1Deployment.class).get(WEB);
        server.live = plain;
        server.requests.clear();
        maps.update(maps.get(WEB));
        assertThat(server.methods()).containsExactly("GET", "PUT");
    }

    @Test
    void withoutTheRightToGetTheObjectIsListed() {
        Newer server = new Newer(deployment());
        ResourceClient<V1Deployment> client = server.client(ResourceType.DEPLOYMENTS, V1Deployment.class);
        V1Deployment read = client.get(WEB);
        server.mayGet = false;
        client.update(read);
        assertThat(server.methods()).containsExactly("GET", "GET", "GET", "PUT");
        assertThat(server.requests.get(2).query()).isEqualTo(Map.of("fieldSelector", "metadata.name=web"));
        assertThat(server.live.path("spec").has(MADE_UP)).isTrue();
    }

    @Test
    void unknownFieldsOfProtobufAreMetAsWell() {
        DecoderMemory memory = new DecoderMemory();
        ObjectDecoder<V1ConfigMap> decoder = ObjectDecoder.of(ResourceType.CONFIG_MAPS, V1ConfigMap.class, memory);
        byte[] known = decoder.write(ModelJson.read("{\"metadata\": {\"name\": \"m\"}}", V1ConfigMap.class));
        decoder.readAnswer("get", known);
        assertThat(decoder.isIncomplete()).isFalse();
        decoder.readAnswer("get", withField(known));
        assertThat(decoder.isIncomplete()).isTrue();
    }

    /** The bytes of a message with one more field in its object, of number 137. */
    private static byte[] withField(byte[] message) {
        byte[] field = {(byte) 0xca, 0x08, 1, 'x'};
        int raw = new String(message, StandardCharsets.ISO_8859_1).indexOf("ConfigMap") + "ConfigMap".length();
        assertThat(message[raw]).as("the field with the object").isEqualTo((byte) 0x12);
        int length = message[raw + 1];
        byte[] longer = new byte[message.length + field.length];
        System.arraycopy(message, 0, longer, 0, raw + 2 + length);
        System.arraycopy(field, 0, longer, raw + 2 + length, field.length);
        System.arraycopy(message, raw + 2 + length, longer, raw + 2 + length + field.length,
                message.length - raw - 2 - length);
        longer[raw + 1] += (byte) field.length;
        return longer;
    }
}
