package dev.wheelhouse.apiserver.discovery;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** The two versions of OpenAPI, with the parts that they write differently. */
enum Dialect {
    V2("#/definitions/"), V3("#/components/schemas/");

    private static final List<String> PRODUCED = List.of("application/json", "application/yaml",
            "application/vnd.kubernetes.protobuf");

    private final String refPrefix;

    Dialect(String refPrefix) {
        this.refPrefix = refPrefix;
    }

    ObjectNode ref(String typeName) {
        return Json.object().put("$ref", refPrefix + typeName);
    }

    /** A reference with a description. In v3 nothing may stand beside a reference, so an {@code allOf} holds it. */
    ObjectNode ref(String typeName, String description) {
        ObjectNode described = this == V2 ? ref(typeName) : Json.object();
        if (this == V3) {
            described.putArray("allOf").add(ref(typeName));
        }
        return description.isEmpty() ? described : described.put("description", description);
    }

    ObjectNode parameter(String in, String name, String type, String description, boolean required) {
        ObjectNode parameter = Json.object().put("name", name).put("in", in).put("description", description);
        if (required) {
            parameter.put("required", true);
        }
        if (this == V2) {
            parameter.put("type", type).put("uniqueItems", true);
        } else {
            parameter.putObject("schema").put("type", type).put("uniqueItems", true);
        }
        return parameter;
    }

    /** Adds a request body. Without content types, any type is accepted. */
    void body(ObjectNode operation, String typeName, List<String> contentTypes, boolean required) {
        List<String> accepted = contentTypes.isEmpty() ? List.of("*/*") : contentTypes;
        if (this == V2) {
            Json.putTexts(operation, "consumes", accepted);
            ObjectNode body = array(operation, "parameters").addObject().put("name", "body").put("in", "body");
            if (required) {
                body.put("required", true);
            }
            body.set("schema", ref(typeName));
        } else {
            ObjectNode body = operation.putObject("requestBody");
            ObjectNode content = body.putObject("content");
            accepted.forEach(type -> content.putObject(type).set("schema", ref(typeName)));
            if (required) {
                body.put("required", true);
            }
        }
    }

    /** Adds a response. Without a type, it is plain text. */
    void response(ObjectNode operation, int code, String description, @Nullable String typeName) {
        ObjectNode response = Json.child(operation, "responses").putObject(Integer.toString(code)).put("description",
                description);
        ObjectNode schema = typeName == null ? Json.object().put("type", "string") : ref(typeName);
        if (this == V2) {
            response.set("schema", schema);
            if (!operation.has("produces")) {
                Json.putTexts(operation, "produces", PRODUCED);
            }
        } else {
            ObjectNode content = response.putObject("content");
            if (typeName == null) {
                content.putObject("*/*").set("schema", schema);
            } else {
                PRODUCED.forEach(type -> content.putObject(type).set("schema", schema));
            }
        }
    }

    static ArrayNode array(ObjectNode node, String field) {
        return node.get(field) instanceof ArrayNode list ? list : node.putArray(field);
    }
}
