package dev.wheelhouse.operator;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceColumnDefinition;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1SelectableField;
import io.kubernetes.client.openapi.models.V1ValidationRule;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.ValueInstantiationException;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PlainType;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.operator.ClassFields.Property;
import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Description;
import dev.wheelhouse.operator.schema.Limits;
import dev.wheelhouse.operator.schema.ListKeys;
import dev.wheelhouse.operator.schema.Matches;
import dev.wheelhouse.operator.schema.PrinterColumn;
import dev.wheelhouse.operator.schema.Required;
import dev.wheelhouse.operator.schema.Rule;
import dev.wheelhouse.operator.schema.Selectable;

/**
 * The structural schema of a class of custom resources. Its fields have the names and types that {@link ModelJson}
 * reads and writes: {@link PlainType} and {@link ClassFields} say which. Each class is tried: a sample that fits the
 * schema is read, copied and written. What differs then would be lost in a cluster, so it is refused. Not thread safe.
 */
final class ClassSchema {
    /** How often classes of one generic class may nest in each other, so that one that nests itself ends. */
    private static final int DEEPEST = 4;
    private static final String UNKNOWN = " cannot be described: use a String, a number, a class or record with fields,"
            + " or Object for any JSON";

    private final Class<?> root;
    private final boolean described;
    private final List<V1CustomResourceColumnDefinition> columns = new ArrayList<>();
    private final List<V1SelectableField> selectable = new ArrayList<>();
    /** The classes around the field that is being described. */
    private final List<JavaType> within = new ArrayList<>();
    private final V1JSONSchemaProps schema;
    private int samples;

    /**
     * How values of a type are written.
     *
     * @param sample a value; null if none is known that the class takes
     */
    private record Shape(V1JSONSchemaProps schema, @Nullable JsonNode sample) {}

    /** @throws IllegalArgumentException for a field that cannot be described; it names the field and the remedy */
    ClassSchema(Class<?> root) {
        this(root, ModelJson.mapperForModels().constructType(root), true);
    }

    /** @param type the class with its type arguments */
    ClassSchema(Class<?> root, JavaType type, boolean described) {
        this.root = root;
        this.described = described;
        for (PrinterColumn column : root.getAnnotationsByType(PrinterColumn.class)) {
            if (column.path().isEmpty() || column.value().isEmpty()) {
                throw refused("", "@PrinterColumn on a class needs a title and a path");
            }
            columns.add(column(column, column.value(), column.path(), new V1JSONSchemaProps().type("string")));
        }
        schema = fields(type, type, null, "").schema();
        if (!columns.isEmpty()) {
            columns.add(new V1CustomResourceColumnDefinition().name("Age").type("date")
                    .jsonPath(".metadata.creationTimestamp"));
        }
    }

    /**
     * Checks that a class whose definition somebody else writes is written as it is read. Types that have no schema
     * pass.
     *
     * @throws IllegalArgumentException for a field whose values would be lost; it names the field and the remedy
     */
    static void check(Class<?> root) {
        new ClassSchema(root, ModelJson.mapperForModels().constructType(root), false);
    }

    V1JSONSchemaProps schema() {
        return schema;
    }

    /** The columns of {@code kubectl get}; empty for the default ones. */
    List<V1CustomResourceColumnDefinition> columns() {
        return columns;
    }

    boolean hasStatus() {
        return schema.getProperties().containsKey("status");
    }

    /** The fields that can be selected by; empty for none. */
    List<V1SelectableField> selectable() {
        return selectable;
    }

