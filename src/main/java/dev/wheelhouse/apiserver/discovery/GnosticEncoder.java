package dev.wheelhouse.apiserver.discovery;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Encodes an OpenAPI v2 document as the protobuf message {@code openapi.v2.Document}. The field numbers are those of
 * gnostic's public schema {@code OpenAPIv2.proto}. Only features that this server's documents use are supported.
 */
final class GnosticEncoder {
    /** The methods of a path's operations. The index in the list is the number of the field, less two. */
    private static final List<String> METHODS = List.of("get", "put", "post", "delete", "options", "head", "patch");

    private GnosticEncoder() {}

    static byte[] encode(ObjectNode document) {
        ProtoMessage message = new ProtoMessage();
        message.text(1, Json.text(document, "swagger"));
        JsonNode info = document.path("info");
        message.message(2, new ProtoMessage().text(1, Json.text(info, "title")).text(2, Json.text(info, "version")));
        ProtoMessage paths = new ProtoMessage();
        document.path("paths").properties().forEach(
                path -> paths.message(2, named(path.getKey(), pathItem(path.getValue()))));
        message.message(8, paths);
        ProtoMessage definitions = new ProtoMessage();
        document.path("definitions").properties().forEach(
                type -> definitions.message(1, named(type.getKey(), schema(type.getValue()))));
        return message.message(9, definitions).bytes();
    }

    private static ProtoMessage named(String name, ProtoMessage value) {
        return new ProtoMessage().text(1, name).message(2, value);
    }

    private static ProtoMessage pathItem(JsonNode item) {
        ProtoMessage message = new ProtoMessage();
        METHODS.stream().filter(item::has)
                .forEach(method -> message.message(METHODS.indexOf(method) + 2, operation(item.path(method))));
        item.path("parameters").forEach(parameter -> message.message(9, parameter(parameter)));
        return message;
    }

    private static ProtoMessage operation(JsonNode operation) {
        ProtoMessage message = new ProtoMessage();
        texts(message, 1, operation.path("tags"));
        message.text(3, Json.text(operation, "description")).text(5, Json.text(operation, "operationId"));
        texts(message, 6, operation.path("produces"));
        texts(message, 7, operation.path("consumes"));
        operation.path("parameters").forEach(parameter -> message.message(8, parameter(parameter)));
        ProtoMessage responses = new ProtoMessage();
        operation.path("responses").properties().forEach(
                response -> responses.message(1, named(response.getKey(), response(response.getValue()))));
        message.message(9, responses);
        texts(message, 10, operation.path("schemes"));
        return extensions(message, 13, operation);
    }

    /** A {@code ParametersItem}. It holds a {@code Parameter}, which holds a body, query or path parameter. */
    private static ProtoMessage parameter(JsonNode parameter) {
        ProtoMessage message = new ProtoMessage();
        String in = Json.text(parameter, "in");
        boolean required = parameter.path("required").asBoolean(false);
        if (in.equals("body")) {
            ProtoMessage body = new ProtoMessage().text(2, Json.text(parameter, "name")).text(3, in).flag(4, required)
                    .message(5, schema(parameter.path("schema")));
            return message.message(1, new ProtoMessage().message(1, body));
        }
        boolean query = in.equals("query");
        ProtoMessage other = new ProtoMessage().flag(1, required).text(2, in)
                .text(3, Json.text(parameter, "description"))
                .text(4, Json.text(parameter, "name")).text(query ? 6 : 5, Json.text(parameter, "type"))
                .flag(query ? 20 : 19, parameter.path("uniqueItems").asBoolean(false));
        return message.message(1, new ProtoMessage().message(2, new ProtoMessage().message(query ? 3 : 4, other)));
    }

    /** A {@code ResponseValue}. It holds a {@code Response}, whose {@code SchemaItem} holds the schema. */
    private static ProtoMessage response(JsonNode response) {
        ProtoMessage message = new ProtoMessage().text(1, Json.text(response, "description"));
        if (response.has("schema")) {
            message.message(2, new ProtoMessage().message(1, schema(response.path("schema"))));
        }
        return new ProtoMessage().message(1, message);
    }

    private static ProtoMessage schema(JsonNode schema) {
        ProtoMessage message = new ProtoMessage().text(1, Json.text(schema, "$ref"))
                .text(2, Json.text(schema, "format"))
                .text(4, Json.text(schema, "description"));
        texts(message, 19, schema.path("required"));
        schema.path("enum").forEach(value -> message.message(20, any(value)));
        if (schema.has("additionalProperties")) {
            message.message(21, new ProtoMessage().message(1, schema(schema.path("additionalProperties"))));
        }
        if (schema.has("type")) {
            message.message(22, new ProtoMessage().text(1, Json.text(schema, "type")));
        }
        if (schema.has("items")) {
            message.message(23, new ProtoMessage().message(1, schema(schema.path("items"))));
        }
        if (schema.has("properties")) {
            ProtoMessage properties = new ProtoMessage();
            schema.path("properties").properties().forEach(
                    property -> properties.message(1, named(property.getKey(), schema(property.getValue()))));
            message.message(25, properties);
        }
        return extensions(message, 31, schema);
    }

    private static ProtoMessage extensions(ProtoMessage message, int number, JsonNode node) {
        node.properties().stream().filter(field -> field.getKey().startsWith("x-"))
                .forEach(field -> message.message(number, named(field.getKey(), any(field.getValue()))));
        return message;
    }

    /** An {@code Any}. It holds YAML, and JSON is valid YAML. */
    private static ProtoMessage any(JsonNode value) {
        return new ProtoMessage().text(2, value.toString());
    }

    private static void texts(ProtoMessage message, int number, JsonNode list) {
        list.forEach(text -> message.text(number, text.asString("")));
    }
}
