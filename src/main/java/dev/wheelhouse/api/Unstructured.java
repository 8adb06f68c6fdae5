package dev.wheelhouse.api;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.annotations.JsonAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

/**
 * An object of any type, also of a type without a model class. The metadata is typed; the rest consists of maps, lists,
 * strings, numbers and booleans (upstream: apimachinery {@code pkg/apis/meta/v1/unstructured}). Jackson and the
 * official client's Gson both read and write it. Not thread safe while a thread changes it.
 */
@PublicApi
@JsonAdapter(Unstructured.GsonFactory.class)
public final class Unstructured extends AbstractKubernetesObject {
    private final transient Map<String, @Nullable Object> content = new LinkedHashMap<>();

    /**
     * All fields except {@code apiVersion}, {@code kind} and {@code metadata}. The map is live: changing it changes the
     * object.
     */
    @JsonAnyGetter
    public Map<String, @Nullable Object> getContent() {
        return content;
    }

    /**
     * Sets a top-level field, such as {@code spec}.
     * @param value a map, list, string, number, boolean or null
     */
    @JsonAnySetter
    public void set(String field, @Nullable Object value) {
        content.put(field, value);
    }

    /**
     * The value at a path, such as {@code get("spec", "size")}; null if there is none. A list item is addressed by its
     * index.
     */
    public @Nullable Object get(String... path) {
        Object value = content;
        for (String step : path) {
            value = switch (value) {
                case Map<?, ?> map -> map.get(step);
                case List<?> list -> item(list, step);
                case null, default -> null;
            };
        }
        return value;
    }

    private static @Nullable Object item(List<?> list, String step) {
        try {
            int index = Integer.parseInt(step);
            return index >= 0 && index < list.size() ? list.get(index) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The string at a path; null if there is none, or the value is not a string. */
    public @Nullable String getString(String... path) {
        return get(path) instanceof String text ? text : null;
    }

    /** The number at a path; null if there is none, or the value is not a number. */
    public @Nullable Number getNumber(String... path) {
        return get(path) instanceof Number number ? number : null;
    }

    @Override
    public String toString() {
        return getKind() + " " + getMetadata().getNamespace() + "/" + getMetadata().getName();
    }

    /** Lets the official client's Gson read and write the whole object. */
    static final class GsonFactory implements TypeAdapterFactory {
        @Override
        @SuppressWarnings("unchecked")
        public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
            return (TypeAdapter<T>) new Adapter(gson.getAdapter(V1ObjectMeta.class), gson.getAdapter(Object.class));
        }
    }

    private static final class Adapter extends TypeAdapter<Unstructured> {
        /** Reads maps, lists, texts, truths, integers that fit as Long, and other numbers as Double. */
        private static final TypeAdapter<Object> VALUES = new GsonBuilder()
                .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create().getAdapter(Object.class);

        private final TypeAdapter<V1ObjectMeta> metadata;
        private final TypeAdapter<Object> written;

        Adapter(TypeAdapter<V1ObjectMeta> metadata, TypeAdapter<Object> written) {
            this.metadata = metadata;
            this.written = written;
        }

        @Override
        public void write(JsonWriter out, Unstructured object) throws IOException {
            out.beginObject();
            out.name("apiVersion").value(object.getApiVersion());
            out.name("kind").value(object.getKind());
            out.name("metadata");
            metadata.write(out, object.getMetadata());
            for (Map.Entry<String, @Nullable Object> field : object.content.entrySet()) {
                out.name(field.getKey());
                written.write(out, field.getValue());
            }
            out.endObject();
        }

        @Override
        public Unstructured read(JsonReader in) throws IOException {
            Unstructured object = new Unstructured();
            in.beginObject();
            while (in.hasNext()) {
                String field = in.nextName();
                switch (field) {
                    case "apiVersion" -> object.setApiVersion(in.nextString());
                    case "kind" -> object.setKind(in.nextString());
                    case "metadata" -> object.setMetadata(metadata.read(in));
                    default -> object.content.put(field, VALUES.read(in));
                }
            }
            in.endObject();
            return object;
        }
    }
}