    /** @param path of the value, such as {@code .spec.hosts[]}; empty for the resource itself */
    private Shape value(JavaType type, String path) {
        Class<?> raw = type.getRawClass();
        PlainType plain = PlainType.of(raw);
        if (type.isEnumType()) {
            return constants(raw, path);
        }
        if (plain != null) {
            return plain(raw, plain, path);
        }
        if (raw == Optional.class) {
            return optional(type.getContentType(), path);
        }
        if (ObjectNode.class == raw) {
            return new Shape(ModelSchema.scalar("raw-object", ""), ModelJson.read("{\"a\":1}", JsonNode.class));
        }
        if (KubernetesObject.class.isAssignableFrom(raw)) {
            return new Shape(ModelSchema.scalar("raw-object", "").xKubernetesEmbeddedResource(true), null);
        }
        if (type.isArrayType() || Collection.class.isAssignableFrom(raw)) {
            return list(type, path);
        }
        if (type.isMapLikeType()) {
            return map(type, path);
        }
        if (ModelName.isModel(raw)) {
            return model(raw, path);
        }
        if (type.isPrimitive() || raw.getName().startsWith("java.") || JsonNode.class.isAssignableFrom(raw)) {
            return undescribed(path, raw.getName() + UNKNOWN);
        }
        ClassFields fields = new ClassFields(type, described);
        JavaType only = fields.onlyValue();
        if (only != null) {
            Shape shape = value(only, path);
            return new Shape(shape.schema(), tried(type, shape.sample(), path));
        }
        JsonTypeInfo.Value alternatives = fields.alternatives();
        if (alternatives != null) {
            return alternatives(type, alternatives, fields.subtypes(), path);
        }
        return Modifier.isAbstract(raw.getModifiers())
                ? undescribed(path, raw.getName() + UNKNOWN)
                : fields(type, type, null, path);
    }

    /** @throws IllegalArgumentException if a schema is wanted; else the value may be any JSON */
    private Shape undescribed(String path, String why) {
        if (described) {
            throw refused(path, why);
        }
        return new Shape(ModelSchema.scalar("any", ""), null);
    }

    private Shape plain(Class<?> raw, PlainType plain, String path) {
        if (plain.scalar().equals("array")) {
            return new Shape(ModelSchema.list(ModelSchema.scalar("any", "")), ModelJson.tree(List.of(1)));
        }
        V1JSONSchemaProps schema = ModelSchema.scalar(plain.scalar(), plain.format());
        if (!plain.pattern().isEmpty()) {
            schema.setPattern(plain.pattern());
        }
        if (raw == char.class || raw == Character.class) {
            schema.minLength(1L).maxLength(1L);
        } else if (raw == byte.class || raw == Byte.class) {
            schema.minimum((double) Byte.MIN_VALUE).maximum((double) Byte.MAX_VALUE);
        } else if (raw == short.class || raw == Short.class) {
            schema.minimum((double) Short.MIN_VALUE).maximum((double) Short.MAX_VALUE);
        }
        // Each text and whole number is another one, so that fields that are read into each other show.
        JsonNode sample = plain.sample().isEmpty()
                ? ModelJson.tree(path)
                : plain.scalar().equals("integer")
                        ? ModelJson.tree(++samples % 100)
                        : ModelJson.read(plain.sample(), JsonNode.class);
        return new Shape(schema, sample);
    }

    private Shape constants(Class<?> type, String path) {
        V1JSONSchemaProps schema = new V1JSONSchemaProps();
        JsonNode written = null;
        for (Object constant : type.getEnumConstants()) {
            written = ModelJson.tree(constant);
            if (!(written.isString() || written.isIntegralNumber()) || (schema.getType() != null
                    && !schema.getType().equals(written.isString() ? "string" : "integer"))
                    || ModelJson.read(written, type) != constant) {
                return undescribed(path, type.getName() + ": the constant " + constant + " is written as " + written
                        + ", from which it is not read: write constants as different texts or whole numbers");
            }
            schema.type(written.isString() ? "string" : "integer")
                    .addEnumItem(written.isString() ? written.asString() : written.numberValue());
        }
        return new Shape(describe(schema, type), written);
    }

    private Shape optional(JavaType content, String path) {
        if (content.hasRawClass(Optional.class)) {
            return undescribed(path, "an Optional inside of an Optional is written like an empty one: use one");
        }
        Shape shape = value(content, path);
        if (path.endsWith("[]")) {
            shape.schema().nullable(true);
            List<Object> allowed = shape.schema().getEnum();
            if (!allowed.isEmpty()) {
                // API servers take null for no value of an enumeration, even if it lists null. A pattern passes null.
                shape.schema()._enum(null).setPattern("string".equals(shape.schema().getType())
                        ? allowed.stream().map(each -> each.toString().replaceAll("\\p{Punct}", "\\\\$0"))
                                .collect(Collectors.joining("|", "^(", ")$"))
                        : null);
            }
        }
        return shape;
    }

