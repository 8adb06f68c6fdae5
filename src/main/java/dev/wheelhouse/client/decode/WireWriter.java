package dev.wheelhouse.client.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;

import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Writes one model as a protobuf object. It writes from the last byte to the first, so that the length of a message is
 * known when the bytes before it are written. Not thread safe.
 */
final class WireWriter {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final DecoderMemory memory;
    private byte[] bytes = new byte[2048];
    /** The index of the first byte that is written. */
    private int at = bytes.length;

    WireWriter(DecoderMemory memory) {
        this.memory = memory;
    }

    /**
     * Writes an object in its envelope.
     *
     * @param typeName the facts' name of its type
     */
    byte[] write(Object object, String apiVersion, String kind, String typeName) {
        message(object, typeName);
        prefix(WireEnvelope.RAW, size());
        int end = size();
        text(WireEnvelope.KIND, kind);
        text(WireEnvelope.API_VERSION, apiVersion);
        prefix(WireEnvelope.TYPE_META, size() - end);
        put(WireEnvelope.MAGIC);
        return Arrays.copyOfRange(bytes, at, bytes.length);
    }

    private int size() {
        return bytes.length - at;
    }

    private void message(Object model, String typeName) {
        fields(model, memory.wireShape(model.getClass(), typeName).fields());
    }

    private void fields(Object model, WireShape.@Nullable Field[] fields) {
        for (int number = fields.length - 1; number > 0; number--) {
            int end = size();
            if (fields[number] instanceof WireShape.Slot slot) {
                Object value = slot.property.get(model);
                if (value != null) {
                    value(number, slot.facts, value);
                }
            } else if (fields[number] instanceof WireShape.Embedded struct) {
                fields(model, struct.fields);
                if (size() > end) {
                    prefix(number, size() - end);
                }
            }
        }
    }

    private void value(int number, TypeSchema.Field field, Object value) {
        switch (field.shape()) {
            case SINGLE -> element(number, field.type(), value);
            case LIST -> list(number, field.type(), value);
            case MAP, MAP_OF_LISTS -> new ArrayList<>(((Map<?, ?>) value).entrySet()).reversed().forEach(entry -> {
                int end = size();
                if (field.shape() == TypeSchema.Shape.MAP) {
                    element(2, field.type(), entry.getValue());
                } else {
                    list(1, field.type(), entry.getValue());
                    prefix(2, size() - end);
                }
                text(1, entry.getKey().toString());
                prefix(number, size() - end);
            });
        }
    }

    private void list(int number, TypeSchema type, Object list) {
        ((List<?>) list).reversed().forEach(element -> element(number, type, element));
    }

    private void element(int number, TypeSchema type, Object value) {
        int end = size();
        if (type.isObject()) {
            if (!type.fields().isEmpty()) {
                message(value, type.name());
            }
            prefix(number, size() - end);
            return;
        }
        if ("any".equals(type.scalar()) || "raw-object".equals(type.scalar())) {
            any(type.name(), value);
            prefix(number, size() - end);
            return;
        }
        switch (value) {
            case String text -> text(number, text);
            case Boolean truth -> number(number, truth ? 1 : 0);
            case Double real -> {
                reserve(Long.BYTES);
                at -= Long.BYTES;
                LONGS.set(bytes, at, Double.doubleToLongBits(real));
                varint((long) number << 3 | WireCursor.FIXED64);
            }
            case Number whole -> number(number, whole.longValue());
            case byte[] raw -> {
                put(raw);
                prefix(number, raw.length);
            }
            case OffsetDateTime time -> {
                if ("micro-time".equals(type.scalar())) {
                    number(2, time.getNano() / 1000 * 1000L);
                }
                number(1, time.toEpochSecond());
                prefix(number, size() - end);
            }
            case Quantity quantity -> {
                text(1, BoundedQuantity.text(quantity));
                prefix(number, size() - end);
            }
            case IntOrString either -> {
                if (either.isInteger()) {
                    number(2, either.getIntValue());
                } else {
                    text(3, either.getStrValue());
                }
                number(1, either.isInteger() ? 0 : 1);
                prefix(number, size() - end);
            }
            default -> throw new IllegalArgumentException("no protobuf of " + value.getClass() + " for " + type.name());
        }
    }

    /** Writes any JSON; or in a schema, another schema or its alternative. */
    private void any(String typeName, Object value) {
        int or = typeName.indexOf("Or", typeName.lastIndexOf('.'));
        boolean orTruth = typeName.endsWith("OrBool");
        if (!typeName.contains("JSONSchemaPropsOr")) {
            byte[] json = ModelJson.writeBytes(value);
            put(json);
            prefix(1, json.length);
        } else if (value instanceof Boolean truth) {
            number(1, truth ? 1 : 0);
        } else if (value instanceof List<?> list) {
            list.reversed().forEach(element -> {
                if (element instanceof String text) {
                    text(2, text);
                } else {
                    schema(2, typeName.substring(0, or), element);
                }
            });
        } else {
            schema(orTruth ? 2 : 1, typeName.substring(0, or), value);
            if (orTruth) {
                number(1, 1);
            }
        }
    }

    private void schema(int number, String typeName, Object json) {
        int end = size();
        message(ModelJson.read(ModelJson.writeBytes(json), V1JSONSchemaProps.class), typeName);
        prefix(number, size() - end);
    }

    private void text(int number, String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        put(encoded);
        prefix(number, encoded.length);
    }

    private void number(int number, long value) {
        varint(value);
        varint((long) number << 3 | WireCursor.VARINT);
    }

    /** Writes the tag and the length of what was written last. */
    private void prefix(int number, int length) {
        varint(length);
        varint((long) number << 3 | WireCursor.DELIMITED);
    }

    private void varint(long value) {
        int length = 1 + (63 - Long.numberOfLeadingZeros(value | 1)) / 7;
        reserve(length);
        at -= length;
        long left = value;
        for (int i = 0; i < length - 1; i++) {
            bytes[at + i] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[at + length - 1] = (byte) left;
    }

    private void put(byte[] source) {
        reserve(source.length);
        at -= source.length;
        System.arraycopy(source, 0, bytes, at, source.length);
    }

    private void reserve(int more) {
        if (at < more) {
            byte[] larger = new byte[Math.max(2 * bytes.length, size() + more)];
            System.arraycopy(bytes, at, larger, larger.length - size(), size());
            at = larger.length - size();
            bytes = larger;
        }
    }
}
