package dev.wheelhouse.operator;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Compares a wanted object with the stored one, both in {@link dev.wheelhouse.facts.SemanticForm}. Only the wanted
 * fields are compared: the others belong to the server or to other clients.
 */
final class Drift {
    private static final int LONGEST_VALUE = 60;

    private Drift() {}

    /**
     * The first difference in a wanted field, in words: {@code spec.replicas: 1 becomes 2}.
     *
     * @param values whether the text may show values; those of Secrets must not be logged
     * @return null if every wanted field is stored with the wanted value
     */
    static @Nullable String first(Object wanted, @Nullable Object stored, boolean values) {
        return first(wanted, stored, "", values);
    }

    private static @Nullable String first(Object wanted, @Nullable Object stored, String path, boolean values) {
        if (wanted instanceof Map<?, ?> fields && stored instanceof Map<?, ?> others) {
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                String found = first(field.getValue(), others.get(field.getKey()),
                        path.isEmpty() ? String.valueOf(field.getKey()) : path + "." + field.getKey(), values);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
        if (wanted instanceof List<?> items && stored instanceof List<?> others) {
            return items.stream()
                    .allMatch(item -> others.stream().anyMatch(other -> first(item, other, "", false) == null))
                            ? null
                            : path + " changes";
        }
        if (wanted.equals(stored)) {
            return null;
        }
        return stored == null
                ? path + " is not set"
                : values ? path + ": " + shown(stored) + " becomes " + shown(wanted) : path + " changes";
    }

    private static String shown(Object value) {
        String text = value.toString();
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
    }

    /** The values that the wanted fields have in the stored object. Lists are taken as a whole. */
    static @Nullable Object projection(Object wanted, @Nullable Object stored) {
        if (!(wanted instanceof Map<?, ?> fields && stored instanceof Map<?, ?> others)) {
            return stored;
        }
        Map<String, @Nullable Object> projection = new TreeMap<>();
        fields.forEach((name, value) -> {
            Object other = others.get(name);
            if (other != null) {
                projection.put(String.valueOf(name), projection(value, other));
            }
        });
        return projection;
    }

    /** A hash of 128 bits, so that equal hashes mean equal forms. */
    static UUID hash(@Nullable Object form) {
        return UUID.nameUUIDFromBytes(String.valueOf(form).getBytes(StandardCharsets.UTF_8));
    }
}
