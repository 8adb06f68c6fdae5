package dev.wheelhouse.apiserver.discovery;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.BuiltInResource;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class OpenApiTest {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final ResourceRegistry REGISTRY = ResourceRegistry.builtIn();
    private static final OpenApi OPEN_API = new OpenApi(REGISTRY);

    private static JsonNode schema(String document, String type) {
        return requireNonNull(requireNonNull(OPEN_API.v3(document)).get("components").get("schemas").get(type), type);
    }

    private static JsonNode property(String document, String type, String field) {
        return withoutDescription(requireNonNull(schema(document, type).get("properties").get(field), field));
    }

    private static JsonNode withoutDescription(JsonNode node) {
        ObjectNode copy = (ObjectNode) node.deepCopy();
        copy.remove("description");
        return copy;
    }

    @Test
    void theIndexNamesEveryGroupVersionWithTheHashOfItsDocument() {
        JsonNode paths = OPEN_API.v3Index().get("paths");

        assertThat(paths.has("api/v1")).isTrue();
        assertThat(paths.has("apis/apps")).isTrue();
        assertThat(Json.text(paths, "apis/apps/v1", "serverRelativeURL"))
                .isEqualTo("/openapi/v3/apis/apps/v1?hash=" + OPEN_API.v3Hash("apis/apps/v1"));
        assertThat(OPEN_API.v3Hash("apis/apps/v1")).matches("[0-9A-F]{128}")
                .isNotEqualTo(OPEN_API.v3Hash("apis/batch/v1"));
        assertThat(OPEN_API.v3("apis/apps/v2")).isNull();
        assertThat(OPEN_API.v3Hash("apis/apps/v2")).isNull();
    }

    @Test
    void aHashIsTheSameInAnotherProcessAsLongAsTheDocumentIs() {
        assertThat(new OpenApi(ResourceRegistry.builtIn()).v3Hash("apis/apps/v1"))
                .isEqualTo(OPEN_API.v3Hash("apis/apps/v1"));
    }

    @Test
    void fieldsTellTheirTypesAndHowTheyAreMerged() {
        assertThat(property("apis/apps/v1", "io.k8s.api.apps.v1.DeploymentSpec", "replicas"))
                .isEqualTo(Json.read("{\"type\": \"integer\", \"format\": \"int32\"}"));
        assertThat(property("apis/apps/v1", "io.k8s.api.apps.v1.DeploymentSpec", "strategy")).isEqualTo(Json.read("""
                {"allOf": [{"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}],
                 "x-kubernetes-patch-strategy": "retainKeys"}"""));
        assertThat(property("apis/apps/v1", "io.k8s.api.core.v1.PodSpec", "containers")).isEqualTo(Json.read("""
                {"type": "array", "items": {"$ref": "#/components/schemas/io.k8s.api.core.v1.Container"},
                 "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                 "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"}"""));
        assertThat(property("apis/apps/v1", "io.k8s.api.core.v1.PodSpec", "nodeSelector")).isEqualTo(Json.read("""
                {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"}"""));
        assertThat(property("apis/apps/v1", "io.k8s.api.core.v1.ContainerPort", "protocol"))
                .isEqualTo(Json.read("{\"type\": \"string\", \"default\": \"TCP\"}"));
        assertThat(property("apis/authorization.k8s.io/v1", "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
                "extra")).isEqualTo(Json.read("""
                        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}"""));
    }

    @Test
    void scalarsWithANameKeepIt() {
        assertThat(withoutDescription(schema("apis/apps/v1", "io.k8s.apimachinery.pkg.util.intstr.IntOrString")))
                .isEqualTo(Json.read(
                        "{\"format\": \"int-or-string\", \"oneOf\": [{\"type\": \"integer\"}, {\"type\": "
                                + "\"string\"}]}"));
        assertThat(withoutDescription(schema("apis/apps/v1", "io.k8s.apimachinery.pkg.api.resource.Quantity")))
                .isEqualTo(Json.read("{\"oneOf\": [{\"type\": \"string\"}, {\"type\": \"number\"}]}"));
        assertThat(withoutDescription(schema("apis/apps/v1", META + "Time")))
                .isEqualTo(Json.read("{\"type\": \"string\", \"format\": \"date-time\"}"));
        assertThat(withoutDescription(schema("apis/apps/v1", META + "FieldsV1")))
                .isEqualTo(Json.read("{\"type\": \"object\"}"));
    }

    @Test
    void aKindKnowsItsNameAndItsRequiredFields() {
        assertThat(schema("apis/apps/v1", "io.k8s.api.apps.v1.Deployment").get("x-kubernetes-group-version-kind"))
                .isEqualTo(Json.read("[{\"group\": \"apps\", \"kind\": \"Deployment\", \"version\": \"v1\"}]"));
        assertThat(schema("api/v1", "io.k8s.api.core.v1.Pod").get("x-kubernetes-group-version-kind"))
                .isEqualTo(Json.read("[{\"group\": \"\", \"kind\": \"Pod\", \"version\": \"v1\"}]"));
        assertThat(schema("apis/apps/v1", "io.k8s.api.apps.v1.DeploymentSpec").get("required"))
                .isEqualTo(Json.read("[\"selector\", \"template\"]"));
        assertThat(schema("apis/apps/v1", META + "LabelSelector").get("x-kubernetes-map-type").asString())
                .isEqualTo("atomic");
    }

    @Test
    void thePathsSayWhatMayBeDoneAndWithWhichParameters() {
        JsonNode paths = requireNonNull(OPEN_API.v3("apis/apps/v1")).get("paths");
        JsonNode one = paths.get("/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
        JsonNode patch = one.get("patch");

        assertThat(one.propertyNames()).containsExactlyInAnyOrder("parameters", "get", "put", "patch", "delete");
        assertThat(patch.get("operationId").asString()).isEqualTo("patchAppsV1NamespacedDeployment");
        assertThat(patch.get("x-kubernetes-group-version-kind"))
                .isEqualTo(Json.read("{\"group\": \"apps\", \"kind\": \"Deployment\", \"version\": \"v1\"}"));
        assertThat(patch.get("parameters").findValuesAsString("name")).containsExactly("dryRun", "fieldManager",
                "fieldValidation", "force");
        assertThat(patch.at("/requestBody/content").propertyNames()).containsExactly("application/json-patch+json",
                "application/merge-patch+json", "application/strategic-merge-patch+json",
                "application/apply-patch+yaml");
        assertThat(paths.get("/apis/apps/v1/deployments").propertyNames()).containsExactly("parameters", "get");
        assertThat(paths.get("/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale").get("get")
                .get("x-kubernetes-group-version-kind").get("kind").asString()).isEqualTo("Scale");
        assertThat(requireNonNull(OPEN_API.v3("api/v1")).get("paths").get("/api/v1/nodes/{name}").get("parameters")
                .findValuesAsString("name")).containsExactly("name", "pretty");
    }

    @Test
    void everyReferenceOfEveryDocumentLeadsSomewhere() {
        for (String path : OPEN_API.v3Index().get("paths").propertyNames()) {
            ObjectNode document = requireNonNull(OPEN_API.v3(path));
            assertThat(document.findValues("$ref").stream().filter(JsonNode::isString).map(JsonNode::asString)
                    .map(ref -> ref.substring("#/components/schemas/".length())).distinct()).as(path)
                    .allMatch(document.get("components").get("schemas")::has);
        }
        ObjectNode v2 = OPEN_API.v2();
        assertThat(v2.findValues("$ref").stream().filter(JsonNode::isString).map(JsonNode::asString)
                .map(ref -> ref.substring("#/definitions/".length())).distinct())
                .allMatch(v2.get("definitions")::has);
    }

    @Test
    void operationIdsAreUnique() {
        assertThat(OPEN_API.v2().get("paths").findValuesAsString("operationId")).doesNotHaveDuplicates();
    }

    @Test
    void theSecondOpenApiKnowsNoAlternativesAndNoDefaults() {
        JsonNode definitions = OPEN_API.v2().get("definitions");

        assertThat(withoutDescription(definitions.get("io.k8s.apimachinery.pkg.util.intstr.IntOrString")))
                .isEqualTo(Json.read("{\"type\": \"string\", \"format\": \"int-or-string\"}"));
        assertThat(withoutDescription(
                definitions.get("io.k8s.api.apps.v1.DeploymentSpec").get("properties").get("strategy")))
                .isEqualTo(Json.read("""
                        {"$ref": "#/definitions/io.k8s.api.apps.v1.DeploymentStrategy",
                         "x-kubernetes-patch-strategy": "retainKeys"}"""));
        assertThat(definitions.get("io.k8s.api.core.v1.ContainerPort").get("properties").get("protocol")
                .has("default")).isFalse();
        assertThat(OPEN_API.v2().get("paths").get("/apis/apps/v1/namespaces/{namespace}/deployments/{name}")
                .get("patch").get("consumes").valueStream().map(JsonNode::asString))
                .contains("application/strategic-merge-patch+json");
    }

    @Test
    void typesAndTheirFieldsHaveDescriptions() {
        for (String type : List.of("io.k8s.api.apps.v1.StatefulSetSpec", "io.k8s.api.core.v1.CSIVolumeSource",
                "io.k8s.api.apps.v1.Deployment", "io.k8s.api.apps.v1.DeploymentSpec",
                "io.k8s.api.apps.v1.DeploymentStrategy", "io.k8s.api.apps.v1.ReplicaSetSpec",
                "io.k8s.api.core.v1.Container", "io.k8s.api.core.v1.PodSpec", META + "ObjectMeta")) {
            JsonNode schema = schema("apis/apps/v1", type);
            assertThat(Json.text(schema, "description")).as(type).isNotEmpty();
            schema.get("properties").properties().forEach(property -> assertThat(
                    Json.text(property.getValue(), "description")).as(type + "." + property.getKey()).isNotEmpty());
        }
    }

    @Test
    void metadataIsDescribedByTheWordsThatUpstreamsConformanceTestsLookFor() {
        String any = "{\"type\": \"object\"}";
        JsonNode custom = requireNonNull(withCustom(any).v3("apis/shop.example.com/v1"))
                .at("/components/schemas/com.example.shop.v1.Order/properties");
        for (JsonNode properties : List.of(custom, customV2(any).get("properties"),
                schema("apis/apps/v1", "io.k8s.api.apps.v1.Deployment").get("properties"))) {
            assertThat(Json.text(properties, "metadata", "description")).startsWith("Standard object's metadata");
            assertThat(Json.text(properties, "apiVersion", "description")).startsWith("APIVersion defines");
        }
        assertThat(Json.text(schema("apis/apps/v1", META + "ObjectMeta"), "properties", "creationTimestamp",
                "description")).startsWith("CreationTimestamp is a timestamp");
    }

    @Test
    void aCustomResourceIsAnOpenObjectUntilItIsGone() {
        ResourceRegistry registry = ResourceRegistry.builtIn();
        OpenApi openApi = new OpenApi(registry);
        ObjectNode before = openApi.v3Index();
        ResourceRegistry.Served with = registry.with(
                List.of(new BuiltInResource(new ResourceType("shop.example.com", "v1", "orders", "Order", true),
                        "order", List.of(), List.of(), Set.of("get", "list", "create"), List.of())));
        registry.follow(() -> with);

        ObjectNode document = requireNonNull(openApi.v3("apis/shop.example.com/v1"));
        JsonNode order = document.at("/components/schemas/com.example.shop.v1.Order");
        assertThat(order.get("type").asString()).isEqualTo("object");
        assertThat(order.has("properties")).isFalse();
        assertThat(openApi.v3Index()).isNotEqualTo(before);
        assertThat(openApi.v2().get("definitions").has("com.example.shop.v1.OrderList")).isTrue();

        ResourceRegistry.Served without = registry.with(List.of());
        registry.follow(() -> without);
        assertThat(openApi.v3Index()).isEqualTo(before);
    }

    private static OpenApi withCustom(String schema) {
        ObjectNode crd = (ObjectNode) Json.read("{\"spec\": {}}");
        CustomType custom = CustomType.of(crd, Json.read("{\"schema\": {\"openAPIV3Schema\": " + schema + "}}"),
                CustomType.Family.of(crd), null,
                1, 0);
        ResourceRegistry registry = ResourceRegistry.builtIn();
        ResourceRegistry.Served served = registry.with(
                List.of(new CustomResourceInfo(new ResourceType("shop.example.com", "v1", "orders", "Order", true),
                        "order", List.of(), List.of(), Set.of("get", "list", "create"), List.of(), custom)));
        registry.follow(() -> served);
        return new OpenApi(registry);
    }

    private static JsonNode customV2(String schema) {
        return requireNonNull(withCustom(schema).v2().get("definitions").get("com.example.shop.v1.Order"));
    }

    /** If kubectl saw "required", "properties" and the like of such values, it would enforce them. */
    @Test
    void theSecondVersionLeavesOutWhatItHasNoWordsFor() {
        JsonNode order = customV2("""
                {"type": "object", "required": ["spec"], "anyOf": [{"required": ["spec"]}], "properties": {
                  "spec": {"type": "object", "nullable": true, "properties": {"n": {"type": "integer"}}},
                  "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                           "properties": {"n": {"type": "integer"}}},
                  "list": {"type": "array", "items": {"type": "integer", "default": 3, "not": {"enum": [4]}}}}}""");

        assertThat(order.has("anyOf") || order.has("required")).isFalse();
        JsonNode properties = order.get("properties");
        assertThat(properties.get("spec")).isEqualTo(Json.object());
        assertThat(properties.get("open").propertyNames())
                .containsExactly("x-kubernetes-preserve-unknown-fields");
        assertThat(properties.get("list").get("items")).isEqualTo(Json.read("{\"type\": \"integer\"}"));
    }

    @Test
    void anOpenTypeIsJustAnObjectInTheSecondVersion() {
        String open = "{\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true}";

        assertThat(customV2(open).propertyNames()).containsExactlyInAnyOrder("type",
                "x-kubernetes-group-version-kind");
        assertThat(requireNonNull(withCustom(open).v3("apis/shop.example.com/v1"))
                .at("/components/schemas/com.example.shop.v1.Order/properties").propertyNames())
                .containsExactlyInAnyOrder("apiVersion", "kind", "metadata");
    }

    /** Go clients decode an empty list as nil, so a comparison after reading it back would fail. */
    @Test
    void noOperationHasAnEmptyListOfParameters() {
        assertThat(OPEN_API.v3("apis/apps/v1")).isNotNull();
        assertThat(requireNonNull(OPEN_API.v3("apis/apps/v1")).findValues("parameters"))
                .isNotEmpty().allSatisfy(parameters -> assertThat(parameters).isNotEmpty());
    }
}
