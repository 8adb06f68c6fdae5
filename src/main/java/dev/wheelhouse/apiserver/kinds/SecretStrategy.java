package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Secrets (upstream: {@code pkg/registry/core/secret}). */
final class SecretStrategy extends Strategy {
    SecretStrategy() {
        super("", "Secret");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.Secret", secret -> {
            moveTexts(secret);
            set(secret, "type", "Opaque");
        });
    }

    /** Moves the texts of the write-only field {@code stringData} to {@code data}, where they replace equal keys. */
    private static void moveTexts(ObjectNode secret) {
        if (secret.remove("stringData") instanceof ObjectNode texts) {
            for (Map.Entry<String, JsonNode> text : texts.properties()) {
                Json.child(secret, "data").put(text.getKey(), Base64.getEncoder()
                        .encodeToString(text.getValue().asString("").getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    @Override
    protected void validate(ObjectNode secret, Problems problems) {
        JsonNode data = secret.path("data");
        long size = 0;
        for (Map.Entry<String, JsonNode> entry : data.properties()) {
            problems.invalid(Problems.key("data", entry.getKey()), entry.getKey(), Formats.configKey(entry.getKey()));
            size += KeyedData.decodedLength(entry.getValue());
        }
        if (size > KeyedData.MAX_BYTES) {
            problems.tooLong("data", KeyedData.MAX_BYTES);
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
                // Other types take any data.
            }
        }
    }

    @Override
    protected void validateUpdate(ObjectNode secret, ObjectNode old, Problems problems) {
        problems.immutable("type", secret.get("type"), old.get("type"));
        KeyedData.immutableStays(secret, old, List.of("data"), problems);
        validate(secret, problems);
    }

    private static void needs(JsonNode data, String key, Problems problems) {
        if (!data.has(key)) {
            problems.required(Problems.key("data", key));
        }
    }
}
