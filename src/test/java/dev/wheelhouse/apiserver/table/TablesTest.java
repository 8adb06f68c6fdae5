package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.protocol.Tables;
import dev.wheelhouse.apiserver.protocol.Tables.IncludeObject;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.ResourceInfo;

import static dev.wheelhouse.apiserver.table.TableTesting.cells;
import static dev.wheelhouse.apiserver.table.TableTesting.columns;
import static dev.wheelhouse.apiserver.table.TableTesting.object;
import static dev.wheelhouse.apiserver.table.TableTesting.row;
import static dev.wheelhouse.apiserver.table.TableTesting.table;
import static org.assertj.core.api.Assertions.assertThat;

class TablesTest {
    static Stream<Arguments> rows() {
        return Resources.yaml("/tables/rows.yaml").valueStream().map(row -> {
            Map.Entry<String, JsonNode> object = row.properties().iterator().next();
            return Arguments.of(object.getKey(), object.getValue(), row.path("cells"));
        });
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("rows")
    void aRowSaysWhatUpstreamsPrinterSays(String resource, ObjectNode object, JsonNode cells) {
        assertThat(row(resource, object)).hasToString(cells.toString());
    }

    @Test
    void aTableHasItsListsMetadataAndTheColumnsThatKubectlExpects() {
        var meta = Json.object().put("resourceVersion", "42").put("continue", "abc");

        var table = Tables.table(TableTesting.resource("apps/v1/deployments"), List.of(), IncludeObject.METADATA, true,
                meta, TableTesting.NOW);

        assertThat(table.get("kind").asString()).isEqualTo("Table");
        assertThat(table.get("apiVersion").asString()).isEqualTo("meta.k8s.io/v1");
        assertThat(table.get("metadata")).isEqualTo(meta);
        assertThat(table.get("rows").isArray()).isTrue();
        assertThat(table.at("/columnDefinitions/0/format").asString()).isEqualTo("name");
        assertThat(columns("apps/v1/deployments")).containsExactly("Name", "Ready", "Up-to-date", "Available", "Age",
                "(Containers)", "(Images)", "(Selector)");
    }

    @Test
    void aRowCarriesAsMuchOfItsObjectAsWasAskedFor() {
        var map = object("data: {a: 'b'}");

        assertThat(table("v1/configmaps", IncludeObject.NONE, map).at("/rows/0/object").isNull()).isTrue();
        var partial = table("v1/configmaps", IncludeObject.METADATA, map).at("/rows/0/object");
        assertThat(partial.get("kind").asString()).isEqualTo("PartialObjectMetadata");
        assertThat(partial.get("apiVersion").asString()).isEqualTo("meta.k8s.io/v1");
        assertThat(partial.at("/metadata/name").asString()).isEqualTo("x");
        assertThat(partial.has("data")).isFalse();
        var whole = table("v1/configmaps", IncludeObject.OBJECT, map).at("/rows/0/object");
        assertThat(whole.get("kind").asString()).isEqualTo("ConfigMap");
        assertThat(whole.at("/data/a").asString()).isEqualTo("b");
    }

    @Test
    void laterEventsOfAWatchComeWithoutColumnDefinitions() {
        var table = Tables.table(TableTesting.resource("v1/configmaps"), List.of(object("data: {}")),
                IncludeObject.NONE, false, Json.object(), TableTesting.NOW);

        assertThat(table.get("columnDefinitions").isNull()).isTrue();
        assertThat(cells(table, 0)).containsExactly("x", 0L, "3m");
    }

    @Test
    void anOddObjectDoesNotBreakTheRowsOfTheOthers() {
        var odd = object("metadata: 'no', spec: {containers: 5, initContainers: [3]}, status: {containerStatuses: {}, "
                + "initContainerStatuses: [null, 'x'], conditions: [[]]}");
        var table = table("v1/pods", IncludeObject.METADATA, odd, object("status: {phase: 'Running'}"));

        assertThat(cells(table, 0)).hasSize(9);
        assertThat(cells(table, 1)).startsWith("x", "0/0", "Running", "0", "3m");
    }

    @Test
    void everyKindsTableHasACellForEachColumnEvenOfAnEmptyObject() {
        for (ResourceInfo resource : ResourceRegistry.builtIn().all()) {
            var table = Tables.table(resource, List.of(Json.object()), IncludeObject.NONE, true, Json.object(),
                    TableTesting.NOW);
            assertThat(cells(table, 0)).as(resource.toString()).hasSameSizeAs(table.get("columnDefinitions"))
                    .doesNotContain("<invalid>");
        }
    }

    @Test
    void theScaleOfADeploymentHasColumnsOfItsOwn() {
        var table = table("apps/v1/deployments", IncludeObject.NONE,
                object("kind: 'Scale', spec: {replicas: 3}, status: {replicas: 2}"));

        assertThat(cells(table, 0)).containsExactly("x", 3L, 2L, "3m");
    }

    @Test
    void customResourcesShowNameAndAge() {
        var custom = new BuiltInResource(new ResourceType("orders.shop.k8s.io", "v1", "orders", "Order", true), "order",
                List.of(), List.of(), Set.of("get"), List.of());
        var table = Tables.table(custom, List.of(object("spec: {}")), IncludeObject.NONE, true, Json.object(),
                TableTesting.NOW);

        assertThat(cells(table, 0)).containsExactly("x", "3m");
    }
}
