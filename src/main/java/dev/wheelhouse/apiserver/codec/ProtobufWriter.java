package dev.wheelhouse.apiserver.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.codec.ProtobufTypes.Message;
import dev.wheelhouse.apiserver.codec.ProtobufTypes.Slot;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Shape;
import dev.wheelhouse.runtime.ProtobufOutput;

/**
 * Writes JSON trees of built-in types as {@code application/vnd.kubernetes.protobuf}: four magic bytes, then an
 * envelope with the kind and the message of the object (upstream:
 * {@code apimachinery/pkg/runtime/serializer/protobuf}). Fields that have no place in the message are lost, so callers
 * first ask {@link ProtobufTypes#covers}.
 */
public final class ProtobufWriter {
    /** The numbers of the fields of an envelope, and of the fields of its field with the type. */
    static final int TYPE_META = 1;
    static final int RAW = 2;
    static final int API_VERSION = 1;
    static final int KIND = 2;

    private final ProtobufOutput out = new ProtobufOutput();

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
        Message type = ProtobufTypes.message(apiVersion, kind);
        if (type == null) {
            throw new IllegalArgumentException("there is no protobuf message for " + apiVersion + " " + kind);
        }
        ProtobufWriter writer = new ProtobufWriter();
        writer.message(object, type);
        writer.head(apiVersion, kind, writer.out.size());
        return writer.out.toBytes();
    }

    /** Writes a list as {@link #write} does, but item by item, so that only one tree exists at a time. */
    public static Pieces list(ResourceType type, ObjectNode listMeta, List<StoredObject> items,
            Function<StoredObject, ObjectNode> tree) {
        String apiVersion = type.apiVersion();
        String kind = type.kind() + "List";
        TypeSchema list = Objects.requireNonNull(ProtobufTypes.schema(apiVersion, kind), kind);
        ProtobufWriter meta = new ProtobufWriter();
        ObjectNode empty = Json.object();
        empty.set("metadata", listMeta);
        meta.message(empty, ProtobufTypes.message(list));
        Pieces all = new Pieces().add(meta.out.toBytes());
        TypeSchema.Field field = Objects.requireNonNull(list.field("items"), kind);
        for (StoredObject item : items) {
            ProtobufWriter writer = new ProtobufWriter();
            writer.message(tree.apply(item), ProtobufTypes.message(field.type()));
            writer.out.prefix(field.numbers().getFirst(), writer.out.size());
            all.add(writer.out.toBytes());
        }
        ProtobufWriter head = new ProtobufWriter();
        head.head(apiVersion, kind, Math.toIntExact(all.length()));
        return new Pieces().add(head.out.toBytes()).addAll(all);
    }

    /** Writes the bytes before an object of a length. */
    private void head(String apiVersion, String kind, int length) {
        out.prefix(RAW, length);
        int end = out.size();
        out.text(KIND, kind);
        out.text(API_VERSION, apiVersion);
        out.prefix(TYPE_META, out.size() - end);
        out.put(ProtobufBodies.MAGIC);
    }

    /** Writes a frame of a watch: its length in four bytes, then the event with an object from {@link #write}. */
    public static byte[] frame(String event, byte[] object) {
        ProtobufOutput frame = new ProtobufOutput();
        frame.bytes(1, object);
        frame.prefix(2, frame.size());
        frame.text(1, event);
        frame.put(ByteBuffer.allocate(Integer.BYTES).putInt(frame.size()).array());
        return frame.toBytes();
    }

    private void message(JsonNode object, Message type) {
        type.parts().descendingMap().forEach((number, part) -> {
            int end = out.size();
            switch (part) {
                case Slot slot -> {
                    JsonNode value = object.get(slot.name());
                    if (value != null && !value.isNull()) {
                        field(number, slot, value);
                    }
                }
                case Message struct -> {
                    message(object, struct);
                    if (out.size() > end) {
                        out.prefix(number, out.size() - end);
                    }
                }
            }
        });
    }

    private void field(int number, Slot slot, JsonNode value) {
        switch (slot.shape()) {
            case SINGLE -> element(number, slot, value);
            case LIST -> list(number, slot, value);
            case MAP, MAP_OF_LISTS -> new ArrayList<>(value.properties()).reversed().forEach(entry -> {
                int end = out.size();
                if (slot.shape() == Shape.MAP) {
                    element(2, slot, entry.getValue());
                } else {
                    list(1, slot, entry.getValue());
                    out.prefix(2, out.size() - end);
                }
                out.text(1, entry.getKey());
                out.prefix(number, out.size() - end);
            });
        }
    }

    private void list(int number, Slot slot, JsonNode list) {
        for (int i = list.size() - 1; i >= 0; i--) {
            element(number, slot, list.get(i));
        }
    }

    private void element(int number, Slot slot, JsonNode node) {
        switch (slot.type()) {
            case "string" -> {
                if (slot.format().equals("byte")) {
                    out.bytes(number, Base64.getDecoder().decode(node.asString("")));
                } else {
                    out.text(number, node.isString() ? node.stringValue() : node.toString());
                }
            }
            case "integer" -> out.number(number, slot.format().equals("int32") ? node.asInt(0) : node.asLong(0));
            case "number" -> out.real(number, node.asDouble(0));
            case "boolean" -> out.number(number, node.asBoolean(false) ? 1 : 0);
            default -> {
                TypeSchema type = ProtobufTypes.typeOf(slot);
                Message message = ProtobufTypes.message(type);
                int end = out.size();
                message(type.isObject() ? node : fields(type, message, node), message);
                out.prefix(number, out.size() - end);
            }
        }
    }

    /** The fields of the message that stands for a value which is not an object in JSON. */
    private static ObjectNode fields(TypeSchema type, Message message, JsonNode node) {
        ObjectNode fields = Json.object();
        if (ProtobufTypes.isUnion(message)) {
            fields.set(node.isObject() ? "schema" : "other", node);
            return node.isObject() && message.equals(ProtobufTypes.SCHEMA_OR_TRUTH)
                    ? fields.put("other", true)
                    : fields;
        }
        return switch (String.valueOf(type.scalar())) {
            case "quantity" -> fields.put("text", node.asString(""));
            case "int-or-string" -> node.isNumber()
                    ? fields.put("isText", 0).put("number", node.asInt(0))
                    : fields.put("isText", 1).put("text", node.asString(""));
            case "time", "micro-time" -> {
                OffsetDateTime time = OffsetDateTime.parse(node.asString(""));
                yield fields.put("seconds", time.toEpochSecond()).put("nanos", time.getNano());
            }
            default -> fields.put("json", new String(Json.bytes(node), StandardCharsets.UTF_8));
        };
    }
}
