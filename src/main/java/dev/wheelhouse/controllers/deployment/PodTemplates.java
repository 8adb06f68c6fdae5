package dev.wheelhouse.controllers.deployment;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;

/**
 * Compares pod templates as the API machinery does (upstream: {@code apiequality.Semantic} in {@code EqualIgnoreHash}).
 * Quantities are compared by value. For lists and maps nil equals empty. For fields whose zero value the API omits,
 * zero equals absent. An empty object differs from an absent one if it is a choice, such as {@code emptyDir: {}}.
 */
final class PodTemplates {
    /** The label that distinguishes a Deployment's ReplicaSets and their pods. */
    static final String HASH_LABEL = "pod-template-hash";

    private static final Set<String> STRING_MAPS = Set.of("labels", "annotations", "nodeSelector", "matchLabels",
            "volumeAttributes", "options");
    private static final Set<String> QUANTITY_MAPS = Set.of("limits", "requests", "overhead");
    private static final Set<String> QUANTITIES = Set.of("sizeLimit", "divisor");
    /** Struct fields without a pointer in Go: an empty object equals an absent one. */
    private static final Set<String> VALUES = Set.of("metadata", "resources");
    /** String pointers in Go: an empty string differs from an absent one. */
    private static final Set<String> POINTERS = Set.of("storageClassName", "volumeAttributesClassName");
    private static final Set<String> FLAGS = Set.of("hostNetwork", "hostPID", "hostIPC", "readOnly", "stdin",
            "stdinOnce", "tty");
    private static final Set<String> NUMBERS = Set.of("initialDelaySeconds", "hostPort");

    private PodTemplates() {}

    /** Whether two templates are equal except for the hash label. */
    static boolean sameIgnoringHash(V1PodTemplateSpec a, V1PodTemplateSpec b) {
        return Objects.equals(a.getSpec(), b.getSpec()) && sameMetadata(a.getMetadata(), b.getMetadata())
                || !differentImages(a.getSpec(), b.getSpec()) && canonical(a).equals(canonical(b));
    }

    /** A quick check for the most frequent change. Templates with different images are never equal. */
    private static boolean differentImages(@Nullable V1PodSpec a, @Nullable V1PodSpec b) {
        if (a == null || b == null || a.getContainers() == null || b.getContainers() == null) {
            return false;
        }
        return !images(a).equals(images(b));
    }

    private static List<String> images(V1PodSpec spec) {
        return spec.getContainers().stream().map(c -> c.getImage() == null ? "" : c.getImage()).toList();
    }

    /** A quick check for the usual case, without the conversion to JSON. */
    private static boolean sameMetadata(@Nullable V1ObjectMeta a, @Nullable V1ObjectMeta b) {
        return a != null && b != null && Objects.equals(a.getAnnotations(), b.getAnnotations())
                && a.getLabels() != null && b.getLabels() != null
                && withoutHash(a.getLabels()).equals(withoutHash(b.getLabels()));
    }

    private static Map<String, String> withoutHash(Map<String, String> labels) {
        if (!labels.containsKey(HASH_LABEL)) {
            return labels;
        }
        Map<String, String> without = new HashMap<>(labels);
        without.remove(HASH_LABEL);
        return without;
    }

    /** A template without its hash label. Everything else is shared with the original. */
    static V1PodTemplateSpec withoutHash(V1PodTemplateSpec template) {
        V1ObjectMeta meta = template.getMetadata();
        if (meta == null || meta.getLabels() == null || !meta.getLabels().containsKey(HASH_LABEL)) {
            return template;
        }
        V1ObjectMeta without = ModelJson.shallowCopy(meta);
        without.setLabels(withoutHash(meta.getLabels()));
        V1PodTemplateSpec copy = ModelJson.shallowCopy(template);
        copy.setMetadata(without);
        return copy;
    }

    /** A form that is equal for equal templates only. Its JSON has sorted keys. */
    static Map<String, Object> canonical(V1PodTemplateSpec template) {
        Object canonical = canonical("", ModelJson.tree(withoutHash(template)));
        @SuppressWarnings("unchecked")
        Map<String, Object> map = canonical == null ? Map.of() : (Map<String, Object>) canonical;
        return map;
    }

    private static @Nullable Object canonical(String field, JsonNode node) {
        if (node.isObject()) {
            return object(field, node);
        }
        if (node.isArray()) {
            List<Object> list = new ArrayList<>();
            for (JsonNode element : node) {
                Object value = canonical("", element);
                list.add(value == null ? Map.of() : value);
            }
            return list.isEmpty() ? null : list;
        }
        return scalar(field, node);
    }

    private static @Nullable Object object(String field, JsonNode node) {
        boolean strings = STRING_MAPS.contains(field);
        boolean quantities = QUANTITY_MAPS.contains(field);
        Map<String, Object> map = new TreeMap<>();
        for (Map.Entry<String, JsonNode> e : node.properties()) {
            JsonNode child = e.getValue();
            Object value = strings && child.isString()
                    ? child.stringValue()
                    : quantities && child.isString()
                            ? quantity(child.stringValue())
                            : canonical(e.getKey(), child);
            if (value != null) {
                map.put(e.getKey(), value);
            }
        }
        boolean vanishes = strings || quantities || VALUES.contains(field);
        return map.isEmpty() && vanishes ? null : map;
    }

    private static @Nullable Object scalar(String field, JsonNode node) {
        if (node.isNull() || node.isMissingNode()) {
            return null;
        }
        if (node.isString()) {
            String text = node.stringValue();
            if (text.isEmpty() && !POINTERS.contains(field)) {
                return null;
            }
            return QUANTITIES.contains(field) ? quantity(text) : text;
        }
        if (node.isBoolean()) {
            return !node.booleanValue() && FLAGS.contains(field) ? null : (Object) node.booleanValue();
        }
        BigDecimal number = node.decimalValue();
        return number.signum() == 0 && NUMBERS.contains(field) ? null : number.stripTrailingZeros();
    }

    private static Object quantity(String text) {
        try {
            return Quantity.fromString(text).getNumber().stripTrailingZeros().toPlainString();
        } catch (RuntimeException notAQuantity) {
            return text;
        }
    }
}
