package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Subject;

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

    static void jsonObject(Subject bytes) {
        String wrong = "";
        try {
            JsonNode value = Json.read(Base64.getMimeDecoder().decode(bytes.text()));
            wrong = value.isObject() || value.isNull()
                    ? ""
                    : value.isMissingNode()
                            ? "unexpected end of JSON input"
                            : "json: cannot unmarshal " + (value.isArray()
                                    ? "array"
                                    : value.isString()
                                            ? "string"
                                            : value.isBoolean() ? "bool" : "number")
                                    + " into Go value of type map[string]interface {}";
        } catch (StreamReadException e) {
            wrong = "unexpected end of JSON input";
        } catch (JacksonException | IllegalArgumentException e) {
            wrong = "invalid character";
        }
        if (!wrong.isEmpty()) {
            bytes.problems().invalid(bytes.path(), "<secret contents redacted>", wrong);
        }
    }
}
