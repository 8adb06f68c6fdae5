package dev.wheelhouse.operator;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionSpec;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** Finds the resource type of a class, and the primary class of an operator. */
public final class ResourceTypes {
    private static final ClassValue<Optional<BuiltInResource>> BUILT_IN = new ClassValue<>() {
        @Override
        protected Optional<BuiltInResource> computeValue(Class<?> model) {
            return find(model);
        }
    };

    private static final ClassValue<Boolean> CONDITIONS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> model) {
            return findConditions(model.asSubclass(KubernetesObject.class));
        }
    };

    private ResourceTypes() {}

    /** The built-in resources; read when the first operator asks. */
    private static final class Facts {
        static final List<BuiltInResource> RESOURCES = BuiltInResource.all();
    }

    /**
     * The type of a class's objects.
     *
     * @throws IllegalArgumentException if the class is neither one of the official client's resources nor has
     *     {@link ResourceDefinition}; the message says what is missing
     */
    public static ResourceType of(Class<?> model) {
        ResourceDefinition definition = model.getAnnotation(ResourceDefinition.class);
        if (definition != null) {
            return custom(model, definition);
        }
        if (model == Unstructured.class || model == PartialObjectMetadata.class) {
            throw new IllegalArgumentException(model.getSimpleName()
                    + " stands for objects of any type: use the method that takes a ResourceType");
        }
        BuiltInResource known = builtIn(model);
        if (known == null) {
            throw new IllegalArgumentException(model.getName() + (ModelName.isModel(model)
                    ? " is not the class of a resource that Kubernetes 1.36 has"
                    : " has no resource type: annotate it with @ResourceDefinition(group = …, version = …)"));
        }
        return known.type();
    }

    /**
     * The type of a definition's objects, in the version that is stored.
     *
     * @throws IllegalArgumentException if the definition has no such version that is served
     */
    public static ResourceType of(V1CustomResourceDefinition definition) {
        V1CustomResourceDefinitionSpec spec = definition.getSpec();
        return spec.getVersions().stream()
                .filter(version -> Boolean.TRUE.equals(version.getStorage())
                        && Boolean.TRUE.equals(version.getServed()))
                .findFirst().map(version -> new ResourceType(spec.getGroup(), version.getName(),
                        spec.getNames().getPlural(), spec.getNames().getKind(), spec.getScope().equals("Namespaced")))
                .orElseThrow(() -> new IllegalArgumentException("the definition of " + spec.getNames().getPlural()
                        + " serves no version that it stores: give the ResourceType instead"));
    }

    /** Whether objects of a class have a status that is written by the status subresource. */
    static boolean hasStatusSubresource(Class<?> model) {
        if (CustomResource.class.isAssignableFrom(model)) {
            return argument(model, CustomResource.class, 1) != Void.class;
        }
        BuiltInResource known = builtIn(model);
        return known == null || known.has("status");
    }

    /** Whether the status of a class's objects has a list of conditions, as far as the class tells. */
    static boolean hasConditions(Class<? extends KubernetesObject> model) {
        return hasStatusSubresource(model) && CONDITIONS.get(model);
    }

    /** The remedy for a class whose status has no conditions. */
    static String withoutConditions(Class<?> model) {
        return "the status of " + model.getSimpleName() + " has no conditions"
                + (CustomResource.class.isAssignableFrom(model)
                        ? ". Add them to its class, such as \"List<V1Condition> conditions\""
                        : "");
    }

    private static boolean findConditions(Class<? extends KubernetesObject> model) {
        if (model.isAnnotationPresent(ResourceDefinition.class)) {
            try {
                V1JSONSchemaProps status = new ClassSchema(model).schema().getProperties().get("status");
                return status == null || status.getProperties() == null
                        || status.getProperties().containsKey("conditions");
            } catch (IllegalArgumentException e) {
                // A definition that somebody else wrote may have more than this class can describe.
                return true;
            }
        }
        ResourceType type = of(model);
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        TypeSchema.Field status = schema == null ? null : schema.field("status");
        return status == null || status.type().field("conditions") != null;
    }

    private static @Nullable BuiltInResource builtIn(Class<?> model) {
        return BUILT_IN.get(model).orElse(null);
    }

    private static Optional<BuiltInResource> find(Class<?> model) {
        ModelName name = ModelName.of(model);
        if (name == null) {
            return Optional.empty();
        }
        for (BuiltInResource resource : Facts.RESOURCES) {
            ResourceType type = resource.type();
            String group = type.group().isEmpty() ? "core" : type.group().split("\\.", 2)[0];
            if (type.kind().equals(name.kind()) && type.version().equals(name.version())
                    && (name.group().isEmpty() || name.group().equals(group))) {
                return Optional.of(resource);
            }
        }
        return Optional.empty();
    }

    private static ResourceType custom(Class<?> model, ResourceDefinition definition) {
        String kind = definition.kind().isEmpty() ? model.getSimpleName() : definition.kind();
        if (!definition.group().contains(".") || !definition.version().matches("v[a-z0-9]+")) {
            throw new IllegalArgumentException("@ResourceDefinition of " + model.getName() + " has the group \""
                    + definition.group() + "\" and the version \"" + definition.version()
                    + "\": a group is a domain such as example.com, a version is such as v1 or v1beta1");
        }
        return new ResourceType(definition.group(), definition.version(),
                definition.plural().isEmpty() ? plural(kind.toLowerCase(Locale.ROOT)) : definition.plural(), kind,
                definition.namespaced());
    }

    /** The English plural of a word in lower case. */
    private static String plural(String word) {
        if (word.matches(".*(s|x|z|ch|sh)")) {
            return word + "es";
        }
        return word.matches(".*[^aeiou]y") ? word.substring(0, word.length() - 1) + "ies" : word + "s";
    }

    /**
     * The primary class of an operator, from the type argument of the interface that its class implements.
     *
     * @param generic the interface
     * @throws IllegalArgumentException if the class does not say it
     */
    @SuppressWarnings("unchecked")
    public static <P> Class<P> primary(Class<?> operator, Class<?> generic) {
        Class<?> found = argument(operator, generic, 0);
        if (found == null) {
            throw new IllegalArgumentException(operator.getName() + " does not say which objects it reconciles: "
                    + "name the class in its declaration, such as \"implements DecidingOperator<Website>\"");
        }
        return (Class<P>) found;
    }

    /**
     * The class that a type argument of a generic supertype has.
     *
     * @return null if it is a raw type or a variable
     */
    static @Nullable Class<?> argument(Class<?> type, Class<?> supertype, int index) {
        return argument(type, Map.of(), supertype, index);
    }

    private static @Nullable Class<?> argument(@Nullable Type type, Map<TypeVariable<?>, Type> known,
            Class<?> supertype, int index) {
        Map<TypeVariable<?>, Type> bound = new HashMap<>(known);
        Class<?> raw;
        if (type instanceof ParameterizedType parameterized) {
            raw = (Class<?>) parameterized.getRawType();
            for (int i = 0; i < raw.getTypeParameters().length; i++) {
                Type argument = parameterized.getActualTypeArguments()[i];
                bound.put(raw.getTypeParameters()[i], known.getOrDefault(argument, argument));
            }
        } else if (type instanceof Class<?> plain) {
            raw = plain;
        } else {
            return null;
        }
        if (raw == supertype) {
            Type argument = bound.get(raw.getTypeParameters()[index]);
            return argument instanceof Class<?> found
                    ? found
                    : argument instanceof ParameterizedType generic ? (Class<?>) generic.getRawType() : null;
        }
        Class<?> found = argument(raw.getGenericSuperclass(), bound, supertype, index);
        for (int i = 0; found == null && i < raw.getInterfaces().length; i++) {
            found = argument(raw.getGenericInterfaces()[i], bound, supertype, index);
        }
        return found;
    }
}
