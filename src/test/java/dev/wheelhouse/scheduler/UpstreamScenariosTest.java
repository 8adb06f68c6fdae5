package dev.wheelhouse.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The scenarios of upstream's integration suite of the scheduler, in {@code scheduler/scenarios.yaml}. */
class UpstreamScenariosTest {
    private static final Map<String, Map<String, String>> NAMESPACES = Map.of("ns2", Map.of("team", "team1"), "ns3",
            Map.of("team", "team2"));

    private final Map<String, NodeInfo> nodes = new LinkedHashMap<>();
    private int pods;

    static Stream<Arguments> scenarios() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                UpstreamScenariosTest.class.getResourceAsStream("/scheduler/scenarios.yaml"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("REQ:", "requiredDuringSchedulingIgnoredDuringExecution:")
                    .replace("PREF:", "preferredDuringSchedulingIgnoredDuringExecution:");
            List<Arguments> all = new ArrayList<>();
            for (JsonNode each : ModelJson.tree(SafeYaml.load(text.getBytes(StandardCharsets.UTF_8)))) {
                all.add(Arguments.of(each.get("of").asString(), each.get("case").asString(), each));
            }
            return all.stream();
        }
    }

    private PodInfo pod(JsonNode fields) {
        ObjectNode spec = (ObjectNode) fields.deepCopy();
        ObjectNode meta = spec.objectNode();
        meta.put("namespace", "ns1").put("name", "p" + pods).put("uid", "u" + pods++);
        for (String field : List.of("namespace", "name", "labels")) {
            if (spec.has(field)) {
                meta.set(field, spec.remove(field));
            }
        }
        ObjectNode pod = spec.objectNode();
        pod.set("metadata", meta);
        pod.set("spec", spec);
        return PodInfo.of(ModelJson.read(pod, V1Pod.class));
    }

    private void node(String text, JsonNode scenario) {
        String[] words = text.split(" ");
        ObjectNode node = (ObjectNode) ModelJson.tree(SafeYaml.load(("metadata: {name: " + words[0] + ", labels: {}}\n"
                + "spec: {}\nstatus: {allocatable: {pods: '32'}, conditions: [{type: Ready, status: 'True'}]}")
                .getBytes(StandardCharsets.UTF_8)));
        for (int i = 1; i < words.length; i++) {
            String[] label = words[i].split("=");
            ((ObjectNode) node.at("/metadata/labels")).put(label[0], label[1]);
        }
        scenario.path("allocatable").properties()
                .forEach(amount -> ((ObjectNode) node.at("/status/allocatable")).set(amount.getKey(),
                        amount.getValue()));
        ((ObjectNode) node.get("spec")).set("taints", scenario.path("taints").path(words[0]).asArrayOpt()
                .orElse(node.arrayNode()));
        ((ObjectNode) node.get("status")).set("images", scenario.path("images").path(words[0]).asArrayOpt()
                .orElse(node.arrayNode()));
        NodeInfo info = new NodeInfo(words[0]);
        info.setFacts(NodeInfo.Facts.of(ModelJson.read(node, V1Node.class)));
        nodes.put(words[0], info);
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("scenarios")
    void theOutcomeIsUpstreams(String of, String name, JsonNode scenario) {
        scenario.get("nodes").forEach(text -> node(text.asString(), scenario));
        for (JsonNode each : scenario.path("placed")) {
            ObjectNode placed = (ObjectNode) each.deepCopy();
            String on = placed.remove("at").asString();
            if (nodes.containsKey(on)) {
                nodes.get(on).add(pod(placed));
            }
        }
        Profile profile = ProfileTexts.profile(scenario.path("profile").asString(""));
        SchedulingView view = new SchedulingView(profile, pod(scenario.get("pod")), PodVolumes.NONE, nodes.values(),
                ns -> NAMESPACES.getOrDefault(ns, Map.of()), "", Preemption.Facts.NONE, 7, 0);

        Placement.Rules rules = Placement.Rules.of(view);
        assertThat(nodes.values().stream().filter(node -> rules.check(node) == null).map(NodeInfo::name).toList())
                .isEqualTo(texts(scenario.get("fits")));
        switch (Placement.decide(view)) {
            case ScheduleResult.Bind bind -> assertThat(texts(scenario.path(scenario.has("gets") ? "gets" : "fits")))
                    .contains(bind.node());
            case ScheduleResult.Unschedulable no -> {
                assertThat(scenario.get("fits")).isEmpty();
                assertThat(no.message()).startsWith("0/" + nodes.size() + " nodes are available: ");
                if (scenario.has("victims")) {
                    assertThat(no.victims().stream().map(victim -> victim.key().name()))
                            .containsExactlyInAnyOrderElementsOf(texts(scenario.get("victims")));
                }
                if (scenario.has("goesFrom")) {
                    assertThat(texts(scenario.get("goesFrom"))).contains(no.nominated());
                }
            }
        }
    }
}
