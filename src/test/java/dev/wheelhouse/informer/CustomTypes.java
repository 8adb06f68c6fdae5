package dev.wheelhouse.informer;

import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;

/** Custom resource types of the group {@code example.com} whose schema accepts anything. */
final class CustomTypes {
    private CustomTypes() {}

    private static ResourceClient<Unstructured> definitions(ApiServer server) {
        return server.client("test").resource(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class);
    }

    static ResourceType define(ApiServer server, String kind, String plural) {
        Unstructured definition = new Unstructured();
        definition.setApiVersion("apiextensions.k8s.io/v1");
        definition.setKind("CustomResourceDefinition");
        definition.setMetadata(new V1ObjectMeta().name(plural + ".example.com"));
        definition.set("spec", Map.of("group", "example.com", "scope", "Namespaced", "names",
                Map.of("plural", plural, "singular", kind.toLowerCase(java.util.Locale.ROOT), "kind", kind, "listKind",
                        kind + "List"),
                "versions", List.of(Map.of("name", "v1", "served", true, "storage", true, "schema", Map.of(
                        "openAPIV3Schema",
                        Map.of("type", "object", "x-kubernetes-preserve-unknown-fields", true))))));
        definitions(server).create(definition);
        return new ResourceType("example.com", "v1", plural, kind, true);
    }

    static void remove(ApiServer server, String plural) {
        definitions(server).delete(ObjectKey.of("", plural + ".example.com"), Deletion.unconditional());
    }

    static Unstructured object(ResourceType type, String name, Map<String, Object> spec) {
        Unstructured object = new Unstructured();
        object.setApiVersion(type.apiVersion());
        object.setKind(type.kind());
        object.setMetadata(new V1ObjectMeta().namespace("default").name(name));
        object.set("spec", spec);
        return object;
    }
}
