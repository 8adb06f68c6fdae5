package dev.wheelhouse.client.decode;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1JSONSchemaProps;

import tools.jackson.core.JacksonException;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** Reads any JSON, which is a text in the first field of a message. Thread safe. */
final class WireJson extends WireReader {
    /** @param typeName the name of the facts' type */
    static WireReader of(String typeName, DecoderMemory memory) {
        TypeSchema schema = Schemas.ofName(typeName);
        return schema != null && schema.isObject()
                ? new Empty()
                : typeName.contains("JSONSchemaPropsOr") ? new SchemaOr(typeName, memory) : new WireJson();
    }

    /** A struct without fields, which has no model. */
    private static final class Empty extends WireReader {
        @Override
        Object read(WireCursor in, int end, int depth) {
            return Map.of();
        }
    }

    @Override
    @Nullable
    Object read(WireCursor in, int end, int depth) {
        int to = in.enter(1, end);
        if (to <= in.at) {
            return null;
        }
        try {
            return ModelJson.reader(Object.class).readValue(in.bytes, in.at, to - in.at);
        } catch (JacksonException e) {
            throw new WireException("it is not JSON: " + e.getOriginalMessage());
        }
    }

    /**
     * A schema or another type, in the schema of a custom resource: a message with a field for each. The model has the
     * schema as any JSON.
     */
    static final class SchemaOr extends WireReader {
        private final int schemaNumber;
        private final WireReader schema;
        private final WireReader other;

        SchemaOr(String typeName, DecoderMemory memory) {
            String schemaName = typeName.substring(0, typeName.indexOf("Or", typeName.lastIndexOf('.')));
            this.schema = new Model(V1JSONSchemaProps.class, schemaName, memory);
            this.schemaNumber = typeName.endsWith("OrBool") ? 2 : 1;
            this.other = schemaNumber == 2
                    ? new Truth()
                    : new ListOf(typeName.endsWith("OrArray") ? schema : new Text());
        }

        @Override
        @Nullable
        Object read(WireCursor in, int end, int depth) {
            Object model = null;
            Object alternative = null;
            while (in.at < end) {
                int from = in.at;
                int tag = in.tag(end);
                if (tag >>> 3 == schemaNumber) {
                    int to = in.delimited(tag, end);
                    model = schema.read(in, to, depth);
                    in.at = to;
                } else if (schemaNumber == 2) {
                    WireCursor.require(tag, WireCursor.VARINT);
                    alternative = other.read(in, end, depth);
                } else {
                    in.at = from;
                    int to = in.endOfRun(end);
                    alternative = other.read(in, to, depth);
                    in.at = to;
                }
            }
            if (model != null && (schemaNumber == 2 || alternative == null)) {
                return ModelJson.read(ModelJson.writeBytes(model), Object.class);
            }
            return alternative instanceof List<?> list
                    ? ModelJson.read(ModelJson.writeBytes(list), Object.class)
                    : alternative;
        }
    }
}
