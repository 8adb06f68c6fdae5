package dev.wheelhouse.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schemas of one release of Kubernetes, {@code api/openapi-spec/swagger.json} in its sources. */
final class Schemas {
    private final JsonNode definitions;

    Schemas(Path kubernetes) throws IOException {
        definitions = JsonMapper.shared()
                .readTree(Files.readString(kubernetes.resolve("api/openapi-spec/swagger.json"))).path("definitions");
    }

    /** @return a sentence for each field of an object that is unknown, missing or of another type */
    List<String> violations(JsonNode object) {
        List<String> found = new ArrayList<>();
        String[] version = object.path("apiVersion").asString().split("/", -1);
        for (JsonNode schema : definitions) {
            for (JsonNode kind : schema.path("x-kubernetes-group-version-kind")) {
                if (kind.path("kind").equals(object.path("kind")) && kind.path("version").asString()
                        .equals(version[version.length - 1])
                        && kind.path("group").asString().equals(version.length == 1 ? "" : version[0])) {
                    check(object, schema, object.path("kind").asString(), found);
                    return found;
                }
            }
        }
        found.add("there is no " + object.path("apiVersion") + " " + object.path("kind"));
        return found;
    }

    private void check(JsonNode value, JsonNode schema, String path, List<String> found) {
        String[] name = schema.path("$ref").asString("").split("/", -1);
        if (name.length > 1) {
            check(value, definitions.path(name[name.length - 1]), path, found);
            return;
        }
        String type = schema.path("type").asString("");
        boolean fits = switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "boolean" -> value.isBoolean();
            case "integer" -> value.isIntegralNumber();
            case "string" -> value.isString()
                    || value.isIntegralNumber() && schema.path("format").asString("").equals("int-or-string");
            default -> true;
        };
        if (!fits) {
            found.add(path + " is no " + type + ": " + value);
        }
        schema.path("required").forEach(field -> {
            if (!value.has(field.asString())) {
                found.add(path + "." + field.asString() + " is missing");
            }
        });
        value.properties().forEach(field -> {
            JsonNode of = schema.path("properties").path(field.getKey());
            JsonNode any = schema.path("additionalProperties");
            if (!of.isMissingNode() || !any.isMissingNode()) {
                check(field.getValue(), of.isMissingNode() ? any : of, path + "." + field.getKey(), found);
            } else if (schema.has("properties")) {
                found.add(path + "." + field.getKey() + " is unknown");
            }
        });
        if (value.isArray()) {
            value.forEach(item -> check(item, schema.path("items"), path + "[]", found));
        }
    }
}
