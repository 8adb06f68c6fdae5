package dev.wheelhouse.client.decode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.ProtobufTypes;
import dev.wheelhouse.apiserver.codec.ProtobufWriter;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelClassTest;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.SemanticForm;
import dev.wheelhouse.facts.TypeSchema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** The protobuf decoder beside the one of JSON, on the messages of the API server's codec. */
@Isolated
class WireShapeTest {
    private final RandomJson random = new RandomJson(42);
    private final DecoderMemory memory = new DecoderMemory();

    /** A kind and the model of its objects. */
    record Kind(ResourceType type, Class<? extends KubernetesObject> model, TypeSchema schema) {}

    /** Every kind of the facts that has a model. */
    static List<Kind> kinds() throws Exception {
        Map<String, Class<? extends KubernetesObject>> models = new TreeMap<>();
        for (Class<?> model : ModelClassTest.models()) {
            if (KubernetesObject.class.isAssignableFrom(model)) {
                models.put(model.getSimpleName(), model.asSubclass(KubernetesObject.class));
            }
        }
        List<Kind> kinds = new ArrayList<>();
        for (TypeSchema schema : Schemas.all()) {
            for (String kind : schema.kinds()) {
                String apiVersion = kind.substring(0, kind.indexOf(' '));
                int slash = apiVersion.indexOf('/');
                String version = apiVersion.substring(slash + 1);
                ResourceType type = new ResourceType(slash < 0 ? "" : apiVersion.substring(0, slash), version, "things",
                        kind.substring(kind.indexOf(' ') + 1), true);
                String name = version.substring(0, 1).toUpperCase(Locale.ROOT) + version.substring(1) + type.kind();
                models.values().stream().filter(model -> model.getSimpleName().endsWith(name))
                        .filter(model -> ModelClass.of(model).properties().stream()
                                .allMatch(property -> schema.field(property.name()) != null))
                        .findFirst().ifPresent(model -> kinds.add(new Kind(type, model, schema)));
            }
        }
        return kinds;
    }

    /** The official client's own writing tells null from empty. */
    static String text(@Nullable Object object) {
        return ModelJson.write(object) + new JSON().getGson().toJson(object);
    }

    private ObjectNode object(Kind kind) {
        return random.object(kind.schema()).put("kind", kind.type().kind()).put("apiVersion", kind.type().apiVersion());
    }

    @Test
    void everyKindIsReadAsFromJson() throws Exception {
        int compared = 0;
        for (Kind kind : kinds()) {
            ObjectDecoder<?> decoder = ObjectDecoder.of(kind.type(), kind.model(), memory);
            assertThat(decoder.readsProtobuf()).as(kind.toString()).isTrue();
            boolean written = ProtobufTypes.covers(kind.type().apiVersion(), kind.type().kind());
            compared += written ? 1 : 0;
            for (int i = 0; i < 6; i++) {
                ObjectNode json = object(kind);
                Object expected = ModelJson.reader(kind.model()).readValue(ModelJson.writeBytes(json));
                if (written) {
                    byte[] protobuf = ProtobufWriter.write(json);
                    assertEqual(kind, decoder.readAnswer("get", protobuf), expected);
                    assertEqual(kind, decoder.forCaches().readAnswer("get", protobuf), expected);
                }
                assertWritten(kind, decoder, expected);
            }
        }
        assertThat(compared).isGreaterThan(70);
    }

    /** A model is read as it was written, by this decoder and by the codec. */
    @SuppressWarnings("unchecked")
    private static <T extends KubernetesObject> void assertWritten(Kind kind, ObjectDecoder<T> decoder, Object model) {
        byte[] written = decoder.write((T) model);
        assertEqual(kind, decoder.readAnswer("get", written), model);
        ObjectDecoder<T> cached = decoder.forCaches();
        WireEnvelope envelope = WireEnvelope.of(written, 0, written.length);
        T first = cached.decodeWire(written, envelope, key -> null, failure -> fail(failure.toString()));
        assertEqual(kind, cached.decodeWire(written, envelope, key -> first, failure -> fail(failure.toString())),
                model);
        if (ProtobufTypes.covers(kind.type().apiVersion(), kind.type().kind())) {
            assertThat(SemanticForm.of(ProtobufBodies.read(written), kind.type())).as("read by the codec")
                    .isEqualTo(SemanticForm.of(Json.read(ModelJson.writeBytes(model)), kind.type()));
        }
    }

    /** A definition of others may list null among the values of an enumeration. */
    @Test
    void aNullInAListOfAnyJsonIsKept() {
        V1CustomResourceDefinition definition = ModelJson.read("""
                {"metadata":{"name":"a"},"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{
                 "enum":["x",null,1]}}}]}}""", V1CustomResourceDefinition.class);
        ObjectDecoder<V1CustomResourceDefinition> decoder = ObjectDecoder.of(
                ResourceType.CUSTOM_RESOURCE_DEFINITIONS, V1CustomResourceDefinition.class, memory);
        assertThat(decoder.readAnswer("get", decoder.write(definition)).getSpec().getVersions().getFirst().getSchema()
                .getOpenAPIV3Schema().getEnum()).containsExactly("x", null, 1);
    }

    /** Shows the texts from a little before their first difference. */
    private static void assertEqual(Kind kind, @Nullable Object read, Object expected) {
        String one = text(read);
        String other = text(expected);
        int first = Math.max(0, Arrays.mismatch(one.toCharArray(), other.toCharArray()) - 60);
        assertThat(one.substring(first, Math.min(one.length(), first + 160))).as(kind.type().kind())
                .isEqualTo(other.substring(first, Math.min(other.length(), first + 160)));
        assertThat(one).hasSameSizeAs(other);
    }

    @Test
    void brokenBytesAreReadOrRefusedWithASentence() throws Exception {
        ResourceType pods = ResourceType.PODS;
        ObjectDecoder<V1Pod> decoder = ObjectDecoder.of(pods, V1Pod.class, memory).forCaches();
        Kind kind = new Kind(pods, V1Pod.class, Schemas.ofKind("v1", "Pod"));
        java.util.Random wild = new java.util.Random(7);
        int refused = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = ProtobufWriter.write(object(kind));
            if (i % 2 == 0) {
                bytes = Arrays.copyOf(bytes, wild.nextInt(bytes.length));
            }
            for (int n = wild.nextInt(3); n > 0 && bytes.length > 0; n--) {
                bytes[wild.nextInt(bytes.length)] = (byte) wild.nextInt();
            }
            List<DecodeFailure> failures = new ArrayList<>();
            try {
                byte[] read = bytes;
                V1Pod pod = decoder.decodeWire(bytes, WireEnvelope.of(read, 0, read.length), key -> null,
                        failures::add);
                assertThat(pod == null).isEqualTo(failures.size() == 1);
            } catch (WireException e) {
                refused++;
                assertThat(e.problem()).isNotBlank();
            }
            refused += failures.size();
        }
        assertThat(refused).isBetween(1000, 2999);
    }
}
