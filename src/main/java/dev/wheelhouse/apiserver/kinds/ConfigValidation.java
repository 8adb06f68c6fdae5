package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of config maps and secrets (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class ConfigValidation {
    private static final int MAX_BYTES = 1024 * 1024;
    private static final String WHEN_IMMUTABLE = "field is immutable when `immutable` is set";

    private ConfigValidation() {}

    static void configMap(ObjectNode map, Problems problems) {
        long size = 0;
        for (Map.Entry<String, JsonNode> entry : map.path("data").properties()) {
            String at = Problems.key("data", entry.getKey());
            problems.invalid(at, entry.getKey(), Formats.configKey(entry.getKey()));
            if (map.path("binaryData").has(entry.getKey())) {
                problems.invalid(at, entry.getKey(), "duplicate of key present in binaryData");
            }
            size += entry.getValue().asString("").getBytes(StandardCharsets.UTF_8).length;
        }
        for (Map.Entry<String, JsonNode> entry : map.path("binaryData").properties()) {
            problems.invalid(Problems.key("binaryData", entry.getKey()), entry.getKey(),
                    Formats.configKey(entry.getKey()));
            size += decodedLength(entry.getValue());
        }
        if (size > MAX_BYTES) {
            problems.tooLong("", MAX_BYTES);
        }
    }

    static void configMapUpdate(ObjectNode map, ObjectNode old, Problems problems) {
        immutableStays(map, old, List.of("data", "binaryData"), problems);
        configMap(map, problems);
    }

    static void secret(ObjectNode secret, Problems problems) {
        JsonNode data = secret.path("data");
        long size = 0;
        for (Map.Entry<String, JsonNode> entry : data.properties()) {
            problems.invalid(Problems.key("data", entry.getKey()), entry.getKey(), Formats.configKey(entry.getKey()));
            size += decodedLength(entry.getValue());
        }
        if (size > MAX_BYTES) {
            problems.tooLong("data", MAX_BYTES);
        }
        switch (Json.text(secret, "type")) {
            case "kubernetes.io/service-account-token" -> {
                String annotation = "kubernetes.io/service-account.name";
                if (Json.text(secret, "metadata", "annotations", annotation).isEmpty()) {
                    problems.required(Problems.key("metadata.annotations", annotation));
                }
            }
            case "kubernetes.io/dockercfg" -> needs(data, ".dockercfg", problems);
            case "kubernetes.io/dockerconfigjson" -> needs(data, ".dockerconfigjson", problems);
            case "kubernetes.io/basic-auth" -> {
                if (!data.has("username") && !data.has("password")) {
                    needs(data, "username", problems);
                    needs(data, "password", problems);
                }
            }
            case "kubernetes.io/ssh-auth" -> {
                if (Json.text(data, "ssh-privatekey").isEmpty()) {
                    problems.required("data[ssh-privatekey]");
                }
            }
            case "kubernetes.io/tls" -> {
                needs(data, "tls.crt", problems);
                needs(data, "tls.key", problems);
            }
            default -> {
                // any data will do
            }
        }
    }

    static void secretUpdate(ObjectNode secret, ObjectNode old, Problems problems) {
        problems.immutable("type", secret.get("type"), old.get("type"));
        immutableStays(secret, old, List.of("data"), problems);
        secret(secret, problems);
    }

    private static void needs(JsonNode data, String key, Problems problems) {
        if (!data.has(key)) {
            problems.required(Problems.key("data", key));
        }
    }

    private static void immutableStays(ObjectNode object, ObjectNode old, List<String> fields, Problems problems) {
        if (!old.path("immutable").asBoolean(false)) {
            return;
        }
        if (!object.path("immutable").asBoolean(false)) {
            problems.forbidden("immutable", WHEN_IMMUTABLE);
        }
        for (String field : fields) {
            if (!object.path(field).equals(old.path(field))) {
                problems.forbidden(field, WHEN_IMMUTABLE);
            }
        }
    }

    private static long decodedLength(JsonNode base64) {
        String text = base64.asString("");
        int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
        return text.length() / 4L * 3 - padding;
    }
}
