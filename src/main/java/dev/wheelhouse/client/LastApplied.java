package dev.wheelhouse.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/**
 * The annotation in which {@code kubectl apply} keeps a copy of the applied object. Only kubectl reads it, so a cache
 * may replace its value by an empty one to save memory. When the object or a copy of it is written by a PUT, the empty
 * value tells the client to put the server's value back.
 */
public final class LastApplied {
    public static final String ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
    /** A value that kubectl never writes. */
    private static final String LEFT_OUT = "";

    private LastApplied() {}

    /** The object with an empty value. A model may be shared, so it stays as it is. */
    @SuppressWarnings({"unchecked", "ReferenceEquality"})
    public static <T extends KubernetesObject> T leaveOut(T object) {
        V1ObjectMeta meta = object.getMetadata();
        Map<String, String> annotations = meta.getAnnotations();
        if (annotations == null || !annotations.containsKey(ANNOTATION)) {
            return object;
        }
        Map<String, String> smaller = new LinkedHashMap<>(annotations);
        smaller.put(ANNOTATION, LEFT_OUT);
        boolean model = ModelClass.isModel(object.getClass());
        V1ObjectMeta trimmed = model ? ModelJson.shallowCopy(meta) : meta;
        trimmed.setAnnotations(Collections.unmodifiableMap(smaller));
        return model
                ? (T) ModelClass.of(object.getClass()).copy(object, value -> value == meta ? trimmed : value)
                : object;
    }

    /**
     * The object to write: the object itself if its value was not emptied, else a copy with the server's value.
     *
     * @param live reads the object from the server; called only if the value was emptied. Null for a create: the server
     *     has no such object, and the copy lacks the annotation.
     */
    public static <T extends KubernetesObject> T restore(T object, @Nullable Supplier<T> live) {
        V1ObjectMeta meta = object.getMetadata();
        Map<String, String> annotations = meta == null ? null : meta.getAnnotations();
        if (annotations == null || !LEFT_OUT.equals(annotations.get(ANNOTATION))) {
            return object;
        }
        Map<String, String> current = live == null ? null : live.get().getMetadata().getAnnotations();
        String value = current == null ? null : current.get(ANNOTATION);
        Map<String, String> whole = new LinkedHashMap<>(annotations);
        if (value == null) {
            whole.remove(ANNOTATION);
        } else {
            whole.put(ANNOTATION, value);
        }
        T copy = ModelJson.copy(object);
        copy.getMetadata().setAnnotations(whole);
        return copy;
    }
}
