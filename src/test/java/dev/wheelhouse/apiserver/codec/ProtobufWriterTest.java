package dev.wheelhouse.apiserver.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FileDescriptor;

import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.V1;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Shape;

import static org.assertj.core.api.Assertions.assertThat;

/** Protobuf keeps what the JSON says, both for the messages of the official client and for the server's own reader. */
@Isolated
class ProtobufWriterTest {
    private static final Logger LOG = Logger.getLogger("com.google.protobuf.GeneratedMessage");
    private static final ObjectNode POD = (ObjectNode) Json.read("""
            {"kind": "Pod", "apiVersion": "v1",
             "metadata": {"name": "p", "labels": {"a": "b"}, "creationTimestamp": "2026-01-02T03:04:05Z",
              "managedFields": [{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
               "fieldsV1": {"f:spec": {}}}]},
             "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}],
              "resources": {"requests": {"cpu": "100m"}},
              "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 3},
              "env": [{"name": "E", "valueFrom": {"configMapKeyRef": {"name": "cm", "key": "k"}}}]}],
              "volumes": [{"name": "v", "secret": {"secretName": "s"}}], "automountServiceAccountToken": false},
             "status": {"phase": "Running"}}""");

    /** Reads protobuf and passes it through JSON text, which does not distinguish small and large integers. */
    private static JsonNode reread(byte[] protobuf) {
        return Json.read(Json.bytes(ProtobufBodies.read(protobuf)));
    }

    /** Silences the warning of each generated message class about its age. */
    @BeforeAll
    static void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @Test
    void theOfficialMessagesReadWhatWasWritten() throws Exception {
        byte[] bytes = ProtobufWriter.write(POD);
        assertThat(Arrays.copyOf(bytes, 4)).containsExactly('k', '8', 's', 0);
        Runtime.Unknown envelope = Runtime.Unknown.parseFrom(ByteBuffer.wrap(bytes, 4, bytes.length - 4));
        assertThat(envelope.getTypeMeta().getKind()).isEqualTo("Pod");
        V1.Pod pod = V1.Pod.parseFrom(envelope.getRaw());
        assertThat(pod.getMetadata().getCreationTimestamp().getSeconds()).isEqualTo(1767323045);
        V1.Container container = pod.getSpec().getContainers(0);
        assertThat(container.getLivenessProbe().getHandler().getHttpGet().getPort().getStrVal()).isEqualTo("http");
        assertThat(container.getResources().getRequestsOrThrow("cpu").getString()).isEqualTo("100m");
        assertThat(container.getEnv(0).getValueFrom().getConfigMapKeyRef().getLocalObjectReference().getName())
                .isEqualTo("cm");
        assertThat(pod.getSpec().getVolumes(0).getVolumeSource().getSecret().getSecretName()).isEqualTo("s");
    }

    @Test
    void metadataAloneIsWritten() throws Exception {
        ObjectNode item = Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        item.set("metadata", POD.get("metadata"));
        ObjectNode list = Json.object().put("kind", "PartialObjectMetadataList").put("apiVersion", "meta.k8s.io/v1");
        list.putObject("metadata").put("resourceVersion", "7");
        list.putArray("items").add(item);

        Meta.PartialObjectMetadataList read = Meta.PartialObjectMetadataList.parseFrom(raw(list));

        assertThat(read.getMetadata().getResourceVersion()).isEqualTo("7");
        assertThat(read.getItemsList()).containsExactly(Meta.PartialObjectMetadata.parseFrom(raw(item)));
        assertThat(read.getItems(0).getMetadata().getLabelsMap()).containsExactly(Map.entry("a", "b"));
    }

    private static ByteString raw(ObjectNode object) throws Exception {
        byte[] bytes = ProtobufWriter.write(object);
        return Runtime.Unknown.parseFrom(ByteBuffer.wrap(bytes, 4, bytes.length - 4)).getRaw();
    }

    @ParameterizedTest
    @ValueSource(strings = {
            """
                    {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "s"}, "data": {"k": "AAEC"}}""",
            """
                    {"kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1",
                     "metadata": {"name": "c"},
                     "spec": {"request": "AAEC", "extra": {"a": ["b", "c"]}}}""",
            """
                    {"kind": "ControllerRevision", "apiVersion": "apps/v1", "metadata": {"name": "r"},
                     "data": {"any": {"thing": [1, "two"]}}, "revision": 7}""",
            """
                    {"kind": "ValidatingWebhookConfiguration", "apiVersion": "admissionregistration.k8s.io/v1",
                     "metadata": {"name": "w"}, "webhooks": [{"name": "a.b.c", "rules": [{"operations": ["CREATE"],
                      "apiGroups": [""], "resources": ["pods"]}]}]}""",
            """
                    {"kind": "ValidatingAdmissionPolicy", "apiVersion": "admissionregistration.k8s.io/v1",
                     "metadata": {"name": "v"}, "spec": {"matchConstraints": {"resourceRules": [{"resourceNames": ["n"],
                      "operations": ["*"], "apiGroups": ["apps"]}]}, "variables": [{"name": "x",
                       "expression": "1"}]}}""",
            """
                    {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": "l"},
                     "spec": {"renewTime": "2026-01-02T03:04:05.000006Z", "leaseTransitions": 0}}"""})
    void whatIsWrittenIsReadBackUnchanged(String json) {
        ObjectNode object = (ObjectNode) Json.read(json);
        assertThat(ProtobufTypes.covers(Json.text(object, "apiVersion"), Json.text(object, "kind"))).isTrue();
        assertThat(reread(ProtobufWriter.write(object))).isEqualTo(object);
    }

