package dev.wheelhouse.apiserver.codec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;

import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Writes JSON trees of built-in types as {@code application/vnd.kubernetes.protobuf}: four magic bytes, then an
 * envelope with the kind and the message of the object (upstream:
 * {@code apimachinery/pkg/runtime/serializer/protobuf}). Fields that have no place in the message are lost, so callers
 * first ask {@link ProtobufTypes#covers}.
 */
public final class ProtobufWriter {
    private static final Descriptor ENVELOPE = Runtime.getDescriptor().findMessageTypeByName("Unknown");
    private static final Descriptor WATCH_EVENT = Meta.getDescriptor().findMessageTypeByName("WatchEvent");

    private ProtobufWriter() {}

    /**
     * Writes an object.
     *
     * @param object an object with its kind and apiVersion
     * @throws IllegalArgumentException if there is no message for the kind
     */
    public static byte[] write(ObjectNode object) {
        String apiVersion = Json.text(object, "apiVersion");
        String kind = Json.text(object, "kind");
        Descriptor type = ProtobufTypes.message(apiVersion, kind);
        if (type == null) {
            throw new IllegalArgumentException("there is no protobuf message for " + apiVersion + " " + kind);
        }
        Message envelope = envelope(apiVersion, kind).setField(ENVELOPE.findFieldByName("raw"),
                message(object, ProtobufTypes.schema(apiVersion, kind), type).toByteString()).build();
        ByteArrayOutputStream out = new ByteArrayOutputStream(
                ProtobufBodies.MAGIC.length + envelope.getSerializedSize());
        out.writeBytes(ProtobufBodies.MAGIC);
        out.writeBytes(envelope.toByteArray());
        return out.toByteArray();
    }

    /** Writes a list as {@link #write} does, but item by item, so that only one tree exists at a time. */
    public static Pieces list(ResourceType type, ObjectNode listMeta, List<StoredObject> items,
            Function<StoredObject, ObjectNode> tree) {
        String apiVersion = type.apiVersion();
        String kind = type.kind() + "List";
        ObjectNode empty = Json.object().put("kind", kind).put("apiVersion", apiVersion);
        empty.set("metadata", listMeta);
        Descriptor listType = Objects.requireNonNull(ProtobufTypes.message(apiVersion, kind), kind);
        FieldDescriptor field = listType.findFieldByName("items");
        TypeSchema schema = ProtobufTypes.schema(apiVersion, type.kind());
        Pieces all = new Pieces().add(message(empty, ProtobufTypes.schema(apiVersion, kind), listType).toByteArray());
        for (StoredObject item : items) {
            byte[] bytes = message(tree.apply(item), schema, field.getMessageType()).toByteArray();
            all.add(lengthDelimited(field.getNumber(), bytes.length)).add(bytes);
        }
        return new Pieces().add(ProtobufBodies.MAGIC).add(envelope(apiVersion, kind).build().toByteArray())
                .add(lengthDelimited(ENVELOPE.findFieldByName("raw").getNumber(), Math.toIntExact(all.length())))
                .addAll(all);
    }

    private static DynamicMessage.Builder envelope(String apiVersion, String kind) {
        FieldDescriptor typeMeta = ENVELOPE.findFieldByName("typeMeta");
        Descriptor metaType = typeMeta.getMessageType();
        return DynamicMessage.newBuilder(ENVELOPE).setField(typeMeta, DynamicMessage.newBuilder(metaType)
                .setField(metaType.findFieldByName("apiVersion"), apiVersion)
                .setField(metaType.findFieldByName("kind"), kind).build());
    }

    /** The tag and length that precede the bytes of an embedded message. */
    private static byte[] lengthDelimited(int field, int length) {
        byte[] head = new byte[CodedOutputStream.computeTagSize(field)
                + CodedOutputStream.computeUInt32SizeNoTag(length)];
        CodedOutputStream out = CodedOutputStream.newInstance(head);
        try {
            out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
            out.writeUInt32NoTag(length);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("an array of the right size was too small", e);
        }
        return head;
    }

    /** Writes a frame of a watch: its length in four bytes, then the event with an object from {@link #write}. */
    public static byte[] frame(String event, byte[] object) {
        FieldDescriptor raw = WATCH_EVENT.findFieldByName("object");
        Message message = DynamicMessage.newBuilder(WATCH_EVENT).setField(WATCH_EVENT.findFieldByName("type"), event)
                .setField(raw, bytes(raw.getMessageType(), object)).build();
        int size = message.getSerializedSize();
        return ByteBuffer.allocate(4 + size).putInt(size).put(message.toByteArray()).array();
    }

    private static Message message(ObjectNode object, @Nullable TypeSchema schema, Descriptor type) {
        Map<String, ProtobufTypes.Slot> slots = ProtobufTypes.slots(schema, type);
        Nested root = new Nested(DynamicMessage.newBuilder(type));
        object.properties().forEach(entry -> {
            ProtobufTypes.Slot slot = slots.get(entry.getKey());
            if (slot != null && !entry.getValue().isNull()) {
                Nested holder = root;
                for (FieldDescriptor step : slot.inline()) {
                    holder = holder.at(step);
                }
                set(holder.builder, slot, entry.getValue());
            }
        });
        return root.build();
    }

    /** A message under construction, with its embedded messages. */
    private static final class Nested {
        final DynamicMessage.Builder builder;
        private final Map<FieldDescriptor, Nested> embedded = new HashMap<>();

        Nested(DynamicMessage.Builder builder) {
            this.builder = builder;
        }

        Nested at(FieldDescriptor field) {
            return embedded.computeIfAbsent(field,
                    f -> new Nested(DynamicMessage.newBuilder(f.getMessageType())));
        }

        Message build() {
            embedded.forEach((field, nested) -> builder.setField(field, nested.build()));
            return builder.build();
        }
    }

    private static void set(DynamicMessage.Builder into, ProtobufTypes.Slot slot, JsonNode value) {
        FieldDescriptor field = slot.field();
        if (field.isMapField()) {
            Descriptor entry = field.getMessageType();
            value.properties().forEach(e -> into.addRepeatedField(field, DynamicMessage.newBuilder(entry)
                    .setField(entry.findFieldByNumber(1), e.getKey())
                    .setField(entry.findFieldByNumber(2),
                            value(entry.findFieldByNumber(2), e.getValue(), slot.schema()))
                    .build()));
        } else if (field.isRepeated()) {
            value.forEach(element -> into.addRepeatedField(field, value(field, element, slot.schema())));
        } else {
            into.setField(field, value(field, value, slot.schema()));
        }
    }

    private static Object value(FieldDescriptor field, JsonNode node, @Nullable TypeSchema schema) {
        return switch (field.getJavaType()) {
            case INT -> node.asInt(0);
            case LONG -> node.asLong(0);
            case DOUBLE -> node.asDouble(0);
            case FLOAT -> (float) node.asDouble(0);
            case BOOLEAN -> node.asBoolean(false);
            case BYTE_STRING -> ByteString.copyFrom(Base64.getDecoder().decode(node.asString("")));
            case MESSAGE -> special(field.getMessageType(), node, schema);
            case STRING, ENUM -> node.isString() ? node.stringValue() : node.toString();
        };
    }

    private static Message special(Descriptor type, JsonNode node, @Nullable TypeSchema schema) {
        return switch (type.getName()) {
            case "Time", "MicroTime" -> time(type, node);
            case "Quantity" -> one(type, "string", node.asString(""));
            case "IntOrString" -> node.isNumber()
                    ? DynamicMessage.newBuilder(type).setField(type.findFieldByName("type"), 0L)
                            .setField(type.findFieldByName("intVal"), node.asInt(0)).build()
                    : DynamicMessage.newBuilder(type).setField(type.findFieldByName("type"), 1L)
                            .setField(type.findFieldByName("strVal"), node.asString("")).build();
            case "RawExtension", "FieldsV1", "JSON" -> bytes(type, Json.bytes(node));
            case "ExtraValue", "Verbs" -> texts(type, node);
            case "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray" ->
                either(type, node);
            default -> node instanceof ObjectNode object
                    ? message(object, schema, type)
                    : DynamicMessage.getDefaultInstance(type);
        };
    }

    private static Message either(Descriptor type, JsonNode node) {
        DynamicMessage.Builder either = DynamicMessage.newBuilder(type);
        if (node instanceof ObjectNode schema) {
            FieldDescriptor field = type.findFieldByName("schema");
            either.setField(field, message(schema, ProtobufTypes.JSON_SCHEMA, field.getMessageType()));
            if (type.getName().endsWith("OrBool")) {
                either.setField(ProtobufTypes.alternative(type), true);
            }
            return either.build();
        }
        set(either, new ProtobufTypes.Slot(List.of(), ProtobufTypes.alternative(type), ProtobufTypes.JSON_SCHEMA),
                node);
        return either.build();
    }

    private static Message one(Descriptor type, String field, Object value) {
        return DynamicMessage.newBuilder(type).setField(type.findFieldByName(field), value).build();
    }

    private static Message bytes(Descriptor type, byte[] content) {
        List<FieldDescriptor> fields = type.getFields();
        return DynamicMessage.newBuilder(type).setField(fields.getFirst(), ByteString.copyFrom(content)).build();
    }

    private static Message texts(Descriptor type, JsonNode node) {
        DynamicMessage.Builder list = DynamicMessage.newBuilder(type);
        if (node instanceof ArrayNode array) {
            array.forEach(text -> list.addRepeatedField(type.findFieldByName("items"), text.asString("")));
        }
        return list.build();
    }

    private static Message time(Descriptor type, JsonNode node) {
        Instant instant = OffsetDateTime.parse(node.asString("")).toInstant();
        return DynamicMessage.newBuilder(type).setField(type.findFieldByName("seconds"), instant.getEpochSecond())
                .setField(type.findFieldByName("nanos"), instant.getNano()).build();
    }
}
