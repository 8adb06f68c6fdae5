package dev.wheelhouse.operator;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.jsontype.NamedType;

import dev.wheelhouse.client.ModelJson;

/**
 * The fields of a class as {@link ModelJson} writes and reads them. A field that is written and not read, or read and
 * not written, is refused, and so is an annotation that changes a value in a way that a schema cannot follow.
 * Immutable.
 */
final class ClassFields {
    /** The annotations of Jackson that change nothing, or that the fields below follow. */
    private static final Set<String> FOLLOWED = Set.of("JsonProperty", "JsonIgnore", "JsonInclude", "JsonAlias",
            "JsonPropertyDescription", "JsonGetter", "JsonSetter", "JsonCreator", "JsonIgnoreProperties", "JsonNaming",
            "JsonPropertyOrder", "JsonAutoDetect", "JsonRootName", "JsonClassDescription", "JsonTypeInfo",
            "JsonSubTypes", "JsonTypeName", "JsonAnyGetter", "JsonAnySetter", "JsonValue");

    /**
     * @param field the field, whose annotations say more about the values
     * @param unfollowed the annotation that a schema cannot follow; empty if there is none
     */
    record Property(String name, JavaType type, Field field, String unfollowed) {}

    private final MapperConfig<?> config;
    private final AnnotatedClass type;
    private final BeanDescription writes;
    private final BeanDescription reads;

    private final boolean described;

    /** @param described whether a schema is wanted: a value that is only written would then be dropped */
    ClassFields(JavaType javaType, boolean described) {
        this.described = described;
        var mapper = ModelJson.mapperForModels();
        SerializationConfig writing = mapper.serializationConfig();
        ClassIntrospector introspector = writing.classIntrospectorInstance().forOperation(writing);
        config = writing;
        type = introspector.introspectClassAnnotations(javaType);
        writes = introspector.introspectForSerialization(javaType, type);
        var reading = mapper.deserializationConfig();
        reads = reading.classIntrospectorInstance().forOperation(reading).introspectForDeserialization(javaType, type);
    }

    /** The only part that is written, in the place of the whole object; null for an object that is written as one. */
    @Nullable
    JavaType onlyValue() {
        AnnotatedMember value = writes.findJsonValueAccessor();
        return value == null ? null : value.getType();
    }

    /** How the class's subclasses are told apart; null if they are not. */
    JsonTypeInfo.@Nullable Value alternatives() {
        return config.getAnnotationIntrospector().findPolymorphicTypeInfo(config, type);
    }

    /** The classes that a value can have. A class that only its subclasses' fields tell apart from them is none. */
    List<NamedType> subtypes() {
        return config.getSubtypeResolver().collectAndResolveSubtypesByClass(config, type).stream()
                .filter(found -> !Modifier.isAbstract(found.getType().getModifiers())
                        && (found.hasName() || found.getType() != type.getRawType()))
                .toList();
    }

    /**
     * Whether an object has fields of any name.
     *
     * @param refuse makes an exception from the name of a field, or an empty text, and the reason
     */
    boolean hasAny(BiFunction<String, String, RuntimeException> refuse) {
        AnnotatedMember written = writes.findAnyGetter();
        AnnotatedMember read = reads.findAnySetterAccessor();
        if (described && (written == null) != (read == null)) {
            throw refuse.apply("", "@JsonAnyGetter and @JsonAnySetter go together: annotate a Map<String, Object> with "
                    + "both");
        }
        JavaType values = written == null ? null : written.getType().getContentType();
        if (described && values != null && !values.hasRawClass(Object.class)) {
            throw refuse.apply("", "fields of any name have values of any JSON: @JsonAnyGetter needs a "
                    + "Map<String, Object>");
        }
        return written != null && read != null;
    }

