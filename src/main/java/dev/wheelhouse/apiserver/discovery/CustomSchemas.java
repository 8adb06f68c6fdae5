package dev.wheelhouse.apiserver.discovery;

import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.CustomType;
import dev.wheelhouse.apiserver.schema.ResourceInfo;

/** The schemas of custom kinds in the documents (upstream: {@code apiextensions-apiserver/pkg/controller/openapi/builder}). */
final class CustomSchemas {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    /** What version 2 of OpenAPI does not know. */
    private static final List<String> NOT_IN_V2 = List.of("anyOf", "oneOf", "not", "nullable", "default",
            "x-kubernetes-validations");

    private CustomSchemas() {}

    static ObjectNode of(ResourceInfo resource, Dialect dialect) {
        CustomType custom = resource.custom();
        ObjectNode schema;
        if (custom == null || custom.schema() == null || custom.preserves()) {
            schema = Json.object().put("type", "object");
            schema.put("x-kubernetes-preserve-unknown-fields", true);
        } else {
            schema = custom.schema().deepCopy();
            ObjectNode properties = Json.child(schema, "properties");
            properties.set("apiVersion", text("The group and version of the API that the object is written in."));
            properties.set("kind", text("The type of the object, in CamelCase."));
            properties.set("metadata", reference(dialect));
            if (dialect == Dialect.V2) {
                reduce(schema);
            }
        }
        SchemaWriter.addKinds(schema, List.of(resource.type().apiVersion() + " " + resource.type().kind()));
        return schema;
    }

    private static ObjectNode text(String description) {
        return Json.object().put("description", description).put("type", "string");
    }

    private static ObjectNode reference(Dialect dialect) {
        return dialect.ref(META + "ObjectMeta");
    }

    /** Takes out, at every depth, what the dialect has no words for; values of more than one type get none. */
    private static void reduce(ObjectNode schema) {
        schema.remove(NOT_IN_V2);
        if (schema.path("x-kubernetes-int-or-string").asBoolean(false)
                || schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)) {
            schema.remove(List.of("type", "properties", "items", "additionalProperties"));
        }
        for (String nested : Set.of("properties", "definitions")) {
            for (Map.Entry<String, JsonNode> property : schema.path(nested).properties()) {
                if (property.getValue() instanceof ObjectNode of) {
                    reduce(of);
                }
            }
        }
        for (String nested : Set.of("items", "additionalProperties")) {
            if (schema.get(nested) instanceof ObjectNode of) {
                reduce(of);
            }
        }
        if (schema.get("allOf") instanceof ArrayNode all && !all.toString().contains("$ref")) {
            schema.remove("allOf");
        }
    }
}
