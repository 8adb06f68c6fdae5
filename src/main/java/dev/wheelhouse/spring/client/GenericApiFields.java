package dev.wheelhouse.spring.client;

import java.lang.reflect.Field;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.util.generic.GenericKubernetesApi;

import dev.wheelhouse.api.ResourceType;

/**
 * Reads the private fields of the official client's {@link GenericKubernetesApi} that hold its resource type, which has
 * no accessor. In a version of the client without these fields, informers of generic APIs send that API's own requests.
 */
final class GenericApiFields {
    private GenericApiFields() {}

    /** The type that the API was made for; null if this version of the client has other fields. */
    static @Nullable ResourceType type(GenericKubernetesApi<?, ?> api, String kind) {
        try {
            return new ResourceType(text(api, "apiGroup"), text(api, "apiVersion"), text(api, "resourcePlural"), kind,
                    true);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    private static String text(GenericKubernetesApi<?, ?> api, String name) throws ReflectiveOperationException {
        Field field = GenericKubernetesApi.class.getDeclaredField(name);
        field.setAccessible(true);
        return (String) field.get(api);
    }
}
