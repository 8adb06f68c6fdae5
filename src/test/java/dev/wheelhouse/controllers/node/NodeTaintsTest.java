package dev.wheelhouse.controllers.node;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.node.NodeTaints.NoExecuteChange;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class NodeTaintsTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00.5Z");

    private static V1Node node(String conditions, String taints, String more) {
        StringBuilder yaml = new StringBuilder("{metadata: {name: n, uid: u, resourceVersion: '7'}, spec: {taints: [");
        for (String taint : words(taints)) {
            yaml.append("{key: ").append(key(taint)).append(", effect: ").append(taint.split(":", 2)[1]
                    .replace("@", ", timeAdded: 2020-01-01T00:00:00Z")).append("},");
        }
        yaml.append("], ").append(more).append("}, status: {conditions: [");
        for (String condition : words(conditions)) {
            yaml.append("{type: ").append(condition.split("=", 2)[0]).append(", status: '")
                    .append(condition.split("=", 2)[1]).append("'},");
        }
        return Yaml.read(yaml.append("]}}").toString(), V1Node.class);
    }

    private static String key(String taint) {
        String key = taint.split(":", 2)[0];
        return key.equals("gpu") ? key : "node.kubernetes.io/" + key;
    }

    private static List<String> words(@Nullable String text) {
        return text == null ? List.of() : List.of(text.split(" ", -1));
    }

    private static String taintsAfter(V1Node node, @Nullable NoExecuteChange wish) {
        List<Action> actions = NodeTaints.decide(node, wish, NOW);
        if (actions.isEmpty()) {
            return "as before";
        }
        Action.Patch patch = (Action.Patch) actions.getFirst();
        assertThat(patch.patchType()).isEqualTo(PatchType.STRATEGIC_MERGE);
        var body = ModelJson.mapperForModels().readTree(patch.body());
        assertThat(body.at("/metadata/resourceVersion").asString()).isEqualTo("7");
        return String.join(" ", body.at("/spec/taints").valueStream()
                .map(taint -> taint.path("key").asString().replace("node.kubernetes.io/", "") + ":"
                        + taint.path("effect").asString()
                        + (taint.path("timeAdded").asString("").equals("2030-01-01T00:00:00Z") ? "+" : ""))
                .toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Ready=True                   |                                   | as before
            Ready=False                  |                                   | not-ready:NoSchedule+
            Ready=Unknown                | gpu:NoSchedule                    | gpu:NoSchedule unreachable:NoSchedule+
            Ready=Unknown                | not-ready:NoSchedule              | unreachable:NoSchedule+
            Ready=True MemoryPressure=True DiskPressure=True | | memory-pressure:NoSchedule+ disk-pressure:NoSchedule+
            PIDPressure=True NetworkUnavailable=True | | pid-pressure:NoSchedule+ network-unavailable:NoSchedule+
            Ready=True MemoryPressure=Unknown NetworkUnavailable=Unknown |   | as before
            Ready=True   | not-ready:NoSchedule memory-pressure:NoSchedule gpu:NoSchedule | gpu:NoSchedule
            Ready=True                   | not-ready:NoExecute unreachable:NoExecute unschedulable:NoExecute | as before
            Ready=True                   | unschedulable:NoSchedule          | ''
            Ready=False                  | not-ready:NoSchedule              | as before
            """)
    void taintsThatForbidFollowFromConditions(String conditions, @Nullable String taints, String after) {
        assertThat(taintsAfter(node(conditions, taints, ""), null)).isEqualTo(after);
    }

    @Test
    void aNodeThatIsTakenOutOfUseIsTainted() {
        assertThat(taintsAfter(node("Ready=True", null, "unschedulable: true"), null))
                .isEqualTo("unschedulable:NoSchedule+");
        assertThat(taintsAfter(node("Ready=True", "unschedulable:NoSchedule", "unschedulable: true"), null))
                .isEqualTo("as before");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            EVICT | Ready=False   |                       | not-ready:NoExecute+ not-ready:NoSchedule+
            EVICT | Ready=Unknown | unreachable:NoSchedule | unreachable:NoSchedule unreachable:NoExecute+
            EVICT | Ready=Unknown | unreachable:NoSchedule unreachable:NoExecute@ | as before
            EVICT | Ready=Unknown | unreachable:NoExecute gpu:NoSchedule unreachable:NoSchedule | \
            unreachable:NoExecute+ gpu:NoSchedule unreachable:NoSchedule
            EVICT | Ready=True    |                       | as before
            EVICT | MemoryPressure=False |                | as before
            SWAP  | Ready=Unknown | unreachable:NoSchedule not-ready:NoExecute | \
            unreachable:NoSchedule unreachable:NoExecute+
            SWAP  | Ready=False   | unreachable:NoSchedule unreachable:NoExecute | \
            not-ready:NoExecute+ not-ready:NoSchedule+
            SWAP  | Ready=True    | not-ready:NoExecute   | ''
            CLEAR | Ready=True    | not-ready:NoExecute gpu:NoExecute unreachable:NoExecute | gpu:NoExecute
            CLEAR | Ready=Unknown | unreachable:NoSchedule unreachable:NoExecute | unreachable:NoSchedule
            CLEAR | Ready=True    | gpu:NoExecute         | as before
            """)
    void taintsThatEvictFollowFromTheWish(NoExecuteChange wish, String conditions, @Nullable String taints,
            String after) {
        assertThat(taintsAfter(node(conditions, taints, ""), wish)).isEqualTo(after);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {kubernetes.io/os: linux, kubernetes.io/arch: arm64} | \
            {"beta.kubernetes.io/os":"linux","beta.kubernetes.io/arch":"arm64"}
            {kubernetes.io/os: linux, beta.kubernetes.io/os: windows} | {"beta.kubernetes.io/os":"linux"}
            {kubernetes.io/os: linux, beta.kubernetes.io/os: linux} | ''
            {beta.kubernetes.io/os: linux}                          | ''
            """)
    void olderLabelsFollowFromThePresentOnes(String labels, String patched) {
        V1Node node = Yaml.read("{metadata: {name: n, uid: u, labels: " + labels + "}}", V1Node.class);
        List<Action> actions = NodeTaints.decide(node, null, NOW);
        assertThat(actions).hasSize(patched.isEmpty() ? 0 : 1);
        for (Action action : actions) {
            assertThat(ModelJson.mapperForModels().readTree(((Action.Patch) action).body()))
                    .isEqualTo(ModelJson.mapperForModels().readTree(
                            "{\"metadata\": {\"uid\": \"u\", \"labels\": " + patched + "}}"));
        }
    }
}
