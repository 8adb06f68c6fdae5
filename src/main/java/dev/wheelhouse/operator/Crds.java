package dev.wheelhouse.operator;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionNames;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionSpec;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import io.kubernetes.client.openapi.models.V1CustomResourceSubresourceScale;
import io.kubernetes.client.openapi.models.V1CustomResourceSubresources;
import io.kubernetes.client.openapi.models.V1CustomResourceValidation;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.schema.Scale;
import dev.wheelhouse.runtime.SafeYaml;

/**
 * CustomResourceDefinitions from classes of custom resources. The schema has the fields that are written and read as
 * JSON: all fields of a class or record that are not {@code transient}, by their names or {@code @SerializedName} or
 * {@code @JsonProperty}. The annotations of {@link dev.wheelhouse.operator.schema} add descriptions, limits, defaults
 * and rules.
 *
 * <p>A value comes back from an API server as it was written, or its class is refused: each class is tried with a
 * sample of its schema. An annotation of Jackson that a schema cannot follow, such as {@code @JsonFormat}, is refused,
 * too.
 *
 * <table>
 * <caption>The types of fields</caption>
 * <tr><td>String, numbers, boolean, char, char[], byte[]</td><td>the types of JSON, with the format. BigInteger is a
 * whole number of 64 bits. BigDecimal is refused, because servers keep the digits of a double: use Quantity or
 * String</td></tr>
 * <tr><td>enums</td><td>the texts or whole numbers that their constants are written as, also by {@code @JsonValue} or
 * {@code @SerializedName}</td></tr>
 * <tr><td>Duration</td><td>a text: {@code PT1H30M} is written; {@code 1h30m}, as Go writes it, is read, too</td></tr>
 * <tr><td>OffsetDateTime</td><td>a text, in UTC and to the microsecond</td></tr>
 * <tr><td>Instant, other types of java.time, UUID, URI</td><td>texts</td></tr>
 * <tr><td>Quantity, IntOrString</td><td>a number or a text</td></tr>
 * <tr><td>Optional</td><td>the value, which may be absent; in lists and maps it may be null</td></tr>
 * <tr><td>collections and arrays; maps with keys of String or an enum</td><td>lists and objects; a Set of plain values
 * refuses duplicates. An empty collection is written, unless the class has it without being told</td></tr>
 * <tr><td>Object, JsonNode</td><td>any JSON</td></tr>
 * <tr><td>records and classes</td><td>objects with their fields. A class without a constructor that takes nothing, or
 * with final fields, has one that takes all fields, as Lombok and Kotlin make it, or {@code @JsonCreator}. A class that
 * contains itself is refused</td></tr>
 * <tr><td>classes with {@code @JsonTypeInfo} and {@code @JsonSubTypes}</td><td>objects with the fields of all
 * subclasses</td></tr>
 * <tr><td>classes with {@code @JsonAnyGetter} and {@code @JsonAnySetter}</td><td>objects that keep fields of any
 * name</td></tr>
 * <tr><td>parts of Kubernetes' own types, such as V1PodTemplateSpec</td><td>Kubernetes' schema and list keys, without
 * descriptions</td></tr>
 * <tr><td>whole Kubernetes objects, such as V1ConfigMap</td><td>any object with apiVersion, kind and metadata</td></tr>
 * </table>
 *
 * A class whose status is not {@code Void} has the status subresource. Other versions are deprecated if their class is.
 */
public final class Crds {
    static final ResourceType TYPE = ResourceType.CUSTOM_RESOURCE_DEFINITIONS;

    private Crds() {}

