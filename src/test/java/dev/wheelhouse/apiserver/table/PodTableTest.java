package dev.wheelhouse.apiserver.table;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.protocol.Tables.IncludeObject;

import static dev.wheelhouse.apiserver.table.TableTesting.cells;
import static dev.wheelhouse.apiserver.table.TableTesting.columns;
import static dev.wheelhouse.apiserver.table.TableTesting.object;
import static dev.wheelhouse.apiserver.table.TableTesting.row;
import static dev.wheelhouse.apiserver.table.TableTesting.table;
import static org.assertj.core.api.Assertions.assertThat;

class PodTableTest {
    static Stream<Arguments> states() {
        return Resources.yaml("/tables/pods.yaml").properties().stream().map(state -> Arguments.of(state.getKey(),
                state.getValue().path("pod"), state.getValue().path("cells")));
    }

    @ParameterizedTest(name = "a pod that {0}")
    @MethodSource("states")
    void aPodsStateIsCondensedToOneWord(String what, ObjectNode pod, JsonNode cells) {
        assertThat(row("v1/pods", pod).valueStream().limit(5)).as(what).containsExactlyElementsOf(cells);
    }

    @Test
    void theWideColumnsSayWhereAPodIs() {
        assertThat(columns("v1/pods")).containsExactly("Name", "Ready", "Status", "Restarts", "Age", "(IP)", "(Node)",
                "(Nominated Node)", "(Readiness Gates)");
        assertThat(cells("v1/pods",
                "spec: {nodeName: 'n1', readinessGates: [{conditionType: 'g'}, {conditionType: 'h'}]}, "
                        + "status: {podIPs: [{ip: '10.0.0.7'}, {ip: 'fd00::7'}], conditions: [{type: 'g', status: "
                        + "'True'}]}"))
                .endsWith("10.0.0.7", "n1", "<none>", "1/2");
        assertThat(cells("v1/pods", "spec: {}")).endsWith("<none>", "<none>", "<none>", "<none>");
    }

    @Test
    void theRowsOfFinishedPodsAreMarkedAsCompleted() {
        var table = table("v1/pods", IncludeObject.NONE, object("status: {phase: 'Running'}"),
                object("status: {phase: 'Succeeded'}"), object("status: {phase: 'Failed'}"));

        assertThat(table.at("/rows/0").has("conditions")).isFalse();
        assertThat(table.at("/rows/1/conditions/0/type").asString()).isEqualTo("Completed");
        assertThat(table.at("/rows/1/conditions/0/status").asString()).isEqualTo("True");
        assertThat(table.at("/rows/1/conditions/0/reason").asString()).isEqualTo("Succeeded");
        assertThat(table.at("/rows/2/conditions/0/reason").asString()).isEqualTo("Failed");
    }
}
