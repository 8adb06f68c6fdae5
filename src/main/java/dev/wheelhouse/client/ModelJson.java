package dev.wheelhouse.client;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.V1Patch;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;
import tools.jackson.databind.util.TokenBuffer;

/**
 * JSON of the official client's model classes, by Jackson instead of their own strict Gson: unknown fields and null values
 * never fail. Thread safe.
 */
public final class ModelJson {
    /** {@code 2026-11-21T08:00:00Z}, as {@code metav1.Time} is written; fractions of a second only where there are any. */
    private static final JsonMapper MAPPER = mapper();

    private ModelJson() {}

    private static JsonMapper mapper() {
        SimpleModule module = new SimpleModule("kubernetes-models");
        module.addDeserializer(OffsetDateTime.class, new StdScalarDeserializer<>(OffsetDateTime.class) {
            @Override
            public OffsetDateTime deserialize(JsonParser p, DeserializationContext c) {
                return OffsetDateTime.parse(p.getString());
            }
        });
        module.addSerializer(OffsetDateTime.class, new StdScalarSerializer<>(OffsetDateTime.class) {
            @Override
            public void serialize(OffsetDateTime time, JsonGenerator g, SerializationContext c) {
                g.writeString(time(time));
            }
        });
        module.addDeserializer(Quantity.class, new StdScalarDeserializer<>(Quantity.class) {
            @Override
            public Quantity deserialize(JsonParser p, DeserializationContext c) {
                return Quantity.fromString(p.getString());
            }
        });
        module.addSerializer(Quantity.class, new StdScalarSerializer<>(Quantity.class) {
            @Override
            public void serialize(Quantity quantity, JsonGenerator g, SerializationContext c) {
                g.writeString(quantity.toSuffixedString());
            }
        });
        module.addDeserializer(IntOrString.class, new StdScalarDeserializer<>(IntOrString.class) {
            @Override
            public IntOrString deserialize(JsonParser p, DeserializationContext c) {
                return p.currentToken() == JsonToken.VALUE_NUMBER_INT
                        ? new IntOrString(p.getIntValue())
                        : new IntOrString(p.getString());
            }
        });
        module.addSerializer(IntOrString.class, new StdScalarSerializer<>(IntOrString.class) {
            @Override
            public void serialize(IntOrString value, JsonGenerator g, SerializationContext c) {
                if (value.isInteger()) {
                    g.writeNumber(value.getIntValue());
                } else {
                    g.writeString(value.getStrValue());
                }
            }
        });
        module.addSerializer(V1Patch.class, new StdScalarSerializer<>(V1Patch.class) {
            @Override
            public void serialize(V1Patch patch, JsonGenerator g, SerializationContext c) {
                g.writeRawValue(patch.getValue());
            }
        });
        return JsonMapper.builder().addModule(module).annotationIntrospector(new GsonNames())
                .changeDefaultVisibility(v -> v.withVisibility(PropertyAccessor.ALL, JsonAutoDetect.Visibility.NONE)
                        .withVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY))
                .changeDefaultPropertyInclusion(i -> i.withValueInclusion(JsonInclude.Include.NON_NULL))
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    private static final class GsonNames extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1;

        @Override
        public @Nullable PropertyName findNameForDeserialization(MapperConfig<?> config, Annotated a) {
            SerializedName name = a.getAnnotation(SerializedName.class);
            return name != null ? PropertyName.construct(name.value()) : super.findNameForDeserialization(config, a);
        }

        @Override
        public @Nullable PropertyName findNameForSerialization(MapperConfig<?> config, Annotated a) {
            SerializedName name = a.getAnnotation(SerializedName.class);
            return name != null ? PropertyName.construct(name.value()) : super.findNameForSerialization(config, a);
        }
    }

    /** A time as {@code metav1.Time} and {@code metav1.MicroTime} print it, in UTC. */
    public static String time(OffsetDateTime time) {
        OffsetDateTime utc = time.withOffsetSameInstant(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
        return utc.getNano() == 0 ? utc.format(SECONDS) : utc.format(MICROS);
    }

    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'");
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

    /** The mapper itself, for streaming. */
    public static JsonMapper mapperForModels() {
        return MAPPER;
    }

    /** @throws tools.jackson.core.JacksonException if it does not parse */
    public static <T> T read(byte[] json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    /** @throws tools.jackson.core.JacksonException if it does not parse */
    public static <T> T read(String json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    /** @throws tools.jackson.core.JacksonException if it does not fit the model */
    public static <T> T read(JsonNode json, Class<T> type) {
        return MAPPER.treeToValue(json, type);
    }

    public static byte[] writeBytes(Object object) {
        return MAPPER.writeValueAsBytes(object);
    }

    public static String write(Object object) {
        return MAPPER.writeValueAsString(object);
    }

    public static JsonNode tree(Object object) {
        return MAPPER.valueToTree(object);
    }

    /** A deep copy, for an object that is to be changed: what came out of a cache never is. */
    @SuppressWarnings("unchecked")
    public static <T> T copy(T object) {
        try (TokenBuffer buffer = new TokenBuffer(null, false)) {
            MAPPER.writeValue(buffer, object);
            return (T) MAPPER.readValue(buffer.asParser(), object.getClass());
        }
    }
}
