package dev.wheelhouse.apiserver.rest;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.apiserver.store.StoredObject;

import static org.assertj.core.api.Assertions.assertThat;

/** Custom resources, from the creation to the deletion of their definition. */
class CustomResourcesTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String V1 = "/apis/shop.example.com/v1/namespaces/default/orders";
    private static final String V2 = "/apis/shop.example.com/v2/namespaces/default/orders";
    private static final String SCHEMA = """
            {"type": "object", "required": ["spec"], "properties": {
              "spec": {"type": "object", "required": ["item"], "properties": {
                "item": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 10},
                "count": {"type": "integer", "minimum": 1, "default": 1},
                "size": {"type": "string", "enum": ["S", "L"]},
                "port": {"x-kubernetes-int-or-string": true},
                "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}},
              "status": {"type": "object", "properties": {"count": {"type": "integer"}, "selector": {"type": "string"},
                "conditions": {"type": "array", "items": {"type": "object",
                  "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}}}""";

    private final RestClient client = new RestClient();

    private JsonNode order(String name, String spec) {
        return client.post(V1,
                "{\"apiVersion\": \"shop.example.com/v1\", \"kind\": \"Order\", \"metadata\": {\"name\": \""
                        + name + "\"}, \"spec\": " + spec + "}");
    }

    @BeforeEach
    void define() {
        JsonNode crd = client.post(CRDS,
                """
                        {"metadata": {"name": "orders.shop.example.com"}, "spec": {"group": "shop.example.com",
                         "scope": "Namespaced", "names": {"plural": "orders", "kind": "Order", "shortNames": ["ord"]},
                         "versions": [
                          {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": %1$s},
                           "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.count",
                             "statusReplicasPath": ".status.count", "labelSelectorPath": ".status.selector"}},
                           "additionalPrinterColumns": [
                            {"name": "Item", "type": "string", "jsonPath": ".spec.item"},
                            {"name": "Count", "type": "integer", "jsonPath": ".spec.count"},
                            {"name": "Ready", "type": "string",
                             "jsonPath": ".status.conditions[?(@.type==\\"Ready\\")].status"},
                            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]},
                          {"name": "v2", "served": true, "storage": false, "deprecated": true,
                           "schema": {"openAPIV3Schema": %1$s}}]}}"""
                        .formatted(SCHEMA));
        assertThat(client.last.code()).as(crd.toString()).isEqualTo(201);
        assertThat(crd.at("/status/conditions").findValuesAsString("type")).contains("NamesAccepted", "Established");
    }

    @Test
    void aResourceIsServedAsLongAsItsDefinitionIsStoredWhoeverRemovesIt() {
        StoredObject definition = client.store.get("customresourcedefinitions.apiextensions.k8s.io", "",
                "orders.shop.example.com");
        assertThat(client.get("/openapi/v3").toString()).contains("shop.example.com");
        client.store.delete("customresourcedefinitions.apiextensions.k8s.io", "", definition.name(),
                definition.version());
        assertThat(client.get("/openapi/v3").toString()).doesNotContain("shop.example.com");
        assertThat(client.get("/apis").toString()).doesNotContain("shop.example.com");
        assertThat(client.content(ApiRequest.of("GET", V1, null)).code()).isEqualTo(404);
    }

    @Test
    void unknownFieldsGoAndDefaultsCome() {
        JsonNode made = order("a", "{\"item\": \"tea\", \"color\": \"red\", \"extra\": {\"any\": {\"thing\": 1}}}");
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(made.get("spec").toString())
                .isEqualTo("{\"item\":\"tea\",\"extra\":{\"any\":{\"thing\":1}},\"count\":1}");
        assertThat(made.at("/metadata/generation").intValue()).isEqualTo(1);
    }

    @Test
    void strictValidationNamesTheUnknownField() {
        JsonNode refused = client.post(V1 + "?fieldValidation=Strict", "{\"metadata\": {\"name\": \"a\"}, \"spec\": "
                + "{\"item\": \"tea\", \"color\": \"red\"}}");
        assertThat(client.last.code()).isEqualTo(400);
        assertThat(Json.text(refused, "message")).contains("strict decoding error: unknown field \"spec.color\"");
    }

    @Test
    void theSchemaIsEnforcedInUpstreamsWords() {
        JsonNode refused = order("a",
                "{\"item\": \"TEA\", \"count\": 0, \"size\": \"M\", \"port\": true, \"tags\": [\"x\", \"x\"]}");
        assertThat(client.last.code()).isEqualTo(422);
        assertThat(Json.text(refused, "message")).startsWith("Order.shop.example.com \"a\" is invalid: [");
        assertThat(refused.at("/details/causes").findValuesAsString("message")).containsExactly(
                "Invalid value: \"TEA\": spec.item in body should match '^[a-z]+$'",
                "Invalid value: 0: spec.count in body should be greater than or equal to 1",
                "Unsupported value: \"M\": supported values: \"S\", \"L\"",
                "Invalid value: \"boolean\": spec.port in body must be of type integer,string: \"boolean\"",
                "Duplicate value: \"x\"");
        assertThat(order("b", "{}").at("/details/causes/0").toString()).isEqualTo(
                "{\"reason\":\"FieldValueRequired\",\"message\":\"Required value\",\"field\":\"spec.item\"}");
        assertThat(order("c", "{\"item\": 7}").at("/details/causes/0/reason").asString())
                .isEqualTo("FieldValueTypeInvalid");
    }

    @Test
    void statusIsApartFromTheRest() {
        order("a", "{\"item\": \"tea\"}");
        JsonNode plain = client.merge(V1 + "/a", "{\"spec\": {\"count\": 2}, \"status\": {\"count\": 9}}");
        assertThat(plain.has("status")).isFalse();
        assertThat(plain.at("/metadata/generation").intValue()).isEqualTo(2);
        JsonNode status = client.merge(V1 + "/a/status", "{\"spec\": {\"count\": 5}, \"status\": {\"count\": 9}}");
        assertThat(status.at("/spec/count").intValue()).isEqualTo(2);
        assertThat(status.at("/status/count").intValue()).isEqualTo(9);
        assertThat(status.at("/metadata/generation").intValue()).isEqualTo(2);
    }

    @Test
    void theScaleIsWhereTheDefinitionSays() {
        order("a", "{\"item\": \"tea\"}");
        client.merge(V1 + "/a/status", "{\"status\": {\"count\": 3, \"selector\": \"app=tea\"}}");
        JsonNode scale = client.merge(V1 + "/a/scale", "{\"spec\": {\"replicas\": 4}}");
        assertThat(scale.at("/spec/replicas").intValue()).isEqualTo(4);
        assertThat(scale.get("status").toString()).isEqualTo("{\"replicas\":3,\"selector\":\"app=tea\"}");
        assertThat(client.get(V1 + "/a").at("/spec/count").intValue()).isEqualTo(4);
    }

    @Test
    void tablesHaveThePrinterColumns() {
        order("a", "{\"item\": \"tea\"}");
        client.merge(V1 + "/a/status", "{\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}");
        JsonNode table = Json.read(client.content(ApiRequest.of("GET", V1, null)
                .withAccept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")).body());
        assertThat(table.at("/columnDefinitions").findValuesAsString("name")).containsExactly("Name", "Item", "Count",
                "Ready", "Age");
        assertThat(table.at("/rows/0/cells").toString()).isEqualTo("[\"a\",\"tea\",1,\"True\",\"0s\"]");
    }

    @Test
    void columnsThatShowOneLongTextOverAndOverEndAtTheMostCharactersOfARow() {
        order("a", "{\"item\": \"tea\", \"extra\": {\"text\": \"" + "x".repeat(100_000) + "\"}}");
        client.merge(CRDS + "/orders.shop.example.com",
                "{\"spec\": {\"versions\": [{\"name\": \"v1\", \"served\": true,"
                        + " \"storage\": true, \"schema\": {\"openAPIV3Schema\": " + SCHEMA
                        + "}, \"additionalPrinterColumns\": ["
                        + IntStream.range(0, 300).mapToObj(i -> "{\"name\": \"C" + i + "\", \"type\": \"string\","
                                + " \"jsonPath\": \".spec.extra.text\"}").collect(Collectors.joining(","))
                        + "]}]}}");
        assertThat(client.last.code()).isEqualTo(200);
        byte[] answer = client.content(ApiRequest.of("GET", V1, null)
                .withAccept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")).body();
        assertThat(answer).hasSizeLessThan(1_300_000);
        assertThat(Json.read(answer).at("/rows/0/cells/300").asString()).isEqualTo("<too long>");
    }

    @Test
    void aVersionShowsWhatAnotherOneStored() {
        order("a", "{\"item\": \"tea\"}");
        JsonNode other = client.get(V2 + "/a");
        assertThat(client.last.warnings()).containsExactly("shop.example.com/v2 Order is deprecated");
        assertThat(Json.text(other, "apiVersion")).isEqualTo("shop.example.com/v2");
        assertThat(Json.text(other, "spec", "item")).isEqualTo("tea");
        client.get(V2 + "/a/status");
        assertThat(client.last.code()).isEqualTo(404);
    }

    @Test
    void discoveryAndOpenApiKnowTheKind() {
        assertThat(client.get("/apis/shop.example.com/v1").at("/resources").findValuesAsString("name"))
                .containsExactly("orders", "orders/status", "orders/scale");
        JsonNode document = client.get("/openapi/v3/apis/shop.example.com/v1");
        assertThat(document.path("paths").path("/apis/shop.example.com/v1/namespaces/{namespace}/orders/{name}")
                .path("patch").path("requestBody").path("content").propertyNames())
                .as("the patches that kubectl may choose from").contains("application/merge-patch+json")
                .doesNotContain("application/strategic-merge-patch+json");
        JsonNode schema = document.at("/components/schemas/com.example.shop.v1.Order");
        assertThat(schema.at("/properties/spec/properties/count/minimum").intValue()).isEqualTo(1);
        assertThat(schema.at("/properties/metadata/allOf/0/$ref").asString()).endsWith(".ObjectMeta");
        assertThat(schema.at("/properties/apiVersion/description").asString()).startsWith("APIVersion defines ");
        assertThat(client.get("/openapi/v2").at("/definitions/com.example.shop.v1.Order/properties/spec")
                .at("/properties/item/type").asString()).isEqualTo("string");
    }

    @Test
    void theObjectsGoWithTheirDefinition() {
        order("a", "{\"item\": \"tea\"}");
        client.delete(CRDS + "/orders.shop.example.com");
        client.get(V1 + "/a");
        assertThat(client.last.code()).isEqualTo(404);
        define();
        assertThat(client.get(V1).get("items").size()).isZero();
    }

    @Test
    void aDefinitionNeedsASchemaAndOneStorageVersion() {
        JsonNode refused = client.post(CRDS, """
                {"metadata": {"name": "x.shop.example.com"}, "spec": {"group": "shop.example.com",
                 "scope": "Namespaced", "names": {"plural": "xs", "kind": "X"},
                 "versions": [{"name": "v1", "served": true, "storage": false}]}}""");
        assertThat(client.last.code()).isEqualTo(422);
        assertThat(refused.at("/details/causes").findValuesAsString("field")).containsExactly("metadata.name",
                "spec.versions[0].schema.openAPIV3Schema", "spec.versions");
    }

    private JsonNode crd(String name, String names, String schema) {
        return client.post(CRDS,
                """
                        {"metadata": {"name": "%s"}, "spec": {"group": "shop.example.com", "scope": "Namespaced",
                         "names": %s,
                         "versions": [{"name": "v1", "served": true, "storage": true,
                          "selectableFields": [{"jsonPath": ".spec.color"}],
                          "schema": {"openAPIV3Schema": %s}}]}}"""
                        .formatted(name, names, schema));
    }

    /** Replaces the properties of {@client.last.code() spec} in the definition's version v1. */
    private void changeSpec(String plural, String properties) {
        client.merge(CRDS + "/" + plural + ".shop.example.com",
                """
                        {"spec": {"versions": [{"name": "v1", "served": true, "storage": true,
                         "schema": {"openAPIV3Schema":
                         {"type": "object", "properties": {"spec": {"type": "object", "properties": {%s}}}}}}]}}"""
                        .formatted(properties));
    }

    private static String condition(JsonNode crd, String type) {
        for (JsonNode condition : crd.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals(type)) {
                return Json.text(condition, "status") + " " + Json.text(condition, "reason") + ": "
                        + Json.text(condition, "message");
            }
        }
        return "";
    }

    @Test
    void namesThatAreTakenAreNotServedUntilTheyAreFree() {
        JsonNode second = crd("commands.shop.example.com", """
                {"plural": "commands", "kind": "Order", "shortNames": ["ord"]}""", "{\"type\": \"object\"}");
        assertThat(client.last.code()).as(second.toString()).isEqualTo(201);
        assertThat(condition(second, "NamesAccepted"))
                .isEqualTo("False ListKindConflict: \"OrderList\" is already in use");
        assertThat(condition(second, "Established")).isEqualTo("False NotAccepted: not all names are accepted");
        assertThat(second.at("/status/acceptedNames").toString())
                .isEqualTo("{\"plural\":\"commands\"}");
        client.get("/apis/shop.example.com/v1/commands");
        assertThat(client.last.code()).isEqualTo(404);
        client.delete(CRDS + "/orders.shop.example.com");
        assertThat(condition(client.get(CRDS + "/commands.shop.example.com"), "Established"))
                .isEqualTo("True InitialNamesAccepted: the initial names have been accepted");
        assertThat(client.get("/apis/shop.example.com/v1/commands").path("items").isArray()).isTrue();
    }

    @Test
    void aDefinitionWaitsForTheFinalizersOfItsObjectsAndTakesNoNewOnes() {
        order("a", "{\"item\": \"tea\"}");
        client.merge(V1 + "/a", "{\"metadata\": {\"finalizers\": [\"shop.example.com/held\"]}}");
        order("b", "{\"item\": \"tea\"}");
        ApiResponse.Stream watch = (ApiResponse.Stream) client.rest.handle(ApiRequest.of("GET", V1 + "?watch=1", null));
        JsonNode marked = client.delete(CRDS + "/orders.shop.example.com");
        assertThat(condition(marked, "Terminating")).startsWith("True InstanceDeletionInProgress");
        assertThat(marked.at("/metadata/finalizers").toString()).contains("customresourcecleanup.apiextensions.k8s.io");
        assertThat(Json.text(order("c", "{\"item\": \"tea\"}"), "message"))
                .endsWith("create not allowed while custom resource definition is terminating");
        assertThat(client.get(V1).at("/items").findValuesAsString("name")).containsExactly("a");
        client.merge(V1 + "/a", "{\"metadata\": {\"finalizers\": null}}");
        client.get(CRDS + "/orders.shop.example.com");
        assertThat(client.last.code()).isEqualTo(404);
        StringBuilder events = new StringBuilder();
        for (WatchFeed.Event event = watch.feed().next(); event != null; event = watch.feed().next()) {
            events.append(event.type()).append(' ');
        }
        assertThat(events.toString()).isEqualTo("ADDED ADDED MODIFIED DELETED DELETED ");
        assertThat(watch.feed().isEnded()).isTrue();
    }

    @Test
    void aFurtherDeletionContinuesOneThatEndedEarly() {
        order("a", "{\"item\": \"tea\"}");
        StoredObject marked = Objects.requireNonNull(client.store.get(
                "customresourcedefinitions.apiextensions.k8s.io", "", "orders.shop.example.com"));
        ObjectNode crd = marked.tree();
        Meta.of(crd).put("deletionTimestamp", Meta.time(client.clock.now()));
        Meta.setFinalizers(crd, List.of("customresourcecleanup.apiextensions.k8s.io"));
        client.store.update("customresourcedefinitions.apiextensions.k8s.io", crd, marked.version());

        client.delete(CRDS + "/orders.shop.example.com");
        assertThat(client.last.code()).isEqualTo(200);
        client.get(CRDS + "/orders.shop.example.com");
        assertThat(client.last.code()).isEqualTo(404);
        assertThat(client.store.get("orders.shop.example.com", "default", "a")).isNull();
    }

    @Test
    void whatASchemaNoLongerHasIsNotShownAndWhatItNowSaysIs() {
        String names = "{\"plural\": \"pens\", \"kind\": \"Pen\"}";
        crd("pens.shop.example.com", names, """
                {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                 "old": {"type": "string"}, "color": {"type": "string"}}}}}""");
        String pens = "/apis/shop.example.com/v1/namespaces/default/pens";
        client.post(pens, "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"old\": \"x\", \"color\": \"red\"}}");
        changeSpec("pens", """
                "color": {"type": "string"}, "size": {"type": "integer", "default": 3}""");
        assertThat(client.last.code()).isEqualTo(200);
        assertThat(client.get(pens + "/p").get("spec").toString()).isEqualTo("{\"color\":\"red\",\"size\":3}");
        assertThat(client.get(pens).at("/items/0/spec").toString())
                .isEqualTo("{\"color\":\"red\",\"size\":3}");
    }

    @Test
    void objectsAreSelectedByTheFieldsThatTheDefinitionNames() {
        crd("pens.shop.example.com", "{\"plural\": \"pens\", \"kind\": \"Pen\"}",
                """
                        {"type": "object", "properties": {"spec": {"type": "object",
                         "properties": {"color": {"type": "string"}}}}}""");
        String pens = "/apis/shop.example.com/v1/namespaces/default/pens";
        for (String color : new String[]{"red", "blue"}) {
            client.post(pens,
                    "{\"metadata\": {\"name\": \"" + color + "\"}, \"spec\": {\"color\": \"" + color + "\"}}");
        }
        assertThat(
                client.get(pens + "?fieldSelector=spec.color%3Dblue").at("/items").findValuesAsString("name"))
                .containsExactly("blue");
        client.get(pens + "?fieldSelector=spec.size%3D1");
        assertThat(client.last.code()).isEqualTo(400);
    }

    @Test
    void serverSideApplyMergesListsAsTheSchemaSays() {
        crd("boxes.shop.example.com", "{\"plural\": \"boxes\", \"kind\": \"Box\"}",
                """
                        {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                         "lines": {"type": "array", "x-kubernetes-list-type": "map",
                          "x-kubernetes-list-map-keys": ["id"],
                          "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"},
                           "n": {"type": "integer"}}}},
                         "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                         "whole": {"type": "array", "items": {"type": "string"}}}}}}""");
        apply("one", "{\"lines\": [{\"id\": \"a\", \"n\": 1}], \"tags\": [\"x\"], \"whole\": [\"p\"]}", false);
        JsonNode merged = apply("two", "{\"lines\": [{\"id\": \"b\", \"n\": 2}], \"tags\": [\"y\"]}", false);
        assertThat(merged.get("spec").toString()).isEqualTo(
                "{\"lines\":[{\"id\":\"a\",\"n\":1},{\"id\":\"b\",\"n\":2}],\"tags\":[\"x\",\"y\"],\"whole\":[\"p\"]}");
        assertThat(Json.text(apply("two", "{\"lines\": [{\"id\": \"a\", \"n\": 9}]}", false), "message"))
                .contains("conflict with \"one\"").contains(".spec.lines[id=\"a\"].n");
        apply("two", "{\"whole\": [\"q\"]}", false);
        assertThat(client.last.code()).isEqualTo(409);
        JsonNode forced = apply("two", "{\"whole\": [\"q\"]}", true);
        assertThat(forced.get("spec").toString())
                .isEqualTo("{\"lines\":[{\"id\":\"a\",\"n\":1}],\"tags\":[\"x\"],\"whole\":[\"q\"]}");
    }

    private JsonNode apply(String manager, String spec, boolean force) {
        return client.call("PATCH",
                "/apis/shop.example.com/v1/namespaces/default/boxes/b?fieldManager=" + manager + "&force=" + force,
                "application/apply-patch+yaml", "{\"apiVersion\": \"shop.example.com/v1\", \"kind\": \"Box\", "
                        + "\"metadata\": {\"name\": \"b\"}, \"spec\": " + spec + "}");
    }

    @Test
    void aSchemaMustBeStructural() {
        JsonNode refused = crd("pens.shop.example.com", "{\"plural\": \"pens\", \"kind\": \"Pen\"}", """
                {"type": "object", "properties": {"a": {"type": "array"}, "b": {}, "c": {"type": "object",
                 "properties": {"d": {"type": "string"}}, "additionalProperties": {"type": "string"}},
                 "e": {"type": "string", "anyOf": [{"type": "string"}]},
                 "f": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                  "items": {"type": "object", "properties": {"k": {"type": "string"}}}}}}""");
        assertThat(client.last.code()).isEqualTo(422);
        String at = "spec.versions[0].schema.openAPIV3Schema.properties";
        assertThat(refused.at("/details/causes").findValuesAsString("field")).containsExactly(at + "[a].items",
                at + "[b].type", at + "[c].additionalProperties", at + "[e].anyOf[0].type",
                at + "[f].items.properties[k].default");
    }

    @Test
    void rulesInCelAreHeldAgainstWhatIsNewAndAgainstChanges() {
        JsonNode made = crd("boxes.shop.example.com", "{\"plural\": \"boxes\", \"kind\": \"Box\"}",
                """
                        {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                         "min": {"type": "integer"}, "max": {"type": "integer"},
                         "class": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf",
                          "message": "stays"}]},
                         "lines": {"type": "array", "x-kubernetes-list-type": "map",
                          "x-kubernetes-list-map-keys": ["id"],
                          "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"},
                           "n": {"type": "integer"}},
                           "x-kubernetes-validations": [{"rule": "self.n >= oldSelf.n", "reason": "FieldValueForbidden",
                            "fieldPath": ".n"}]}}},
                         "x-kubernetes-validations": [{"rule": "self.min <= self.max",
                          "messageExpression": "string(self.min) + ' is more than ' + string(self.max)"}]}}}""");
        assertThat(client.last.code()).as(made.toString()).isEqualTo(201);
        String boxes = "/apis/shop.example.com/v1/namespaces/default/boxes";
        JsonNode refused = client.post(boxes, "{\"metadata\": {\"name\": \"b\"}, \"spec\": {\"min\": 3, \"max\": 2}}");
        assertThat(client.last.code()).isEqualTo(422);
        assertThat(refused.at("/details/causes/0").toString()).isEqualTo(
                "{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"object\\\": 3 is more than 2\","
                        + "\"field\":\"spec\"}");
        client.post(boxes, """
                {"metadata": {"name": "b"}, "spec": {"min": 1, "max": 2, "class": "x",
                 "lines": [{"id": "a", "n": 5}, {"id": "b", "n": 1}]}}""");
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(client.merge(boxes + "/b", """
                {"spec": {"class": "y", "lines": [{"id": "b", "n": 1}, {"id": "a", "n": 4}, {"id": "c", "n": 0}]}}""")
                .at("/details/causes").toString()).isEqualTo(
                        "[{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"string\\\": stays\","
                                + "\"field\":\"spec.class\"},"
                                + "{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: failed rule: self.n "
                                + ">= oldSelf.n\","
                                + "\"field\":\"spec.lines[1].n\"}]");
    }

    @Test
    void aRuleThatDoesNotCompileMakesNoDefinition() {
        JsonNode refused = crd("boxes.shop.example.com", "{\"plural\": \"boxes\", \"kind\": \"Box\"}",
                """
                        {"type": "object", "x-kubernetes-validations": [{"rule": "self.spec >"},
                         {"rule": "nothing(self)"}]}""");
        assertThat(client.last.code()).isEqualTo(422);
        String at = "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations";
        assertThat(refused.at("/details/causes").findValuesAsString("field")).containsExactly(at + "[0].rule",
                at + "[1].rule");
    }

    @Test
    void whatWasWrongBeforeAndDidNotChangeStaysAllowed() {
        String names = "{\"plural\": \"boxes\", \"kind\": \"Box\"}";
        crd("boxes.shop.example.com", names, """
                {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                 "a": {"type": "string"}, "b": {"type": "string"}}}}}""");
        String boxes = "/apis/shop.example.com/v1/namespaces/default/boxes";
        client.post(boxes, "{\"metadata\": {\"name\": \"b\"}, \"spec\": {\"a\": \"long\"}}");
        changeSpec("boxes", """
                "a": {"type": "string", "pattern": "^.$", "x-kubernetes-validations": [{"rule": "size(self) == 1"}]},
                "b": {"type": "string", "pattern": "^.$"}""");
        client.merge(boxes + "/b", "{\"spec\": {\"b\": \"x\"}}");
        assertThat(client.last.code()).isEqualTo(200);
        client.merge(boxes + "/b", "{\"spec\": {\"b\": \"yy\"}}");
        assertThat(client.last.code()).isEqualTo(422);
        client.merge(boxes + "/b", "{\"spec\": {\"a\": \"other\"}}");
        assertThat(client.last.code()).isEqualTo(422);
    }
}