    @Test
    void aPodIsReadBackUnchanged() {
        assertThat(reread(ProtobufWriter.write(POD))).isEqualTo(POD);
    }

    /** Schemas have unions, and field names that protobuf does not allow. */
    @Test
    void aCustomResourceDefinitionIsReadBackUnchanged() {
        ObjectNode definition = (ObjectNode) Json
                .read("""
                        {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
                         "metadata": {"name": "ws.e.c"},
                         "spec": {"group": "e.c", "scope": "Namespaced", "names": {"plural": "ws", "kind": "W"},
                          "versions": [
                          {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                           "schema": {"openAPIV3Schema":
                           {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "$ref": "#/r",
                            "properties": {
                            "list": {"type": "array", "maxItems": 0, "items": {"type": "string", "minLength": 0},
                                     "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
                            "map": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}},
                            "open": {"type": "object", "additionalProperties": true, "default": {"a": [1]}},
                            "closed": {"type": "object", "additionalProperties": false},
                            "tuple": {"items": [{"type": "integer"}], "enum": ["a", 1]},
                            "needs": {"dependencies": {"a": ["b"], "c": {"type": "object"}},
                                      "x-kubernetes-validations": [{"rule": "self > 0"}]}}}}}]}}""");
        assertThat(reread(ProtobufWriter.write(definition))).isEqualTo(definition);
    }

    @Test
    void aZeroThatUpstreamWouldPointToIsKept() {
        String deployment = """
                {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "d"}, "spec": {"replicas": 0}}""";
        assertThat(reread(ProtobufWriter.write((ObjectNode) Json.read(deployment)))).isEqualTo(Json.read(deployment));
        String options = """
                {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "orphanDependents": false}""";
        assertThat(reread(ProtobufWriter.write((ObjectNode) Json.read(options)))).isEqualTo(Json.read(options));
    }

    @Test
    void aWatchEventIsFramedByItsLength() throws Exception {
        ByteBuffer frame = ByteBuffer.wrap(ProtobufWriter.frame("ADDED", ProtobufWriter.write(POD)));
        assertThat(frame.getInt()).isEqualTo(frame.remaining());
        Meta.WatchEvent event = Meta.WatchEvent.parseFrom(frame);
        assertThat(event.getType()).isEqualTo("ADDED");
        assertThat(reread(event.getObject().getRaw().toByteArray())).isEqualTo(POD);
    }

    /** The official client has the messages of most kinds, but not each of their fields. */
    @Test
    void everyFieldHasTheNumberAndTheTypeThatItHasInTheOfficialMessages() throws Exception {
        Map<String, Descriptor> compared = new HashMap<>();
        for (TypeSchema schema : Schemas.all()) {
            for (String kind : schema.kinds()) {
                Descriptor official = official(kind);
                if (official != null) {
                    compare(schema, official, compared);
                }
            }
        }
        assertThat(compared).hasSizeGreaterThan(500);
    }

    private static @Nullable Descriptor official(String kind) throws ReflectiveOperationException {
        Matcher name = Pattern.compile("(?:([a-z0-9]+)[a-z0-9.]*/)?(\\w)(\\w*) (\\w+)").matcher(kind);
        assertThat(name.matches()).as(kind).isTrue();
        String group = name.group(1) == null ? "" : name.group(1);
        try {
            Object file = Class.forName("io.kubernetes.client.proto." + name.group(2).toUpperCase(Locale.ROOT)
                    + name.group(3) + (group.isEmpty()
                            ? ""
                            : group.substring(0, 1).toUpperCase(Locale.ROOT) + group.substring(1)))
                    .getMethod("getDescriptor").invoke(null);
            return ((FileDescriptor) file).findMessageTypeByName(name.group(4));
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static void compare(TypeSchema schema, Descriptor official, Map<String, Descriptor> compared) {
        if (compared.put(schema.name(), official) != null) {
            return;
        }
        for (TypeSchema.Field field : schema.fields().values()) {
            Descriptor message = official;
            FieldDescriptor found = null;
            for (int number : field.numbers()) {
                found = message == null ? null : message.findFieldByNumber(number);
                message = found == null || found.getJavaType() != JavaType.MESSAGE ? null : found.getMessageType();
            }
            if (found != null) {
                assertThat(found.getName()).as(schema.name())
                        .isEqualToIgnoringCase(field.name().replaceAll("[$-]", ""));
                FieldDescriptor value = found.isMapField() ? found.getMessageType().findFieldByNumber(2) : found;
                assertThat(value.getJavaType()).as(schema.name() + "." + field.name())
                        .isEqualTo(switch (field.typeName()) {
                            case "string" -> field.format().equals("byte")
                                    ? JavaType.BYTE_STRING
                                    : field.shape() == Shape.MAP_OF_LISTS ? JavaType.MESSAGE : JavaType.STRING;
                            case "integer" -> field.format().equals("int32") ? JavaType.INT : JavaType.LONG;
                            case "number" -> JavaType.DOUBLE;
                            case "boolean" -> JavaType.BOOLEAN;
                            default -> JavaType.MESSAGE;
                        });
                if (field.type().isObject()) {
                    compare(field.type(), value.getMessageType(), compared);
                }
            }
        }
    }

    @Test
    void kindsWithoutAMessageAreNotWritten() {
        assertThat(List.of("Pod", "PodList", "Secret", "Status"))
                .allMatch(kind -> ProtobufTypes.covers("v1", kind));
        assertThat(ProtobufTypes.covers("apiregistration.k8s.io/v1", "APIService")).isTrue();
        assertThat(ProtobufTypes.covers("example.com/v1", "Widget")).isFalse();
    }
}
