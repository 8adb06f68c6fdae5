package dev.wheelhouse.apiserver.codec;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.codec.ProtobufTypes.Message;
import dev.wheelhouse.apiserver.codec.ProtobufTypes.Slot;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Surrogates;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Shape;

/**
 * Reads {@code application/vnd.kubernetes.protobuf} bodies, which kubectl's typed commands send, into JSON trees
 * (upstream: {@code apimachinery/pkg/runtime/serializer/protobuf}).
 */
public final class ProtobufBodies {
    public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";
    static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");
    private static final long ZERO_TIME = -62135596800L;
    /** Messages that are nested deeper are refused, so that no body overflows the stack. */
    private static final int DEEPEST = 100;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final CodedInputStream in;
    private int depth;

    private ProtobufBodies(CodedInputStream in) {
        this.in = in;
    }

    /** Reads a body in any of the three encodings. @throws ApiException as {@link #read} and {@link Yaml} do */
    public static JsonNode tree(String media, byte[] body) {
        return media.startsWith(MEDIA_TYPE)
                ? read(body)
                : media.contains("yaml")
                        ? Yaml.read(body, Errors::badRequest).value()
                        : Json.read(Surrogates.paired(body));
    }

    /** @throws ApiException 400 if the bytes are not a protobuf object, 415 if its type is unknown */
    public static ObjectNode read(byte[] body) {
        if (body.length < MAGIC.length || !Arrays.equals(body, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw Errors.badRequest("the body does not begin as a Kubernetes protobuf object does");
        }
        try {
            String apiVersion = "";
            String kind = "";
            byte[] raw = {};
            CodedInputStream envelope = CodedInputStream.newInstance(body, MAGIC.length, body.length - MAGIC.length);
            for (int tag = envelope.readTag(); tag != 0; tag = envelope.readTag()) {
                switch (tag) {
                    case ProtobufWriter.TYPE_META << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED -> {
                        int limit = envelope.pushLimit(envelope.readRawVarint32());
                        for (int inner = envelope.readTag(); inner != 0; inner = envelope.readTag()) {
                            switch (inner) {
                                case ProtobufWriter.API_VERSION << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED ->
                                    apiVersion = envelope.readString();
                                case ProtobufWriter.KIND << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED ->
                                    kind = envelope.readString();
                                default -> skip(envelope, inner);
                            }
                        }
                        envelope.popLimit(limit);
                    }
                    case ProtobufWriter.RAW << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED ->
                        raw = envelope.readByteArray();
                    default -> skip(envelope, tag);
                }
            }
            TypeSchema type = ProtobufTypes.schema(apiVersion, kind);
            if (type == null) {
                throw Errors.unsupportedMediaType("the server cannot read " + apiVersion + " " + kind
                        + " as protobuf: send application/json");
            }
            return new ProtobufBodies(CodedInputStream.newInstance(raw))
                    .fields(ProtobufTypes.message(type), Json.object().put("kind", kind).put("apiVersion", apiVersion));
        } catch (IOException | DateTimeException e) {
            throw Errors.badRequest("the body is no protobuf object: " + e.getMessage());
        }
    }

    private static void skip(CodedInputStream in, int tag) throws IOException {
        if (!in.skipField(tag)) {
            throw new InvalidProtocolBufferException("a group ends that did not begin");
        }
    }

    /** Reads the fields up to the end of the message. Fields that the type does not have are left out. */
    private ObjectNode fields(Message type, ObjectNode into) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            int wireType = WireFormat.getTagWireType(tag);
            switch (type.parts().get(WireFormat.getTagFieldNumber(tag))) {
                case Message struct when wireType == WireFormat.WIRETYPE_LENGTH_DELIMITED -> message(struct, into);
                case Slot slot when wireType == wireType(slot) -> set(into, slot);
                case Slot slot when wireType == WireFormat.WIRETYPE_LENGTH_DELIMITED && slot.shape() == Shape.LIST -> {
                    int limit = in.pushLimit(in.readRawVarint32());
                    while (!in.isAtEnd()) {
                        set(into, slot);
                    }
                    in.popLimit(limit);
                }
                case null, default -> skip(in, tag);
            }
        }
        return into;
    }

    private ObjectNode message(Message type, ObjectNode into) throws IOException {
        int limit = in.pushLimit(in.readRawVarint32());
        if (++depth > DEEPEST) {
            throw new InvalidProtocolBufferException("it is nested deeper than " + DEEPEST + " messages");
        }
        fields(type, into);
        depth--;
        in.popLimit(limit);
        return into;
    }

    private static int wireType(Slot slot) {
        boolean isMap = slot.shape() == Shape.MAP || slot.shape() == Shape.MAP_OF_LISTS;
        return switch (isMap ? "" : slot.type()) {
            case "integer", "boolean" -> WireFormat.WIRETYPE_VARINT;
            case "number" -> WireFormat.WIRETYPE_FIXED64;
            default -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
        };
    }

    /**
     * Reads one value, element or entry. A zero value stands for an absent field if the Go type holds the field by
     * value, not by pointer.
     */
    private void set(ObjectNode into, Slot slot) throws IOException {
        JsonNode before = into.get(slot.name());
        switch (slot.shape()) {
            case SINGLE -> {
                JsonNode value = value(slot, before);
                if (value != null && (slot.keepsZero() || !isZero(slot, value))) {
                    into.set(slot.name(), value);
                }
            }
            case LIST -> {
                JsonNode value = value(slot, null);
                if (value != null) {
                    (before instanceof ArrayNode list ? list : into.putArray(slot.name())).add(value);
                }
            }
            case MAP, MAP_OF_LISTS -> {
                ObjectNode entry = message(ProtobufTypes.entry(slot), Json.object());
                ObjectNode map = before instanceof ObjectNode known ? known : into.putObject(slot.name());
                JsonNode value = entry.get("value");
                map.set(Json.text(entry, "key"), value != null ? value : absent(slot));
            }
        }
    }

    private static boolean isZero(Slot slot, JsonNode value) {
        return switch (slot.type()) {
            case "string" -> slot.format().isEmpty() && value.stringValue().isEmpty();
            case "integer", "number" -> value.doubleValue() == 0;
            case "boolean" -> !value.booleanValue();
            default -> false;
        };
    }

    /** The value of a map's entry that has none. */
    private static JsonNode absent(Slot map) {
        TypeSchema type = Schemas.ofName(map.type());
        return map.shape() == Shape.MAP_OF_LISTS
                ? Json.array()
                : type != null && type.isObject() ? Json.object() : NODES.stringNode("");
    }

    /** @param before the value that came earlier in the message, to which the fields of an object are added */
    private @Nullable JsonNode value(Slot slot, @Nullable JsonNode before) throws IOException {
        return switch (slot.type()) {
            case "string" -> NODES.stringNode(slot.format().equals("byte")
                    ? Base64.getEncoder().encodeToString(in.readByteArray())
                    : in.readString());
            case "integer" -> slot.format().equals("int32")
                    ? NODES.numberNode(in.readInt32())
                    : NODES.numberNode(in.readInt64());
            case "number" -> NODES.numberNode(in.readDouble());
            case "boolean" -> NODES.booleanNode(in.readBool());
            default -> {
                TypeSchema type = ProtobufTypes.typeOf(slot);
                Message message = ProtobufTypes.message(type);
                if (type.isObject()) {
                    yield message(message, before instanceof ObjectNode known ? known : Json.object());
                }
                ObjectNode read = message(message, Json.object());
                yield ProtobufTypes.isUnion(message) ? either(message, read) : scalar(type, read);
            }
        };
    }

    /** The JSON of a message that stands for a value which is not an object in JSON; null for no value. */
    private static @Nullable JsonNode scalar(TypeSchema type, ObjectNode read) {
        return switch (String.valueOf(type.scalar())) {
            case "quantity" -> NODES.stringNode(Json.text(read, "text"));
            case "int-or-string" -> read.path("isText").asInt(0) == 0
                    ? NODES.numberNode(read.path("number").asInt(0))
                    : NODES.stringNode(Json.text(read, "text"));
            case "time", "micro-time" -> time(read, "micro-time".equals(type.scalar()));
            default -> {
                String json = Json.text(read, "json");
                yield json.isEmpty() ? null : Json.read(json);
            }
        };
    }

    /** A schema or another type, in the schema of a custom resource. */
    private static JsonNode either(Message union, ObjectNode read) {
        JsonNode schema = read.get("schema");
        JsonNode other = read.get("other");
        return schema != null
                ? schema
                : other != null
                        ? other
                        : union.equals(ProtobufTypes.SCHEMA_OR_TRUTH) ? NODES.booleanNode(false) : Json.array();
    }

    private static @Nullable JsonNode time(ObjectNode read, boolean micros) {
        long seconds = read.path("seconds").asLong(0);
        if (seconds == ZERO_TIME || read.isEmpty()) {
            return null;
        }
        Instant instant = Instant.ofEpochSecond(seconds, micros ? read.path("nanos").asLong(0) : 0);
        return NODES.stringNode(micros ? instant.atOffset(ZoneOffset.UTC).format(MICROS) : instant.toString());
    }
}
