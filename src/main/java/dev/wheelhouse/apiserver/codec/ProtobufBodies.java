package dev.wheelhouse.apiserver.codec;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;

import io.kubernetes.client.proto.Runtime;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Reads {@code application/vnd.kubernetes.protobuf} bodies, which kubectl's typed commands send, into JSON trees
 * (upstream: {@code apimachinery/pkg/runtime/serializer/protobuf}). The message descriptors are those of the official
 * client.
 */
public final class ProtobufBodies {
    public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";
    static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");
    private static final long ZERO_TIME = -62135596800L;

    private ProtobufBodies() {}

    /** @throws ApiException 400 if the bytes are not a protobuf object, 415 if its type is unknown */
    public static ObjectNode read(byte[] body) {
        if (body.length < MAGIC.length || !Arrays.equals(body, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw Errors.badRequest("the body does not begin as a Kubernetes protobuf object does");
        }
        try {
            Message envelope = DynamicMessage.parseFrom(Runtime.getDescriptor().findMessageTypeByName("Unknown"),
                    ByteString.copyFrom(body, MAGIC.length, body.length - MAGIC.length));
            Message typeMeta = (Message) get(envelope, "typeMeta");
            String apiVersion = String.valueOf(get(typeMeta, "apiVersion"));
            String kind = String.valueOf(get(typeMeta, "kind"));
            Descriptor type = ProtobufTypes.message(apiVersion, kind);
            if (type == null) {
                throw Errors.unsupportedMediaType("the server cannot read " + apiVersion + " " + kind
                        + " as protobuf: send application/json");
            }
            ObjectNode object = Json.object().put("kind", kind).put("apiVersion", apiVersion);
            fields(DynamicMessage.parseFrom(type, (ByteString) get(envelope, "raw")),
                    ProtobufTypes.schema(apiVersion, kind),
                    object);
            return object;
        } catch (InvalidProtocolBufferException e) {
            throw Errors.badRequest("the body is no protobuf object: " + e.getMessage());
        }
    }

    private static void fields(Message message, @Nullable TypeSchema schema, ObjectNode into) {
        message.getAllFields().forEach((field, value) -> {
            String name = ProtobufTypes.jsonName(schema, field);
            TypeSchema.Field known = schema == null ? null : schema.field(name);
            if (schema != null && known == null && value instanceof Message inline && !field.isRepeated()) {
                fields(inline, schema, into);
                return;
            }
            TypeSchema type = known == null ? null : Schemas.ofName(known.typeName());
            JsonNode node = field.isMapField()
                    ? map(message, field, type)
                    : field.isRepeated() ? list(message, field, type) : value(field, value, known, type);
            if (node != null) {
                into.set(name, node);
            }
        });
    }

    private static ArrayNode list(Message message, FieldDescriptor field, @Nullable TypeSchema type) {
        ArrayNode list = Json.array();
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
            JsonNode node = scalarOrMessage(field, message.getRepeatedField(field, i), type);
            if (node != null) {
                list.add(node);
            }
        }
        return list;
    }

    private static ObjectNode map(Message message, FieldDescriptor field, @Nullable TypeSchema type) {
        ObjectNode map = Json.object();
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
            Message entry = (Message) message.getRepeatedField(field, i);
            JsonNode node = scalarOrMessage(value, entry.getField(value), type);
            if (node != null) {
                map.set(String.valueOf(entry.getField(key)), node);
            }
        }
        return map;
    }

    /**
     * The value of a single field; null for a zero value that stands for an absent field. It does if the Go type holds
     * the field by value, not by pointer.
     */
    private static @Nullable JsonNode value(FieldDescriptor field, Object value, TypeSchema.@Nullable Field known,
            @Nullable TypeSchema type) {
        boolean zero = value instanceof String s && s.isEmpty() || value instanceof Number n && n.doubleValue() == 0
                || value instanceof Boolean b && !b;
        return zero && (known == null || !known.pointer()) ? null : scalarOrMessage(field, value, type);
    }

    private static @Nullable JsonNode scalarOrMessage(FieldDescriptor field, Object value,
            @Nullable TypeSchema type) {
        return value instanceof Message message
                ? message(message, type)
                : value instanceof ByteString bytes
                        ? Json.mapper().valueToTree(Base64.getEncoder().encodeToString(bytes.toByteArray()))
                        : Json.mapper().valueToTree(value);
    }

    private static @Nullable JsonNode message(Message message, @Nullable TypeSchema type) {
        String name = message.getDescriptorForType().getName();
        return switch (name) {
            case "Time", "MicroTime" -> time(message, name.equals("MicroTime"));
            case "Quantity" -> Json.mapper().valueToTree(get(message, "string"));
            case "IntOrString" -> ((Number) get(message, "type")).intValue() == 0
                    ? Json.mapper().valueToTree(get(message, "intVal"))
                    : Json.mapper().valueToTree(get(message, "strVal"));
            case "RawExtension", "FieldsV1", "JSON" -> raw(message);
            case "ExtraValue", "Verbs" -> list(message,
                    message.getDescriptorForType().findFieldByName("items"), null);
            case "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray" -> either(message);
            default -> {
                ObjectNode object = Json.object();
                fields(message, type, object);
                yield object;
            }
        };
    }

    /** Reads a union of a schema and another type, which has a protobuf field for each. */
    private static JsonNode either(Message message) {
        Descriptor type = message.getDescriptorForType();
        if (message.hasField(type.findFieldByName("schema"))) {
            ObjectNode schema = Json.object();
            fields((Message) get(message, "schema"), ProtobufTypes.JSON_SCHEMA, schema);
            return schema;
        }
        FieldDescriptor other = ProtobufTypes.alternative(type);
        return other.isRepeated()
                ? list(message, other, ProtobufTypes.JSON_SCHEMA)
                : Json.mapper().valueToTree(message.getField(other));
    }

    private static Object get(Message message, String field) {
        return message.getField(message.getDescriptorForType().findFieldByName(field));
    }

    private static @Nullable JsonNode time(Message message, boolean micros) {
        long seconds = (Long) get(message, "seconds");
        if (seconds == ZERO_TIME || message.getAllFields().isEmpty()) {
            return null;
        }
        Instant instant = Instant.ofEpochSecond(seconds, micros ? (Integer) get(message, "nanos") : 0);
        return Json.mapper().valueToTree(micros
                ? instant.atOffset(ZoneOffset.UTC)
                        .format(MICROS)
                : instant.toString());
    }

    private static @Nullable JsonNode raw(Message message) {
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            if (field.getValue() instanceof ByteString bytes && !bytes.isEmpty()) {
                return Json.read(bytes.toString(StandardCharsets.UTF_8));
            }
        }
        return null;
    }
}
