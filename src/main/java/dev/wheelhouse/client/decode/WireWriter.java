package dev.wheelhouse.client.decode;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;

import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.runtime.ProtobufOutput;

/**
 * Writes one model as a protobuf object, from the last byte to the first. Not thread safe.
 */
final class WireWriter {
    private final DecoderMemory memory;
    private final ProtobufOutput out = new ProtobufOutput();

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
        out.prefix(WireEnvelope.RAW, out.size());
        int end = out.size();
        out.text(WireEnvelope.KIND, kind);
        out.text(WireEnvelope.API_VERSION, apiVersion);
        out.prefix(WireEnvelope.TYPE_META, out.size() - end);
        out.put(WireEnvelope.MAGIC);
        return out.toBytes();
    }

    private void message(Object model, String typeName) {
        fields(model, memory.wireShape(model.getClass(), typeName).fields());
    }

    private void fields(Object model, WireShape.@Nullable Field[] fields) {
        for (int number = fields.length - 1; number > 0; number--) {
            int end = out.size();
            if (fields[number] instanceof WireShape.Slot slot) {
                Object value = slot.property.get(model);
                if (value != null) {
                    value(number, slot.facts, value);
                }
            } else if (fields[number] instanceof WireShape.Embedded struct) {
                fields(model, struct.fields);
                if (out.size() > end) {
                    out.prefix(number, out.size() - end);
                }
            }
        }
    }

    private void value(int number, TypeSchema.Field field, Object value) {
        switch (field.shape()) {
            case SINGLE -> element(number, field.type(), value);
            case LIST -> list(number, field.type(), value);
            case MAP, MAP_OF_LISTS -> new ArrayList<>(((Map<?, ?>) value).entrySet()).reversed().forEach(entry -> {
                int end = out.size();
                if (field.shape() == TypeSchema.Shape.MAP) {
                    element(2, field.type(), entry.getValue());
                } else {
                    list(1, field.type(), entry.getValue());
                    out.prefix(2, out.size() - end);
                }
                out.text(1, entry.getKey().toString());
                out.prefix(number, out.size() - end);
            });
        }
    }

    private void list(int number, TypeSchema type, Object list) {
        ((List<?>) list).reversed().forEach(element -> element(number, type, element));
    }

    private void element(int number, TypeSchema type, Object value) {
        int end = out.size();
        if (type.isObject()) {
            if (!type.fields().isEmpty()) {
                message(value, type.name());
            }
            out.prefix(number, out.size() - end);
            return;
        }
        if ("any".equals(type.scalar()) || "raw-object".equals(type.scalar())) {
            any(type.name(), value);
            out.prefix(number, out.size() - end);
            return;
        }
        switch (value) {
            case String text -> out.text(number, text);
            case Boolean truth -> out.number(number, truth ? 1 : 0);
            case Double real -> out.real(number, real);
            case Number whole -> out.number(number, whole.longValue());
            case byte[] raw -> out.bytes(number, raw);
            case OffsetDateTime time -> {
                if ("micro-time".equals(type.scalar())) {
                    out.number(2, time.getNano() / 1000 * 1000L);
                }
                out.number(1, time.toEpochSecond());
                out.prefix(number, out.size() - end);
            }
            case Quantity quantity -> {
                out.text(1, BoundedQuantity.text(quantity));
                out.prefix(number, out.size() - end);
            }
            case IntOrString either -> {
                if (either.isInteger()) {
                    out.number(2, either.getIntValue());
                } else {
                    out.text(3, either.getStrValue());
                }
                out.number(1, either.isInteger() ? 0 : 1);
                out.prefix(number, out.size() - end);
            }
            default -> throw new IllegalArgumentException("no protobuf of " + value.getClass() + " for " + type.name());
        }
    }

    /** Writes any JSON; or in a schema, another schema or its alternative. */
    private void any(String typeName, Object value) {
        int or = typeName.indexOf("Or", typeName.lastIndexOf('.'));
        boolean orTruth = typeName.endsWith("OrBool");
        if (!typeName.contains("JSONSchemaPropsOr")) {
            out.bytes(1, ModelJson.writeBytes(value));
        } else if (value instanceof Boolean truth) {
            out.number(1, truth ? 1 : 0);
        } else if (value instanceof List<?> list) {
            list.reversed().forEach(element -> {
                if (element instanceof String text) {
                    out.text(2, text);
                } else {
                    schema(2, typeName.substring(0, or), element);
                }
            });
        } else {
            schema(orTruth ? 2 : 1, typeName.substring(0, or), value);
            if (orTruth) {
                out.number(1, 1);
            }
        }
    }

    private void schema(int number, String typeName, Object json) {
        int end = out.size();
        message(ModelJson.read(ModelJson.writeBytes(json), V1JSONSchemaProps.class), typeName);
        out.prefix(number, out.size() - end);
    }
}
