package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/** Decodes documents by the field numbers of gnostic's OpenAPIv2.proto. */
class GnosticEncoderTest {
    private static UnknownFieldSet message(ByteString bytes) throws InvalidProtocolBufferException {
        return UnknownFieldSet.parseFrom(bytes);
    }

    private static UnknownFieldSet message(UnknownFieldSet in, int number) throws InvalidProtocolBufferException {
        return message(in.getField(number).getLengthDelimitedList().getFirst());
    }

    private static List<String> texts(UnknownFieldSet in, int number) {
        return in.getField(number).getLengthDelimitedList().stream().map(ByteString::toStringUtf8).toList();
    }

    private static UnknownFieldSet encode(String json) throws InvalidProtocolBufferException {
        return UnknownFieldSet.parseFrom(GnosticEncoder.encode((ObjectNode) Json.read(json)));
    }

    @Test
    void aSchemaKeepsItsTypePropertiesAndExtensions() throws InvalidProtocolBufferException {
        UnknownFieldSet document = encode("""
                {"swagger": "2.0", "info": {"title": "t", "version": "v"}, "definitions": {"a.B": {
                  "description": "d", "type": "object", "required": ["x"],
                  "properties": {
                    "x": {"type": "array", "items": {"$ref": "#/definitions/a.C"}},
                    "y": {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}}},
                  "x-kubernetes-map-type": "atomic"}}}""");

        assertThat(texts(document, 1)).containsExactly("2.0");
        assertThat(texts(message(document, 2), 1)).containsExactly("t");
        UnknownFieldSet definition = message(message(document, 9), 1);
        assertThat(texts(definition, 1)).containsExactly("a.B");
        UnknownFieldSet schema = message(definition, 2);
        assertThat(texts(schema, 4)).containsExactly("d");
        assertThat(texts(schema, 19)).containsExactly("x");
        assertThat(texts(message(schema, 22), 1)).containsExactly("object");
        List<ByteString> properties = message(schema, 25).getField(1).getLengthDelimitedList();
        UnknownFieldSet x = message(message(properties.get(0)), 2);
        assertThat(texts(message(message(x, 23), 1), 1)).containsExactly("#/definitions/a.C");
        UnknownFieldSet y = message(message(properties.get(1)), 2);
        assertThat(texts(message(message(y, 21), 1), 2)).containsExactly("byte");
        UnknownFieldSet extension = message(schema, 31);
        assertThat(texts(extension, 1)).containsExactly("x-kubernetes-map-type");
        assertThat(texts(message(extension, 2), 2)).containsExactly("\"atomic\"");
    }

    @Test
    void anOperationKeepsItsParametersAndAnswers() throws InvalidProtocolBufferException {
        UnknownFieldSet document = encode(
                """
                        {"paths": {"/p/{name}": {
                          "parameters": [{"name": "name", "in": "path", "required": true, "type": "string"}],
                          "patch": {"operationId": "patchIt", "consumes": ["application/json-patch+json"],
                            "parameters": [{"name": "body", "in": "body", "required": true,
                             "schema": {"$ref": "#/definitions/P"}},
                              {"name": "dryRun", "in": "query", "description": "d", "type": "string",
                               "uniqueItems": true}],
                            "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/R"}}},
                            "x-kubernetes-action": "patch"}}}}""");

        UnknownFieldSet path = message(message(document, 8), 2);
        assertThat(texts(path, 1)).containsExactly("/p/{name}");
        UnknownFieldSet item = message(path, 2);
        UnknownFieldSet nameParameter = message(message(message(message(item, 9), 1), 2), 4);
        assertThat(texts(nameParameter, 4)).containsExactly("name");
        assertThat(texts(nameParameter, 5)).containsExactly("string");
        assertThat(nameParameter.getField(1).getVarintList()).containsExactly(1L);
        UnknownFieldSet patch = message(item, 8);
        assertThat(texts(patch, 5)).containsExactly("patchIt");
        assertThat(texts(patch, 7)).containsExactly("application/json-patch+json");
        List<UnknownFieldSet> parameters = new ArrayList<>();
        for (ByteString parameter : patch.getField(8).getLengthDelimitedList()) {
            parameters.add(message(message(parameter), 1));
        }
        UnknownFieldSet body = message(parameters.get(0), 1);
        assertThat(texts(body, 2)).containsExactly("body");
        assertThat(texts(message(body, 5), 1)).containsExactly("#/definitions/P");
        UnknownFieldSet query = message(message(parameters.get(1), 2), 3);
        assertThat(texts(query, 4)).containsExactly("dryRun");
        assertThat(texts(query, 6)).containsExactly("string");
        assertThat(query.getField(20).getVarintList()).containsExactly(1L);
        UnknownFieldSet answer = message(message(patch, 9), 1);
        assertThat(texts(answer, 1)).containsExactly("200");
        UnknownFieldSet response = message(message(answer, 2), 1);
        assertThat(texts(response, 1)).containsExactly("OK");
        assertThat(texts(message(message(response, 2), 1), 1)).containsExactly("#/definitions/R");
        assertThat(texts(message(patch, 13), 1)).containsExactly("x-kubernetes-action");
    }

    @Test
    void theWholeDocumentHasAllDefinitionsAndPaths() throws InvalidProtocolBufferException {
        OpenApi openApi = new OpenApi(ResourceRegistry.builtIn());
        UnknownFieldSet document = UnknownFieldSet.parseFrom(openApi.v2Protobuf());

        assertThat(message(document, 9).getField(1).getLengthDelimitedList())
                .hasSameSizeAs(openApi.v2().get("definitions"));
        assertThat(message(document, 8).getField(2).getLengthDelimitedList())
                .hasSameSizeAs(openApi.v2().get("paths"));
    }
}
