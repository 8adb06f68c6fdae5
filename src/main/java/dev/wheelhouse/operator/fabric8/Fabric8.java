package dev.wheelhouse.operator.fabric8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.Crds;

/**
 * Turns objects of fabric8's classes into trees, and trees into objects of these classes. The annotations of Jackson 2
 * on the classes say how they are written, and modules of Jackson on the class path are used. Thread safe.
 */
public final class Fabric8 {
    private static final JsonMapper MAPPER = JsonMapper.builder().findAndAddModules()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .defaultPropertyInclusion(JsonInclude.Value.ALL_NON_NULL).build();

    private Fabric8() {}

    /** The type of a class's objects, from its annotations {@code @Group}, {@code @Version}, {@code @Plural}. */
    public static ResourceType type(Class<? extends HasMetadata> model) {
        return new ResourceType(HasMetadata.getGroup(model), HasMetadata.getVersion(model),
                HasMetadata.getPlural(model), HasMetadata.getKind(model), Namespaced.class.isAssignableFrom(model));
    }

    /** The trees of objects, such as for {@link dev.wheelhouse.operator.Decision#apply}. Later changes do not show. */
    public static Unstructured[] of(HasMetadata... objects) {
        return Arrays.stream(objects).map(object -> write(object, Unstructured.class)).toArray(Unstructured[]::new);
    }

    /**
     * The object of a tree. Fields that the class does not know are left out.
     *
     * @throws IllegalArgumentException if the tree does not fit the class; the message names the field
     */
    public static <T extends HasMetadata> T read(Unstructured tree, Class<T> model) {
        try {
            return MAPPER.readValue(ModelJson.writeBytes(tree), model);
        } catch (IOException e) {
            throw new IllegalArgumentException(tree + " is no " + model.getName() + ": " + e.getMessage(), e);
        }
    }

    static <T> T write(Object object, Class<T> as) {
        try {
            return ModelJson.read(MAPPER.writeValueAsBytes(object), as);
        } catch (IOException e) {
            throw new IllegalArgumentException(object.getClass().getName() + " cannot be written: " + e.getMessage(),
                    e);
        }
    }

    /** The definition that fabric8's generator has put on the class path; null if there is none. */
    static @Nullable V1CustomResourceDefinition definition(Class<? extends HasMetadata> model) {
        try (InputStream file = model.getResourceAsStream(fileOf(model))) {
            return file == null ? null : Crds.read(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(fileOf(model) + " cannot be read", e);
        }
    }

    static String fileOf(Class<? extends HasMetadata> model) {
        return "/META-INF/fabric8/" + type(model).groupResource() + "-v1.yml";
    }
}
