package dev.wheelhouse.operator;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1CustomResourceColumnDefinition;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1ValidationRule;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.node.ArrayNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.operator.schema.Column;
import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Description;
import dev.wheelhouse.operator.schema.Limits;
import dev.wheelhouse.operator.schema.ListKeys;
import dev.wheelhouse.operator.schema.Pattern;
import dev.wheelhouse.operator.schema.Required;
import dev.wheelhouse.operator.schema.Rule;

/**
 * The structural schema of a class of custom resources. Its fields have the names and types that {@link ModelJson}
 * reads and writes. Not thread safe.
 */
final class ClassSchema {
    private static final Map<Class<?>, List<String>> SCALARS = scalars();

    private final Class<?> root;
    private final List<V1CustomResourceColumnDefinition> columns = new ArrayList<>();
    /** The classes around the field that is being described. */
    private final List<JavaType> within = new ArrayList<>();
    private final V1JSONSchemaProps schema;

    /** @throws IllegalArgumentException for a field that cannot be described; it names the field and the remedy */
    ClassSchema(Class<?> root) {
        this.root = root;
        for (Column column : root.getAnnotationsByType(Column.class)) {
            if (column.path().isEmpty() || column.value().isEmpty()) {
                throw refused("", "@Column on a class needs a title and a path");
            }
            columns.add(column(column, column.value(), column.path(), new V1JSONSchemaProps().type("string")));
        }
        schema = fields(ModelJson.mapperForModels().constructType(root), "");
        if (!columns.isEmpty()) {
            columns.add(new V1CustomResourceColumnDefinition().name("Age").type("date")
                    .jsonPath(".metadata.creationTimestamp"));
        }
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

    /** The schema scalar and the format of each class of plain values. */
    private static Map<Class<?>, List<String>> scalars() {
        Map<Class<?>, List<String>> scalars = new LinkedHashMap<>();
        scalars(scalars, "string", "", String.class, char.class, Character.class, Duration.class);
        scalars(scalars, "string", "byte", byte[].class);
        scalars(scalars, "string", "date", LocalDate.class);
        scalars(scalars, "string", "uuid", UUID.class);
        scalars(scalars, "string", "uri", URI.class);
        scalars(scalars, "boolean", "", boolean.class, Boolean.class);
        scalars(scalars, "integer", "int32", byte.class, Byte.class, short.class, Short.class, int.class,
                Integer.class);
        scalars(scalars, "integer", "int64", long.class, Long.class);
        scalars(scalars, "integer", "", BigInteger.class);
        scalars(scalars, "number", "", BigDecimal.class);
        scalars(scalars, "number", "float", float.class, Float.class);
        scalars(scalars, "number", "double", double.class, Double.class);
        scalars(scalars, "time", "", Instant.class, OffsetDateTime.class);
        scalars(scalars, "quantity", "", Quantity.class);
        scalars(scalars, "int-or-string", "", IntOrString.class);
        scalars(scalars, "any", "", Object.class, JsonNode.class);
        return scalars;
    }

    private static void scalars(Map<Class<?>, List<String>> to, String scalar, String format, Class<?>... types) {
        for (Class<?> type : types) {
            to.put(type, List.of(scalar, format));
        }
    }

    /** @param path of the value, such as {@code .spec.hosts[]}; empty for the resource itself */
    private V1JSONSchemaProps value(JavaType type, String path) {
        Class<?> raw = type.getRawClass();
        List<String> scalar = SCALARS.get(raw);
        if (scalar != null) {
            return ModelSchema.scalar(scalar.getFirst(), scalar.getLast());
        }
        if (type.isEnumType()) {
            return describe(new V1JSONSchemaProps().type("string")._enum(Stream.of(raw.getEnumConstants())
                    .<Object>map(constant -> ModelJson.tree(constant).asString()).toList()), raw);
        }
        if (raw == Optional.class) {
            return value(type.getContentType(), path);
        }
        if (ArrayNode.class.isAssignableFrom(raw)) {
            return ModelSchema.list(ModelSchema.scalar("any", ""));
        }
        if (JsonNode.class.isAssignableFrom(raw)) {
            return ModelSchema.scalar("raw-object", "");
        }
        if (KubernetesObject.class.isAssignableFrom(raw)) {
            return ModelSchema.scalar("raw-object", "").xKubernetesEmbeddedResource(true);
        }
        if (type.isArrayType() || Collection.class.isAssignableFrom(raw)) {
            return list(type, path);
        }
        if (type.isMapLikeType()) {
            Class<?> key = type.getKeyType().getRawClass();
            if (key != String.class && !key.isEnum()) {
                throw refused(path, "a map with keys of " + key.getName()
                        + " cannot be described: keys are String or an enum");
            }
            return ModelSchema.map(value(type.getContentType(), path + "[]"));
        }
        if (ModelName.isModel(raw)) {
            return model(raw, path);
        }
        if (type.isPrimitive() || raw.getName().startsWith("java.") || Modifier.isAbstract(raw.getModifiers())) {
            throw refused(path, raw.getName() + " cannot be described: use a String, a number, a class or record with"
                    + " fields, or Object for any JSON");
        }
        return fields(type, path);
    }

    private V1JSONSchemaProps model(Class<?> model, String path) {
        TypeSchema fact = ModelSchema.fact(model);
        if (fact == null) {
            throw refused(path, model.getSimpleName() + " is no type of Kubernetes whose fields are known: use Object");
        }
        try {
            return ModelSchema.of(fact);
        } catch (IllegalArgumentException e) {
            throw refused(path, e.getMessage() + ", which a schema cannot describe: use Object for any JSON");
        }
    }

    private V1JSONSchemaProps list(JavaType type, String path) {
        JavaType element = type.getContentType();
        V1JSONSchemaProps items = value(element, path + "[]");
        V1JSONSchemaProps list = ModelSchema.list(items);
        TypeSchema fact = ModelSchema.fact(element.getRawClass());
        if (fact != null) {
            List<String> keys = ModelSchema.listKeys(fact);
            return keys.isEmpty() ? list : keyed(list, items, keys);
        }
        return Set.class.isAssignableFrom(type.getRawClass()) && items.getProperties().isEmpty()
                ? list.xKubernetesListType("set")
                : list;
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

    private V1JSONSchemaProps fields(JavaType type, String path) {
        if (within.contains(type)) {
            throw refused(path, type.getRawClass().getSimpleName()
                    + " contains itself, which a schema cannot describe: use Object for any JSON");
        }
        within.add(type);
        V1JSONSchemaProps object = new V1JSONSchemaProps().type("object").properties(new LinkedHashMap<>());
        for (Property property : properties(type)) {
            String at = path + "." + property.name();
            if (property.type().hasRawClass(Void.class)) {
                continue;
            }
            if (path.isEmpty() && Set.of("apiVersion", "kind", "metadata").contains(property.name())) {
                object.putPropertiesItem(property.name(),
                        new V1JSONSchemaProps().type(property.name().equals("metadata") ? "object" : "string"));
                continue;
            }
            V1JSONSchemaProps value = value(property.type(), at);
            describe(value, property.field());
            limit(value, property.field(), at);
            object.putPropertiesItem(property.name(), value);
            if (isRequired(property, value, at)) {
                object.addRequiredItem(property.name());
            }
            Column column = property.field().getAnnotation(Column.class);
            if (column != null) {
                if (at.contains("[]") || !column.path().isEmpty()) {
                    throw refused(at, "@Column on a field has no path, and none is possible inside of a list or map");
                }
                columns.add(column(column, column.value().isEmpty() ? title(property.name()) : column.value(), at,
                        value));
            }
        }
        within.removeLast();
        return describe(object, type.getRawClass());
    }

    private record Property(String name, JavaType type, Field field) {}

    /**
     * The fields that {@link ModelJson} writes, in the order of their declaration; the superclasses' fields come first.
     */
    private static List<Property> properties(JavaType type) {
        SerializationConfig config = ModelJson.mapperForModels().serializationConfig();
        ClassIntrospector introspector = config.classIntrospectorInstance().forOperation(config);
        List<Property> properties = new ArrayList<>();
        for (BeanPropertyDefinition found : introspector.introspectForSerialization(type,
                introspector.introspectClassAnnotations(type)).findProperties()) {
            if (found.getField() != null) {
                properties.add(new Property(found.getName(), found.getField().getType(),
                        found.getField().getAnnotated()));
            }
        }
        properties.sort(Comparator.comparing(Property::field, Comparator
                .<Field>comparingInt(field -> depth(field.getDeclaringClass()))
                .thenComparingInt(field -> List.of(field.getDeclaringClass().getDeclaredFields()).indexOf(field))));
        return properties;
    }

    private static int depth(@Nullable Class<?> type) {
        return type == null ? 0 : 1 + depth(type.getSuperclass());
    }

    private static V1JSONSchemaProps describe(V1JSONSchemaProps value, AnnotatedElement element) {
        Description description = element.getAnnotation(Description.class);
        if (description != null) {
            value.setDescription(description.value());
        }
        for (Rule rule : element.getAnnotationsByType(Rule.class)) {
            V1ValidationRule validation = new V1ValidationRule().rule(rule.value());
            value.addXKubernetesValidationsItem(rule.message().isEmpty()
                    ? validation
                    : validation.message(rule.message()));
        }
        return value;
    }

    private void limit(V1JSONSchemaProps value, Field field, String path) {
        String type = value.getType() == null ? "any" : value.getType();
        Pattern pattern = field.getAnnotation(Pattern.class);
        if (pattern != null) {
            if (!type.equals("string")) {
                throw refused(path, "@Pattern is for texts, not for " + type);
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
            value.setDefault(preset(preset.value(), type, path));
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

    private Object preset(String text, String type, String path) {
        if (type.equals("string")) {
            return text;
        }
        try {
            Object value = ModelJson.read(text, Object.class);
            boolean fits = switch (type) {
                case "integer" -> value instanceof Integer || value instanceof Long;
                case "number" -> value instanceof Number;
                case "boolean" -> value instanceof Boolean;
                case "array" -> value instanceof List;
                case "object" -> value instanceof Map;
                default -> value != null;
            };
            if (fits) {
                return value;
            }
        } catch (JacksonException e) {
            // The error below covers this case, too.
        }
        throw refused(path, "@Default(\"" + text + "\") is not JSON of the type " + type);
    }

    private static boolean isRequired(Property property, V1JSONSchemaProps value, String path) {
        Field field = property.field();
        if (field.isAnnotationPresent(Required.class)) {
            return true;
        }
        if (path.equals(".spec")) {
            return !value.getRequired().isEmpty();
        }
        boolean partOfStatus = path.startsWith(".status.") && path.indexOf('.', 8) < 0;
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

    private static V1CustomResourceColumnDefinition column(Column column, String title, String path,
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
