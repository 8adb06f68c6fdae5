package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.validation.Subject;

/** Config maps, and the size that secrets may have too (upstream: {@code pkg/registry/core/configmap}). */
final class ConfigMapStrategy extends Strategy {
    private static final int MAX_BYTES = 1024 * 1024;

    ConfigMapStrategy() {
        super("", "ConfigMap");
    }

    static void notInBinaryData(Subject key) {
        if (key.object().path("binaryData").has(key.text())) {
            key.problems().invalid(key.path(), key.text(), "duplicate of key present in binaryData");
        }
    }

    static void sizeOfConfigMap(Subject map) {
        limit(map, map.value().path("data").valueStream()
                .mapToLong(text -> text.asString("").getBytes(StandardCharsets.UTF_8).length).sum()
                + bytesOfBase64(map.value().path("binaryData")));
    }

    static void sizeOfSecret(Subject data) {
        limit(data, bytesOfBase64(data.value()));
    }

    /** The values of one object may have a megabyte together. */
    private static void limit(Subject subject, long bytes) {
        if (bytes > MAX_BYTES) {
            subject.problems().tooLong(subject.path(), MAX_BYTES);
        }
    }

    /** The number of bytes that the texts of a map in base64 stand for. */
    private static long bytesOfBase64(JsonNode map) {
        return map.valueStream().map(value -> value.asString("")).mapToLong(text -> text.length() / 4L * 3
                - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)).sum();
    }
}