    private Shape map(JavaType type, String path) {
        Class<?> key = type.getKeyType().getRawClass();
        if (key != String.class && !key.isEnum()) {
            return undescribed(path, "a map with keys of " + key.getName()
                    + " cannot be described: keys are String or an enum");
        }
        checkNoFields(type, path);
        Shape values = value(type.getContentType(), path + "[]");
        JsonNode sample = values.sample() == null
                ? null
                : ModelJson.tree(Map.of(key.isEnum() ? key.getEnumConstants()[0] : "a", values.sample()));
        return new Shape(ModelSchema.map(values.schema()), tried(type, sample, path));
    }

    /** Refuses a collection of an own class whose fields would not be written. */
    private void checkNoFields(JavaType type, String path) {
        for (Class<?> c = type.getRawClass(); c != null && !c.getName().startsWith("java."); c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0) {
                    throw refused(path, "the field " + field.getName() + " of " + c.getName()
                            + " is not written, because the class is a collection: use a class with a field for it");
                }
            }
        }
    }

    private Shape model(Class<?> model, String path) {
        TypeSchema fact = ModelSchema.fact(model);
        if (fact == null) {
            return undescribed(path, model.getSimpleName()
                    + " is no type of Kubernetes whose fields are known: use Object");
        }
        try {
            return new Shape(ModelSchema.of(fact), null);
        } catch (IllegalArgumentException e) {
            return undescribed(path, e.getMessage() + ", which a schema cannot describe: use Object for any JSON");
        }
    }

    private Shape list(JavaType type, String path) {
        JavaType element = type.getContentType();
        if (!type.isArrayType()) {
            checkNoFields(type, path);
        }
        Shape shape = value(element, path + "[]");
        V1JSONSchemaProps items = shape.schema();
        V1JSONSchemaProps list = ModelSchema.list(items);
        JsonNode sample = tried(type, shape.sample() == null ? null : ModelJson.tree(List.of(shape.sample())), path);
        TypeSchema fact = ModelSchema.fact(element.getRawClass());
        if (fact != null) {
            List<String> keys = ModelSchema.listKeys(fact);
            return new Shape(keys.isEmpty() ? list : keyed(list, items, keys), sample);
        }
        boolean plain = Boolean.TRUE.equals(items.getxKubernetesIntOrString())
                || items.getType() != null && !Set.of("object", "array").contains(items.getType());
        return new Shape(Set.class.isAssignableFrom(type.getRawClass()) && plain
                ? list.xKubernetesListType("set")
                : list, sample);
    }

    /** The fields of all classes that a value can have, of which a field may say which one it is. */
    private Shape alternatives(JavaType type, JsonTypeInfo.Value info, List<NamedType> subtypes, String path) {
        boolean deduced = info.getIdType() == JsonTypeInfo.Id.DEDUCTION;
        String tag = info.getPropertyName();
        if (!deduced && (info.getIdType() != JsonTypeInfo.Id.NAME && info.getIdType() != JsonTypeInfo.Id.SIMPLE_NAME
                || info.getInclusionType() != JsonTypeInfo.As.PROPERTY
                        && info.getInclusionType() != JsonTypeInfo.As.EXISTING_PROPERTY)
                || subtypes.isEmpty() || !deduced && !subtypes.stream().allMatch(NamedType::hasName)) {
            return undescribed(path, "a schema cannot follow this @JsonTypeInfo: use Id.NAME and As.PROPERTY, and name "
                    + "the subclasses by @JsonSubTypes");
        }
        V1JSONSchemaProps all = new V1JSONSchemaProps().type("object").properties(new LinkedHashMap<>());
        V1JSONSchemaProps names = new V1JSONSchemaProps().type("string");
        JsonNode sample = null;
        for (NamedType subtype : subtypes) {
            JavaType specific = ModelJson.mapperForModels().getTypeFactory().constructSpecializedType(type,
                    subtype.getType());
            ObjectNode extra = (ObjectNode) ModelJson.tree(deduced ? Map.of() : Map.of(tag, subtype.getName()));
            Shape one = fields(specific, type, extra, path);
            names.addEnumItem(subtype.getName());
            sample = one.sample();
            one.schema().getProperties().forEach((name, property) -> {
                V1JSONSchemaProps other = all.getProperties().putIfAbsent(name, property);
                if (other != null && !other.equals(property)) {
                    throw refused(path + "." + name, "subclasses of " + type.getRawClass().getName()
                            + " have it in different ways, which one schema cannot say: use different names");
                }
            });
            if (!one.schema().getxKubernetesValidations().isEmpty()) {
                throw refused(path, "@Rule is not for a subclass such as " + subtype.getType().getName()
                        + ": annotate " + type.getRawClass().getSimpleName());
            }
        }
        if (!deduced) {
            all.putPropertiesItem(tag, names);
            if (info.getDefaultImpl() == null) {
                all.addRequiredItem(tag);
            }
        }
        return new Shape(describe(all, type.getRawClass()), sample);
    }

    private static V1JSONSchemaProps keyed(V1JSONSchemaProps list, V1JSONSchemaProps items, List<String> keys) {
        for (String key : keys) {
            V1JSONSchemaProps property = items.getProperties().get(key);
            if (property != null && property.getDefault() == null && !items.getRequired().contains(key)) {
                items.addRequiredItem(key);
            }
        }
        return list.xKubernetesListType("map").xKubernetesListMapKeys(keys);
    }

    /**
     * @param as the type of the value: the class itself, or a superclass that has alternatives
     * @param extra fields that say which of the alternatives it is; null for a class without
     */
    private Shape fields(JavaType type, JavaType as, @Nullable ObjectNode extra, String path) {
        if (within.contains(type)
                || within.stream().filter(around -> around.hasRawClass(type.getRawClass())).count() >= DEEPEST) {
            return undescribed(path, type.getRawClass().getSimpleName()
                    + " contains itself, which a schema cannot describe: use Object for any JSON");
        }
        within.add(type);
        BiFunction<String, String, RuntimeException> refuse = (name, why) -> refused(
                name.isEmpty() ? path : path + step(name), why);
        ClassFields found = new ClassFields(type, described);
        V1JSONSchemaProps object = new V1JSONSchemaProps().type("object").properties(new LinkedHashMap<>());
        ObjectNode sample = (ObjectNode) ModelJson.tree(Map.of());
        if (found.hasAny(refuse)) {
            object.setxKubernetesPreserveUnknownFields(true);
            sample.put("any-name", 1);
        }
        for (Property property : found.properties(refuse)) {
            String at = path + step(property.name());
            if (property.type().hasRawClass(Void.class)) {
                continue;
            }
            if (path.isEmpty() && Set.of("apiVersion", "kind", "metadata").contains(property.name())) {
                object.putPropertiesItem(property.name(),
                        new V1JSONSchemaProps().type(property.name().equals("metadata") ? "object" : "string"));
                continue;
            }
            Shape shape = property.unfollowed().isEmpty()
                    ? value(property.type(), at)
                    : undescribed(at, property.unfollowed());
            V1JSONSchemaProps value = shape.schema();
            describe(value, property.field());
            limit(value, property.field(), property.type(), at);
            object.putPropertiesItem(property.name(), value);
            if (shape.sample() != null) {
                sample.set(property.name(), shape.sample());
            }
            if (isRequired(property, value, at)) {
                object.addRequiredItem(property.name());
            }
            column(property, value, at);
        }
        within.removeLast();
        if (extra != null) {
            sample.setAll(extra);
        }
        return new Shape(describe(object, type.getRawClass()), tried(as, sample, path));
    }

    /** A field's step of a JSON path. kubectl takes some characters of a name only after a backslash. */
    private static String step(String name) {
        return "." + name.replaceAll("[.,\\[\\]$@{}\\s]", "\\\\$0");
    }

    private void column(Property property, V1JSONSchemaProps value, String at) {
        PrinterColumn column = property.field().getAnnotation(PrinterColumn.class);
        if (column != null) {
            if (at.contains("[]") || !column.path().isEmpty()) {
                throw refused(at,
                        "@PrinterColumn on a field has no path, and none is possible inside of a list or map");
            }
            columns.add(column(column, column.value().isEmpty() ? title(property.name()) : column.value(), at, value));
        }
        if (property.field().isAnnotationPresent(Selectable.class)) {
            boolean plain = Set.of("string", "integer", "boolean").contains(String.valueOf(value.getType()));
            if (at.contains("[]") || at.contains("\\") || !plain) {
                throw refused(at, "@Selectable is for texts, whole numbers and booleans outside of lists and maps");
            }
            selectable.add(new V1SelectableField().jsonPath(at));
        }
    }

    /**
     * Reads a sample of a type, copies and writes it.
     *
     * @return the sample; null if the class refuses it by itself
     */
    private @Nullable JsonNode tried(JavaType type, @Nullable JsonNode sample, String path) {
        if (sample == null) {
            return null;
        }
        try {
            Object read = ModelJson.mapperForModels().readerFor(type).readValue(sample);
            lost(sample, written(type, read), type, path);
            lost(sample, written(type, ModelJson.copy(read)), type, path);
            return sample;
        } catch (ValueInstantiationException e) {
            return null;
        } catch (StackOverflowError e) {
            throw refused(path, type.getRawClass().getName() + " nests itself without end: use Object for any JSON");
        } catch (JacksonException e) {
            throw refused(path, type.toCanonical() + " is not read from " + sample + ", which its schema allows: "
                    + e.getOriginalMessage() + ". Make it a record or a class that is made without parameters, or use "
                    + "List, Set, Map");
        }
    }

    private static JsonNode written(JavaType type, Object value) {
        return ModelJson.read(ModelJson.mapperForModels().writerFor(type).writeValueAsString(value), JsonNode.class);
    }

    /** Refuses a value that was read from a sample and written in another way. It may have further fields. */
    private void lost(JsonNode sample, JsonNode written, JavaType type, String path) {
        if (sample.isObject() && written.isObject()) {
            sample.properties().forEach(field -> lost(field.getValue(), written.path(field.getKey()), type,
                    path + step(field.getKey())));
        } else if (sample.isArray() && written.isArray() && sample.size() == written.size()) {
            for (int i = 0; i < sample.size(); i++) {
                lost(sample.get(i), written.get(i), type, path + "[]");
            }
        } else if (!written.equals(sample)) {
            throw refused(path, "it is read from " + sample + " and written as "
                    + (written.isMissingNode() ? "nothing" : written) + ", so it would be lost: let "
                    + type.toCanonical() + " keep each value as it is, or use a type that does");
        }
    }

    private static V1JSONSchemaProps describe(V1JSONSchemaProps value, AnnotatedElement element) {
        Description description = element.getAnnotation(Description.class);
        if (description != null) {
            value.setDescription(description.value());
        }
        for (Rule rule : element.getAnnotationsByType(Rule.class)) {
            value.addXKubernetesValidationsItem(new V1ValidationRule().rule(rule.value()).message(given(rule.message()))
                    .messageExpression(given(rule.messageExpression())).fieldPath(given(rule.fieldPath()))
                    .reason(given(rule.reason())));
        }
        return value;
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }

    private void limit(V1JSONSchemaProps value, Field field, JavaType javaType, String path) {
        String type = value.getType() == null ? "any" : value.getType();
        Matches pattern = field.getAnnotation(Matches.class);
        if (pattern != null) {
            if (!type.equals("string")) {
                throw refused(path, "@Matches is for texts, not for " + type);
            }
            value.setPattern(pattern.value());
        }
        Limits limits = field.getAnnotation(Limits.class);
        if (limits != null) {
            limit(value, type, Double.isInfinite(limits.min()) ? null : limits.min(),
                    Double.isInfinite(limits.max()) ? null : limits.max(), path);
        }
        ListKeys keys = field.getAnnotation(ListKeys.class);
        if (keys != null) {
            V1JSONSchemaProps items = type.equals("array") ? (V1JSONSchemaProps) value.getItems() : value;
            List<String> missing = Arrays.stream(keys.value())
                    .filter(key -> items == value || !items.getProperties().containsKey(key)).toList();
            if (!missing.isEmpty()) {
                throw refused(path, "@ListKeys is for lists of objects that have these fields: " + missing);
            }
            keyed(value, items, List.of(keys.value()));
        }
        Default preset = field.getAnnotation(Default.class);
        if (preset != null) {
            value.setDefault(preset(preset.value(), value, javaType, path));
        }
    }

    private void limit(V1JSONSchemaProps value, String type, @Nullable Double min, @Nullable Double max, String path) {
        Long least = min == null ? null : (Long) (long) (double) min;
        Long most = max == null ? null : (Long) (long) (double) max;
        switch (type) {
            case "integer", "number" -> value.minimum(min).maximum(max);
            case "string" -> value.minLength(least).maxLength(most);
            case "array" -> value.minItems(least).maxItems(most);
            case "object" -> value.minProperties(least).maxProperties(most);
            default -> throw refused(path, "@Limits needs a number, a text, a list or a map");
        }
    }

    private Object preset(String text, V1JSONSchemaProps schema, JavaType type, String path) {
        boolean isText = "string".equals(schema.getType());
        try {
            JsonNode value = isText ? ModelJson.tree(text) : ModelJson.read(text, JsonNode.class);
            boolean fits = switch (String.valueOf(schema.getType())) {
                case "integer" -> value.isIntegralNumber();
                case "number" -> value.isNumber();
                case "boolean" -> value.isBoolean();
                case "array" -> value.isArray();
                case "object" -> value.isObject();
                default -> !value.isNull();
            };
            Object preset = ModelJson.read(value, Object.class);
            if (fits && ModelJson.mapperForModels().readerFor(type).readValue(value) != null
                    && (schema.getEnum().isEmpty() || schema.getEnum().contains(preset))) {
                return preset;
            }
        } catch (JacksonException e) {
            // The error below covers this case, too.
        }
        throw refused(path, "@Default(\"" + text + "\") is " + (isText
                ? "no " + type.getRawClass().getSimpleName()
                : "not JSON of the type " + schema.getType()));
    }

    private boolean isRequired(Property property, V1JSONSchemaProps value, String path) {
        Field field = property.field();
        if (field.isAnnotationPresent(Required.class)) {
            return true;
        }
        if (path.equals(".spec")) {
            return !value.getRequired().isEmpty();
        }
        boolean partOfStatus = path.startsWith(".status.") && within.size() == 2;
        return !partOfStatus && field.getDeclaringClass().isRecord() && !field.getType().isPrimitive()
                && field.getType() != Optional.class
                && value.getDefault() == null && !isNullable(field) && isNullMarked(field.getDeclaringClass());
    }

    private static boolean isNullable(Field field) {
        return Stream.of(field.getAnnotations(), field.getAnnotatedType().getAnnotations()).flatMap(Arrays::stream)
                .anyMatch(annotation -> annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    private static boolean isNullMarked(Class<?> type) {
        for (Class<?> around = type; around != null; around = around.getEnclosingClass()) {
            if (around.isAnnotationPresent(NullMarked.class)) {
                return true;
            }
            if (around.isAnnotationPresent(NullUnmarked.class)) {
                return false;
            }
        }
        return type.getPackage().isAnnotationPresent(NullMarked.class)
                || type.getModule().isAnnotationPresent(NullMarked.class);
    }

    private static String title(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    private static V1CustomResourceColumnDefinition column(PrinterColumn column, String title, String path,
            V1JSONSchemaProps value) {
        String type = value.getType() == null || value.getType().equals("array") || value.getType().equals("object")
                ? "string"
                : "date-time".equals(value.getFormat()) ? "date" : value.getType();
        return new V1CustomResourceColumnDefinition().name(title).type(type).jsonPath(path)
                .description(value.getDescription()).priority(column.wide() ? 1 : null);
    }

    private IllegalArgumentException refused(String path, String why) {
        return new IllegalArgumentException(root.getSimpleName() + (path.isEmpty() ? "" : ", " + path) + ": " + why);
    }
}
