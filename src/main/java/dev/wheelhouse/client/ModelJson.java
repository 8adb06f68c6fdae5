package dev.wheelhouse.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.cfg.MutableConfigOverride;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.ValueInstantiators;
import tools.jackson.databind.deser.bean.PropertyValueBuffer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.deser.std.StdValueInstantiator;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.PotentialCreator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;
import tools.jackson.databind.type.LogicalType;
import tools.jackson.databind.util.TokenBuffer;

import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Required;

/**
 * Reads, writes and copies the official client's model objects. It uses Jackson, because the official client's own Gson
 * fails on unknown fields and null values. Reading ignores unknown fields. Writing leaves out null fields and empty
 * collections, as Go's {@code omitempty} does, but writes a collection that the API requires. Thread safe.
 */
public final class ModelJson {
    /** The most JSON tokens of one answer or object. A tree needs up to a hundred bytes of the heap for each. */
    private static final long MOST_TOKENS = Runtime.getRuntime().maxMemory() / 256;
    private static final JsonMapper MAPPER = mapper(new GsonNames(false));
    private static final JsonMapper WITHOUT_MANAGED_FIELDS = mapper(new GsonNames(true));

    private ModelJson() {}

    private static JsonMapper mapper(GsonNames names) {
        SimpleModule module = new SimpleModule("kubernetes-models") {
            @Override
            public void setupModule(SetupContext context) {
                super.setupModule(context);
                context.addValueInstantiators(new Presets());
            }
        };
        scalar(module, OffsetDateTime.class, p -> OffsetDateTime.parse(p.getString()),
                (time, g) -> g.writeString(time(time)));
        scalar(module, Quantity.class, p -> BoundedQuantity.parse(p.getString()),
                (quantity, g) -> g.writeString(BoundedQuantity.text(quantity)));
        scalar(module, IntOrString.class, p -> p.currentToken() == JsonToken.VALUE_NUMBER_INT
                ? new IntOrString(p.getIntValue())
                : new IntOrString(p.getString()), (value, g) -> {
                    if (value.isInteger()) {
                        g.writeNumber(value.getIntValue());
                    } else {
                        g.writeString(value.getStrValue());
                    }
                });
        PlainType.types().forEach((type, plain) -> text(module, type, plain.parse()));
        module.addSerializer(V1Patch.class, serializer(V1Patch.class, (patch, g) -> g.writeRawValue(patch.getValue())));
        JsonFactory bounded = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder().maxTokenCount(MOST_TOKENS).build()).build();
        return JsonMapper.builder(bounded).addModule(module).annotationIntrospector(names)
                .changeDefaultVisibility(v -> v.withVisibility(PropertyAccessor.ALL, JsonAutoDetect.Visibility.NONE)
                        .withVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY))
                .changeDefaultPropertyInclusion(i -> i.withValueInclusion(JsonInclude.Include.NON_ABSENT))
                // A model's constructor sets every collection to an empty one, so null leaves the empty one.
                .withConfigOverride(List.class, ModelJson::likeGo).withConfigOverride(Map.class, ModelJson::likeGo)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(EnumFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    /** Registers a class that is written by {@code toString}. @param parse null for another class */
    @SuppressWarnings("unchecked")
    private static <T> void text(SimpleModule module, Class<T> type, @Nullable Function<String, ?> parse) {
        if (parse != null) {
            module.addDeserializer(type, new StdScalarDeserializer<>(type) {
                @Override
                public T deserialize(JsonParser p, DeserializationContext c) {
                    try {
                        return (T) parse.apply(p.getString());
                    } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
                        throw c.weirdStringException(p.getString(), type, String.valueOf(e.getMessage()));
                    }
                }
            });
            module.addSerializer(type, serializer(type, (value, g) -> g.writeString(value.toString())));
        }
    }

    private static <T> void scalar(SimpleModule module, Class<T> type, Function<JsonParser, T> read,
            BiConsumer<T, JsonGenerator> write) {
        module.addDeserializer(type, new StdScalarDeserializer<>(type) {
            @Override
            public T deserialize(JsonParser p, DeserializationContext c) {
                return read.apply(p);
            }
        });
        module.addSerializer(type, serializer(type, write));
    }

    private static <T> StdScalarSerializer<T> serializer(Class<T> type, BiConsumer<T, JsonGenerator> write) {
        return new StdScalarSerializer<>(type) {
            @Override
            public void serialize(T value, JsonGenerator g, SerializationContext c) {
                write.accept(value, g);
            }
        };
    }

    private static void likeGo(MutableConfigOverride collection) {
        collection.setInclude(JsonInclude.Value.construct(JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS))
                .setNullHandling(JsonSetter.Value.forValueNulls(Nulls.SKIP));
    }

    /** Lets a class that has a constructor for all values, and one without any, keep the presets of absent fields. */
    private static final class Presets extends ValueInstantiators.Base {
        @Override
        public ValueInstantiator modifyValueInstantiator(DeserializationConfig config, BeanDescription.Supplier bean,
                ValueInstantiator found) {
            Class<?> type = bean.getBeanClass();
            return found instanceof StdValueInstantiator standard && !type.isRecord() && found.canCreateUsingDefault()
                    && found.canCreateFromObjectWith() && OwnClass.takesAll(type) != null
                            ? new Presetting(standard, type)
                            : found;
        }
    }

    private static final class Presetting extends StdValueInstantiator {
        private final Class<?> type;

        Presetting(StdValueInstantiator standard, Class<?> type) {
            super(standard);
            this.type = type;
        }

        @Override
        public Object createFromObjectWith(DeserializationContext context, SettableBeanProperty[] arguments,
                PropertyValueBuffer given) {
            List<Integer> missing = IntStream.range(0, arguments.length)
                    .filter(i -> !given.hasParameter(arguments[i])).boxed().toList();
            OwnClass.presets(type, missing).forEach((i, value) -> given.assignParameter(arguments[i], value));
            return super.createFromObjectWith(context, arguments, given);
        }
    }

    private static final class GsonNames extends JacksonAnnotationIntrospector {
        /** The fields of type {@code metav1.MicroTime}, which a server refuses without six digits of a fraction. */
        private static final Set<String> MICRO_TIMES = Set.of("acquireTime", "renewTime", "pingTime", "eventTime",
                "lastObservedTime");

        private final boolean dropManagedFields;

        GsonNames(boolean dropManagedFields) {
            this.dropManagedFields = dropManagedFields;
        }

        @Override
        public boolean hasIgnoreMarker(MapperConfig<?> config, AnnotatedMember m) {
            return (dropManagedFields && m.getDeclaringClass() == V1ObjectMeta.class
                    && m.getName().equals("managedFields"))
                    || super.hasIgnoreMarker(config, m);
        }

        /**
         * A collection is written even when it is empty, if the API requires it, or if an object of an own class would
         * have none when it is read without it.
         */
        @Override
        public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated a) {
            JsonInclude.Value declared = super.findPropertyInclusion(config, a);
            if (!(a instanceof AnnotatedField field)
                    || declared.getValueInclusion() != JsonInclude.Include.USE_DEFAULTS) {
                return declared;
            }
            JavaType type = a.getType();
            if (type.isReferenceType()) {
                return JsonInclude.Value.construct(JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS);
            }
            return type.isCollectionLikeType() || type.isMapLikeType()
                    ? JsonInclude.Value.construct(writesEmpty(field)
                            ? JsonInclude.Include.NON_NULL
                            : JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS)
                    : declared;
        }

        private static boolean writesEmpty(AnnotatedField field) {
            if (ModelClass.isModel(field.getDeclaringClass())) {
                SerializedName name = field.getAnnotation(SerializedName.class);
                return name != null && ModelClass.isRequired(field.getDeclaringClass(), name.value());
            }
            Object preset = OwnClass.preset(field.getAnnotated());
            boolean presetsEmpty = preset instanceof Collection<?> elements
                    ? elements.isEmpty()
                    : preset instanceof Map<?, ?> map && map.isEmpty();
            return field.hasAnnotation(Required.class) || field.hasAnnotation(Default.class) || !presetsEmpty;
        }

        @Override
        public @Nullable Object findSerializer(MapperConfig<?> config, Annotated a) {
            return a instanceof AnnotatedField field && field.getRawType() == OffsetDateTime.class
                    && MICRO_TIMES.contains(field.getName())
                            ? MicroTimeSerializer.class
                            : super.findSerializer(config, a);
        }

        /** The names of an enum's constants: the annotation of Gson counts, too. */
        @Override
        public String[] findEnumValues(MapperConfig<?> config, AnnotatedClass type, Enum<?>[] constants,
                String[] names) {
            String[] found = super.findEnumValues(config, type, constants, names);
            for (Field field : type.getRawType().getDeclaredFields()) {
                SerializedName name = field.getAnnotation(SerializedName.class);
                for (int i = 0; i < constants.length && name != null; i++) {
                    if (constants[i].name().equals(field.getName())) {
                        found[i] = name.value();
                    }
                }
            }
            return found;
        }

        /** A class that cannot be made without its values is made by the constructor that takes all of them. */
        @Override
        public @Nullable PotentialCreator findPreferredCreator(MapperConfig<?> config, AnnotatedClass type,
                List<PotentialCreator> constructors, List<PotentialCreator> factories,
                Optional<PotentialCreator> withoutParameters) {
            Class<?> raw = type.getRawType();
            boolean named = Stream.concat(type.getConstructors().stream(), type.getFactoryMethods().stream())
                    .anyMatch(creator -> findCreatorAnnotation(config, creator) != null);
            Constructor<?> all = named || raw.isRecord() || raw.getName().startsWith("java.") || !OwnClass.needsAll(raw)
                    ? null
                    : OwnClass.takesAll(raw);
            return constructors.stream().filter(found -> found.creator().getAnnotated().equals(all)).findFirst()
                    .map(found -> found.overrideMode(JsonCreator.Mode.PROPERTIES))
                    .orElseGet(() -> super.findPreferredCreator(config, type, constructors, factories,
                            withoutParameters));
        }

        @Override
        public @Nullable String findImplicitPropertyName(MapperConfig<?> config, AnnotatedMember member) {
            String name = super.findImplicitPropertyName(config, member);
            return name == null && member instanceof AnnotatedParameter parameter
                    && parameter.getOwner().getAnnotated() instanceof Constructor<?> constructor
                    && constructor.equals(OwnClass.takesAll(constructor.getDeclaringClass()))
                            ? OwnClass.fieldOf(constructor, parameter.getIndex())
                            : name;
        }

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

    private static final class MicroTimeSerializer extends StdScalarSerializer<OffsetDateTime> {
        MicroTimeSerializer() {
            super(OffsetDateTime.class);
        }

        @Override
        public void serialize(OffsetDateTime time, JsonGenerator g, SerializationContext c) {
            g.writeString(time.withOffsetSameInstant(ZoneOffset.UTC).format(MICROS));
        }
    }

    /** A time in UTC, with a fraction of a second only if there is one. */
    public static String time(OffsetDateTime time) {
        OffsetDateTime utc = time.withOffsetSameInstant(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
        return utc.getNano() == 0 ? utc.format(SECONDS) : utc.format(MICROS);
    }

    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'");
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

    /** A reader of one class, without {@code metadata.managedFields}. It throws {@code JacksonException}. */
    public static ObjectReader reader(Class<?> type) {
        return WITHOUT_MANAGED_FIELDS.readerFor(type);
    }

    /** The mapper that all methods of this class use, for callers that need another method of it. */
    public static JsonMapper mapperForModels() {
        return MAPPER;
    }

    /** Lets a mapper convert no number or boolean to text, nor text to either. */
    public static JsonMapper.Builder withoutCoercion(JsonMapper.Builder mapper) {
        return mapper.disable(MapperFeature.ALLOW_COERCION_OF_SCALARS).withCoercionConfig(LogicalType.Textual,
                text -> List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)
                        .forEach(shape -> text.setCoercion(shape, CoercionAction.Fail)));
    }

    /**
     * The tree of a part of an array, from {@code from} up to but not including {@code to}.
     *
     * @throws tools.jackson.core.JacksonException if the bytes do not parse
     */
    public static JsonNode tree(byte[] json, int from, int to) {
        return MAPPER.readTree(json, from, to - from);
    }

    /** @throws tools.jackson.core.JacksonException if the bytes do not parse, or do not fit the type */
    public static <T> T read(byte[] json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    /** @throws tools.jackson.core.JacksonException if the text does not parse, or does not fit the type */
    public static <T> T read(String json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    /** @throws tools.jackson.core.JacksonException if the tree does not fit the type */
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

    /** A deep copy. An object of a cache must be copied before it is changed. */
    @SuppressWarnings("unchecked")
    public static <T> T copy(T object) {
        return (T) Objects.requireNonNull(ModelCopy.of(object, ModelJson::reread));
    }

    /** A copy whose fields can be set. It shares the fields' values with the original, so these must not be changed. */
    @SuppressWarnings("unchecked")
    public static <T> T shallowCopy(T model) {
        Class<?> type = model.getClass();
        return (T) (ModelClass.isModel(type) ? ModelClass.of(type).copy(model, value -> value) : copy(model));
    }

    /** A copy through JSON, for any object that Jackson can write and read. */
    static Object reread(Object object) {
        try (TokenBuffer buffer = new TokenBuffer(null, false)) {
            MAPPER.writeValue(buffer, object);
            return MAPPER.readValue(buffer.asParser(), object.getClass());
        }
    }
}
