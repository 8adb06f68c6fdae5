package dev.wheelhouse.controllers.daemonset;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class NodePredicatesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    {} | | RUN
                    {nodeName: a1} | | RUN
                    {nodeName: a2} | | LEAVE
                    {nodeSelector: {kind: a}} | | RUN
                    {nodeSelector: {kind: b}} | | LEAVE
                    {} | {key: x, effect: PreferNoSchedule} | RUN
                    {} | {key: x, effect: NoSchedule} | KEEP
                    {} | {key: x, effect: NoExecute} | LEAVE
                    {} | {key: x, effect: NoSchedule}, {key: y, effect: NoExecute} | LEAVE
                    {tolerations: [{operator: Exists}]} | {key: x, effect: NoExecute} | RUN
                    {tolerations: [{key: x, operator: Equal, value: v}]} | {key: x, value: v, effect: NoSchedule} | RUN
                    {tolerations: [{key: x, operator: Equal, value: w}]} | {key: x, value: v, effect: NoSchedule} | KEEP
                    {} | {key: node.kubernetes.io/not-ready, effect: NoExecute} | RUN
                    {} | {key: node.kubernetes.io/not-ready, effect: NoSchedule} | KEEP
                    {} | {key: node.kubernetes.io/unreachable, effect: NoExecute} | RUN
                    {} | {key: node.kubernetes.io/disk-pressure, effect: NoSchedule} | RUN
                    {} | {key: node.kubernetes.io/memory-pressure, effect: NoSchedule} | RUN
                    {} | {key: node.kubernetes.io/pid-pressure, effect: NoSchedule} | RUN
                    {} | {key: node.kubernetes.io/unschedulable, effect: NoSchedule} | RUN
                    {} | {key: node.kubernetes.io/network-unavailable, effect: NoSchedule} | KEEP
                    {hostNetwork: true} | {key: node.kubernetes.io/network-unavailable, effect: NoSchedule} | RUN
                    {} | {key: node.kubernetes.io/out-of-service, effect: NoExecute} | LEAVE
                    """)
    void aNodeRunsKeepsOrLeavesPodsByItsNameLabelsAndTaints(String template, String taints,
            NodePredicates.Verdict verdict) {
        V1Node node = Yaml.read("{metadata: {name: a1, labels: {kind: a}}, spec: {unschedulable: true, taints: ["
                + (taints == null ? "" : taints) + "]}}", V1Node.class);
        assertThat(NodePredicates.of(Yaml.read(template, V1PodSpec.class)).on(node)).isEqualTo(verdict);
    }

    /** A toleration that ends replaces none of those that every DaemonSet has. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", tolerationSeconds: 3"})
    void tolerationsHaveNoEndAndAreNotDoubled(String end) {
        String template = "{tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute%s}]}";
        assertThat(DaemonPods.tolerations(Yaml.read(template.formatted(end), V1PodSpec.class))).hasSize(6)
                .allMatch(toleration -> toleration.getTolerationSeconds() == null);
    }
}