    /**
     * The fields in the order of their declaration; the superclasses' fields come first.
     *
     * @param refuse makes an exception from the name of a field, or an empty text, and the reason
     */
    List<Property> properties(BiFunction<String, String, RuntimeException> refuse) {
        String unfollowed = unfollowed(type);
        if (described && !unfollowed.isEmpty()) {
            throw refuse.apply("", unfollowed);
        }
        Set<String> ignored = new HashSet<>(
                config.getAnnotationIntrospector().findPropertyIgnoralByName(config, type).getIgnored());
        Map<String, BeanPropertyDefinition> readable = new LinkedHashMap<>();
        reads.findProperties().forEach(found -> readable.put(found.getName(), found));
        List<Property> properties = new ArrayList<>();
        for (BeanPropertyDefinition found : writes.findProperties()) {
            String name = found.getName();
            BeanPropertyDefinition counterpart = readable.remove(name);
            if (ignored.contains(name) || isAny(found)) {
                continue;
            }
            AnnotatedMember from = found.getAccessor();
            AnnotatedMember to = counterpart == null ? null : counterpart.getMutator();
            if (from == null && to == null || !described && (found.getField() == null || from == null)) {
                continue;
            }
            if (found.getField() == null || from == null || to == null || counterpart == null) {
                throw refuse.apply(name, found.getField() == null && to == null
                        ? "it is written, but not read: annotate its getter with @JsonIgnore, or make it a field"
                        : from == null
                                ? "it is read, but not written: give it a field without access = WRITE_ONLY"
                                : found.getField() == null
                                        ? "it has no field: give it one of this name"
                                        : "it is written, but not read: make the class a record, give it a constructor "
                                                + "that takes all fields, or make the field not final");
            }
            if (!from.getType().equals(to.getType())) {
                throw refuse.apply(name, "it is written as " + from.getType().toCanonical() + " and read as "
                        + to.getType().toCanonical() + ": use one type");
            }
            properties.add(new Property(name, found.getField().getType(), found.getField().getAnnotated(),
                    unfollowed(found.getField(), found.getGetter(), counterpart.getSetter(),
                            counterpart.getConstructorParameter())));
        }
        readable.values().stream()
                .filter(left -> described && !ignored.contains(left.getName()) && left.getMutator() != null
                        && !isAny(left))
                .findFirst().ifPresent(left -> {
                    throw refuse.apply(left.getName(), "it is read, but not written: give it a field, or remove it "
                            + "from the constructor");
                });
        properties.sort(Comparator.comparing(Property::field, Comparator
                .<Field>comparingInt(field -> depth(field.getDeclaringClass()))
                .thenComparingInt(field -> List.of(field.getDeclaringClass().getDeclaredFields()).indexOf(field))));
        return properties;
    }

    private boolean isAny(BeanPropertyDefinition property) {
        return Stream.of(writes.findAnyGetter(), reads.findAnySetterAccessor()).filter(Objects::nonNull)
                .anyMatch(any -> any.equals(property.getField()) || any.equals(property.getGetter())
                        || any.equals(property.getSetter()));
    }

    /** The reason why a schema cannot follow an annotation of a place; empty if there is none. */
    private static String unfollowed(@Nullable Annotated... places) {
        return Stream.of(places).filter(Objects::nonNull).flatMap(Annotated::annotations).filter(annotation -> {
            String name = annotation.annotationType().getName();
            return (name.startsWith("com.fasterxml.jackson.annotation.")
                    || name.startsWith("tools.jackson.databind.annotation.")) && !isFollowed(annotation);
        }).findFirst().map(annotation -> "a schema cannot follow @" + annotation.annotationType().getSimpleName()
                + ": remove it, or use a type that is written in the wanted way, or Object for any JSON").orElse("");
    }

    private static boolean isFollowed(Annotation annotation) {
        return FOLLOWED.contains(annotation.annotationType().getSimpleName())
                && !(annotation instanceof JsonInclude include && Stream.of(include.value(), include.content())
                        .anyMatch(Set.of(JsonInclude.Include.NON_DEFAULT, JsonInclude.Include.CUSTOM)::contains));
    }

    private static int depth(@Nullable Class<?> type) {
        return type == null ? 0 : 1 + depth(type.getSuperclass());
    }
}