    /**
     * The definition of a class with {@link ResourceDefinition}, with all its versions. A new object each time.
     *
     * @throws IllegalArgumentException if a field cannot be described, or the versions disagree; the message names the
     *     class, the field and the remedy
     */
    public static V1CustomResourceDefinition of(Class<? extends KubernetesObject> stored) {
        ResourceType type = ResourceTypes.of(stored);
        ResourceDefinition definition = stored.getAnnotation(ResourceDefinition.class);
        if (definition == null) {
            throw new IllegalArgumentException(stored.getName()
                    + " is a type of Kubernetes itself: a definition is made of a class with @ResourceDefinition");
        }
        List<V1CustomResourceDefinitionVersion> versions = new ArrayList<>();
        versions.add(version(stored, type, true));
        for (Class<? extends KubernetesObject> other : definition.otherVersions()) {
            ResourceType otherType = ResourceTypes.of(other);
            if (!otherType.equals(new ResourceType(type.group(), otherType.version(), type.plural(), type.kind(),
                    type.namespaced()))) {
                throw new IllegalArgumentException(other.getSimpleName() + " is no other version of "
                        + stored.getSimpleName() + ": give both the same group, kind, plural and scope");
            }
            if (versions.stream().anyMatch(version -> version.getName().equals(otherType.version()))) {
                throw new IllegalArgumentException(other.getSimpleName() + " has the version " + otherType.version()
                        + " that another class of " + type + " has, too: each class needs a version of its own");
            }
            V1CustomResourceDefinitionVersion version = version(other, otherType, false);
            if (other.isAnnotationPresent(Deprecated.class)) {
                version.deprecated(true).deprecationWarning("%s %s is deprecated; use %s %s".formatted(
                        otherType.apiVersion(), type.kind(), type.apiVersion(), type.kind()));
            }
            versions.add(version);
        }
        return new V1CustomResourceDefinition().apiVersion(TYPE.apiVersion()).kind(TYPE.kind())
                .metadata(new V1ObjectMeta().name(type.groupResource()))
                .spec(new V1CustomResourceDefinitionSpec().group(type.group())
                        .names(new V1CustomResourceDefinitionNames().kind(type.kind()).listKind(type.kind() + "List")
                                .plural(type.plural()).singular(type.kind().toLowerCase(Locale.ROOT))
                                .shortNames(List.of(definition.shortNames()))
                                .categories(List.of(definition.categories())))
                        .scope(type.namespaced() ? "Namespaced" : "Cluster").versions(versions));
    }

    /**
     * Reads a definition that somebody else wrote.
     *
     * @param yaml the first document counts
     * @throws IllegalArgumentException if it is no definition of the version {@code apiextensions.k8s.io/v1}
     */
    public static V1CustomResourceDefinition read(String yaml) {
        JsonNode tree = ModelJson.tree(
                Objects.requireNonNullElse(SafeYaml.load(yaml.getBytes(StandardCharsets.UTF_8)), Map.of()));
        if (!tree.path("kind").asString("").equals(TYPE.kind())
                || !tree.path("apiVersion").asString("").equals(TYPE.apiVersion())
                || !List.of("group", "names", "scope", "versions").stream().allMatch(tree.path("spec")::has)) {
            throw new IllegalArgumentException("the YAML is no " + TYPE.kind() + " of " + TYPE.apiVersion()
                    + " with group, names, scope and versions");
        }
        return ModelJson.read(tree, V1CustomResourceDefinition.class);
    }

    private static V1CustomResourceDefinitionVersion version(Class<?> model, ResourceType type, boolean stored) {
        ClassSchema schema = new ClassSchema(model);
        V1CustomResourceDefinitionVersion version = new V1CustomResourceDefinitionVersion().name(type.version())
                .served(true).storage(stored).additionalPrinterColumns(schema.columns())
                .selectableFields(schema.selectable())
                .schema(new V1CustomResourceValidation().openAPIV3Schema(schema.schema()));
        Scale scale = model.getAnnotation(Scale.class);
        if (schema.hasStatus() || scale != null) {
            V1CustomResourceSubresources subresources = new V1CustomResourceSubresources();
            if (schema.hasStatus()) {
                subresources.setStatus(Map.of());
            }
            if (scale != null) {
                subresources.setScale(new V1CustomResourceSubresourceScale().specReplicasPath(scale.spec())
                        .statusReplicasPath(scale.status())
                        .labelSelectorPath(scale.selector().isEmpty() ? null : scale.selector()));
            }
            version.setSubresources(subresources);
        }
        return version;
    }
}
