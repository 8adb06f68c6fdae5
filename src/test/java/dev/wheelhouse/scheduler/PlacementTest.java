package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class PlacementTest {
    private static final Map<String, Map<String, String>> NAMESPACES = Map.of("team-b", Map.of("team", "b"));

    private Profile profile = ProfileTexts.DEFAULT;
    private final List<NodeInfo> nodes = new ArrayList<>();
    private int pods;

    /** A ready node with 4 CPUs, 8 GiB and 10 pods; its zone is the first letter of its name. */
    private NodeInfo node(String name, String spec) {
        return nodeOf("{metadata: {name: %s, labels: {kubernetes.io/hostname: %s, zone: %s, size: '%d'}}, spec: {%s}, "
                .formatted(name, name, name.substring(0, 1), name.length(), spec)
                + "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10', ephemeral-storage: 100Gi, "
                + "example.com/gpu: '2'},"
                + " conditions: [{type: Ready, status: 'True'}]}}");
    }

    private NodeInfo nodeOf(String yaml) {
        V1Node node = Yaml.read(yaml, V1Node.class);
        NodeInfo info = new NodeInfo(node.getMetadata().getName());
        info.setFacts(NodeInfo.Facts.of(node));
        nodes.add(info);
        return info;
    }

    private PodInfo pod(String labels, String spec) {
        return podIn("default", labels, spec);
    }

    private PodInfo podIn(String namespace, String labels, String spec) {
        pods++;
        return PodInfo.of(Yaml.read(
                "{metadata: {name: p%d, namespace: %s, uid: u%d, labels: {%s}}, spec: {%s}}".formatted(pods, namespace,
                        pods, labels, spec),
                V1Pod.class));
    }

    private static String asking(String requests) {
        return "containers: [{name: c, resources: {requests: {%s}}}]".formatted(requests);
    }

    private ScheduleResult decide(PodInfo pod) {
        return Placement
                .decide(new SchedulingView(profile, pod, PodVolumes.NONE, nodes,
                        ns -> NAMESPACES.getOrDefault(ns, Map.of()), "", Preemption.Facts.NONE, 7, 0));
    }

    private String chosen(PodInfo pod) {
        ScheduleResult decision = decide(pod);
        assertThat(decision).isInstanceOf(ScheduleResult.Bind.class);
        return ((ScheduleResult.Bind) decision).node();
    }

    private String message(PodInfo pod) {
        ScheduleResult decision = decide(pod);
        assertThat(decision).isInstanceOf(ScheduleResult.Unschedulable.class);
        return ((ScheduleResult.Unschedulable) decision).message();
    }

    @Test
    void withoutNodesNothingCanBeScheduled() {
        assertThat(message(pod("", ""))).isEqualTo("no nodes available to schedule pods");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"cpu: 4100m|Insufficient cpu|never", "memory: 9Gi|Insufficient memory|never",
            "ephemeral-storage: 101Gi|Insufficient ephemeral-storage|never",
            "example.com/gpu: '3'|Insufficient example.com/gpu|never", "cpu: 3500m|Insufficient cpu|crowded",
            "example.com/fpga: '1'|Insufficient example.com/fpga|never"})
    void saysWhichResourceIsShort(String requests, String reason, String when) {
        for (String name : List.of("a1", "a2")) {
            node(name, "").add(pod("", asking("cpu: '1'")));
        }
        String preemption = when.equals("never")
                ? "2 Preemption is not helpful for scheduling."
                : "2 No preemption victims found for incoming pod.";
        assertThat(message(pod("", asking(requests)))).isEqualTo("0/2 nodes are available: 2 " + reason
                + ". preemption: 0/2 nodes are available: " + preemption);
    }

    /** Three nodes of 4 CPUs; a pod is CPUs, priority, age in minutes, and b for one that a budget protects. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
            "the pods of less priority | 3@5 | 3@1 | 3@9 | 2 | a2: 3@1",
            "as few as possible | 1@1 1@1 2@1 | 4@9 | 4@9 | 2 | a1: 2@1",
            "the most important stays | 2@3 2@1 | 4@9 | 4@9 | 2 | a1: 2@1",
            "the older one stays | 2@1+9 2@1+5 | 4@9 | 4@9 | 2 | a1: 2@1+5",
            "no budget is broken, if possible | 3@1b | 3@5 | 4@9 | 2 | a2: 3@5",
            "a budget is broken, if need be | 3@1b | 3@11 | 4@11 | 2 | a1: 3@1b",
            "a budget's pod stays before others | 2@1b 2@5 | 4@9 | 4@11 | 2 | a1: 2@5",
            "the smaller sum of priorities | 2@5 2@4 | 2@5 2@1 | 4@11 | 4 | a2: 2@5 2@1",
            "the fewer pods | 2@5 2@5 | 4@5 | 4@11 | 4 | a2: 4@5",
            "the node whose pods are younger | 4@5+3 | 4@5+1 | 4@5+2 | 4 | a2: 4@5+1",
            "nobody of the same priority | 3@10 | 3@10 | 3@10 | 2 | -"})
    void thePodsThatHaveToGoAreThoseOfUpstream(String why, String first, String second, String third, String cpus,
            @Nullable String expected) {
        Map<String, String> texts = new HashMap<>();
        Map<String, Long> started = new HashMap<>();
        int number = 0;
        for (String pods : List.of(first, second, third)) {
            NodeInfo node = node("a" + ++number, "");
            for (String text : pods.split(" ")) {
                String[] parts = text.replace("b", "").split("[@+]");
                PodInfo placed = pod(text.endsWith("b") ? "budget: x" : "a: b",
                        "priority: %s, ".formatted(parts[1]) + asking("cpu: '" + parts[0] + "'"));
                node.add(placed);
                texts.put(placed.uid(), text);
                started.put(placed.uid(), parts.length > 2 ? -Long.parseLong(parts[2]) : 0);
            }
        }
        V1PodDisruptionBudget budget = Yaml.read("{metadata: {namespace: default}, spec: {selector: {matchLabels: "
                + "{budget: x}}}, status: {disruptionsAllowed: 0}}", V1PodDisruptionBudget.class);
        ScheduleResult.Unschedulable result = (ScheduleResult.Unschedulable) Placement.decide(new SchedulingView(
                profile,
                pod("", "priority: 10, " + asking("cpu: '" + cpus + "'")), PodVolumes.NONE, nodes,
                ns -> Map.of(), "", new Preemption.Facts(() -> List.of(budget), pod -> started.get(pod.uid())), 7, 0));
        assertThat(result.victims().stream().map(victim -> texts.get(victim.uid())).collect(Collectors.joining(" ",
                result.nominated() + ": ", ""))).isEqualTo(expected == null ? ": " : expected);
        assertThat(nodes).as("the sums are as before").allMatch(node -> node.milliCpu() == node.placed().stream()
                .mapToLong(pod -> pod.requests().milliCpu()).sum());
    }

    @Test
    void aPodMayHaveToLiveWithItsPriority() {
        node("a1", "").add(pod("", asking("cpu: '3'")));
        assertThat(message(pod("", "priority: 100, " + asking("cpu: '2'"))))
                .isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
        assertThat(message(pod("", "priority: 100, preemptionPolicy: Never, " + asking("cpu: '2'")))).isEqualTo(
                "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.");
    }

    /** A pod that others refuse near them may have them go; one that lacks its friends may not. */
    @Test
    void affinityIsAskedAgainWhenPodsHaveGone() {
        PodInfo alone = pod("a: b", "priority: 1, affinity: {podAntiAffinity: "
                + "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {}}]}}");
        node("a1", "").add(alone);
        node("a2", "");
        ScheduleResult.Unschedulable result = (ScheduleResult.Unschedulable) decide(pod("c: d", "priority: 10"));
        assertThat(result.nominated()).isEqualTo("a1");
        assertThat(result.victims()).containsExactly(alone);
    }

    @Test
    void countsEachReasonOverTheNodesInAlphabeticalOrder() {
        node("a1", "unschedulable: true");
        node("a2", "taints: [{key: k, effect: NoExecute}]");
        node("a3", "").add(pod("", asking("cpu: '4', memory: 8Gi")));
        node("b1", "").add(pod("", asking("cpu: '4'")));
        assertThat(message(pod("", asking("cpu: '1', memory: 1Gi")))).isEqualTo("0/4 nodes are available: "
                + "1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 "
                + "Insufficient cpu."
                + " preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod,"
                + " 2 Preemption is not helpful for scheduling.");
    }

    @Test
    void aNodeTakesNoMorePodsThanItAllows() {
        NodeInfo node = node("a1", "");
        for (int i = 0; i < 10; i++) {
            node.add(pod("", ""));
        }
        assertThat(message(pod("", ""))).startsWith("0/1 nodes are available: 1 Too many pods.");
    }

    @Test
    void aPodThatIsTakenAwayGivesItsPlaceBack() {
        NodeInfo node = node("a1", "");
        PodInfo big = pod("app: x", asking("cpu: '4'"));
        node.add(big);
        node.remove(big);
        assertThat(chosen(pod("", asking("cpu: '4'")))).isEqualTo("a1");
        assertThat(node.groups()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "containers: [{name: a, resources: {requests: {cpu: '1'}}}, {name: b, resources: {requests: {cpu: "
                    + "500m}}}]|1500",
            "initContainers: [{name: i, resources: {requests: {cpu: '2'}}}], containers: [{name: a, resources: "
                    + "{requests: {cpu: '1'}}}]|2000",
            "initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 300m}}}, {name: i, "
                    + "resources: {requests: {cpu: '2'}}}], containers: [{name: a, resources: {requests: {cpu: "
                    + "'1'}}}]|2300",
            "initContainers: [{name: i, resources: {requests: {cpu: '2'}}}, {name: s, restartPolicy: Always, "
                    + "resources: {requests: {cpu: 1500m}}}], containers: [{name: a, resources: {requests: {cpu: "
                    + "'1'}}}]|2500",
            "overhead: {cpu: 250m}, containers: [{name: a, resources: {requests: {cpu: '1'}}}]|1250",
            "resources: {requests: {cpu: '3'}}, containers: [{name: a, resources: {requests: {cpu: '1'}}}]|3000",
            "containers: [{name: a, resources: {requests: {cpu: 100u}}}]|1"})
    void requestsOfContainersInitContainersAndSidecarsAddUpAsTheyRun(String spec, long milliCpu) {
        assertThat(pod("", spec).requests().milliCpu()).isEqualTo(milliCpu);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|false", "key: k, operator: Exists|true", "key: k, value: v|true",
            "key: k, value: other|false", "operator: Exists|true", "key: k, operator: Exists, effect: NoSchedule|true",
            "key: k, operator: Exists, effect: NoExecute|false"})
    void taintsKeepPodsOffThatDoNotTolerateThem(String toleration, boolean fits) {
        node("a1", "taints: [{key: k, value: v, effect: NoSchedule}]");
        PodInfo pod = pod("", toleration.isEmpty() ? "" : "tolerations: [{%s}]".formatted(toleration));
        assertThat(decide(pod) instanceof ScheduleResult.Bind).isEqualTo(fits);
    }

    @Test
    void anotherNodeIsPreferredToOneWithATaintThatAsksForIt() {
        node("a1", "taints: [{key: k, effect: PreferNoSchedule}]");
        node("a2", "").add(pod("", asking("cpu: '2'")));
        assertThat(chosen(pod("", ""))).isEqualTo("a2");
    }

    @Test
    void aNodeThatIsNotReadyCountsAsTainted() {
        nodeOf("{metadata: {name: a1}, status: {allocatable: {pods: '10'}, conditions: [{type: Ready, status: "
                + "'False'}]}}");
        nodeOf("{metadata: {name: a2}, status: {allocatable: {pods: '10'}}}");
        nodeOf("{metadata: {name: a3}, status: {allocatable: {pods: '10'}, conditions: [{type: Ready, status: 'True'},"
                + " {type: DiskPressure, status: 'True'}]}}");
        assertThat(message(pod("", ""))).startsWith("0/3 nodes are available: 3 node(s) had untolerated taint(s).");
        assertThat(chosen(pod("", "tolerations: [{key: node.kubernetes.io/disk-pressure, operator: Exists}]")))
                .isEqualTo("a3");
    }

    @Test
    void aCordonedNodeTakesOnlyPodsThatTolerateIt() {
        node("a1", "unschedulable: true");
        assertThat(message(pod("", ""))).startsWith("0/1 nodes are available: 1 node(s) were unschedulable.");
        assertThat(chosen(pod("", "tolerations: [{operator: Exists}]"))).isEqualTo("a1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"nodeSelector: {zone: b}|b1", "nodeSelector: {zone: c}|",
            "matchExpressions: [{key: zone, operator: In, values: [b, c]}]|b1",
            "matchExpressions: [{key: zone, operator: NotIn, values: [a]}]|b1",
            "matchExpressions: [{key: other, operator: Exists}]|",
            "matchExpressions: [{key: zone, operator: DoesNotExist}]|",
            "matchExpressions: [{key: size, operator: Gt, values: ['3']}]|a-long",
            "matchExpressions: [{key: size, operator: Lt, values: ['3']}]|b1",
            "matchFields: [{key: metadata.name, operator: In, values: [b1]}]|b1",
            "matchFields: [{key: metadata.name, operator: NotIn, values: [b1]}]|a-long", "matchExpressions: []|"})
    void nodeSelectorsAndRequiredAffinityDecideWhichNodesAreAllowed(String rule, String expected) {
        node("a-long", "");
        node("b1", "");
        PodInfo pod = pod("", rule.startsWith("nodeSelector")
                ? rule
                : "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                        + "[{%s}]}}}"
                                .formatted(rule));
        if (expected == null) {
            assertThat(message(pod)).startsWith(
                    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: ");
        } else {
            assertThat(chosen(pod)).isEqualTo(expected);
        }
    }

    @Test
    void preferredNodeAffinityOutweighsLoad() {
        node("a1", "");
        node("b1", "").add(pod("", asking("cpu: '2', memory: 4Gi")));
        assertThat(chosen(pod("", "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                + "[{weight: 1, preference: {matchExpressions: [{key: zone, operator: In, values: [b]}]}}]}}")))
                .isEqualTo("b1");
    }

    @Test
    void aHostPortIsGivenOnce() {
        String spec = "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]";
        node("a1", "").add(pod("", spec));
        assertThat(message(pod("", spec)))
                .startsWith("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.");
        assertThat(
                chosen(pod("", "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: UDP}]}]")))
                .isEqualTo("a1");
        assertThat(message(
                pod("", "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, hostIP: 127.0.0.1}]}]")))
                .contains("free ports");
    }

    private static String near(String kind, String selector, String more) {
        return ("affinity: {%s: {requiredDuringSchedulingIgnoredDuringExecution: "
                + "[{topologyKey: zone, labelSelector: {matchLabels: {%s}}%s}]}}").formatted(kind, selector, more);
    }

    @Test
    void podAffinityBringsPodsTogether() {
        node("a1", "");
        node("b1", "").add(pod("app: db", ""));
        node("b2", "");
        assertThat(chosen(pod("", near("podAffinity", "app: db", "")))).startsWith("b");
        assertThat(message(pod("", near("podAffinity", "app: cache", "")))).startsWith(
                "0/3 nodes are available: 3 node(s) didn't match pod affinity rules. preemption: 0/3 nodes are "
                        + "available: "
                        + "3 Preemption is not helpful for scheduling.");
    }

    @Test
    void theFirstOfASeriesThatWantsItsOwnKindNearMayGoAnywhere() {
        node("a1", "");
        assertThat(chosen(pod("app: db", near("podAffinity", "app: db", "")))).isEqualTo("a1");
    }

    @Test
    void podAffinityLooksOnlyIntoItsNamespacesUnlessTold() {
        node("a1", "").add(podIn("team-b", "app: db", ""));
        assertThat(message(pod("", near("podAffinity", "app: db", "")))).contains("pod affinity rules");
        assertThat(chosen(pod("", near("podAffinity", "app: db", ", namespaces: [team-b]")))).isEqualTo("a1");
        assertThat(chosen(
                pod("", near("podAffinity", "app: db", ", namespaceSelector: {matchLabels: {team: b}}"))))
                .isEqualTo("a1");
        assertThat(message(
                pod("", near("podAffinity", "app: db", ", namespaceSelector: {matchLabels: {team: c}}"))))
                .contains("pod affinity rules");
    }

    @Test
    void antiAffinityKeepsPodsApartInBothDirections() {
        NodeInfo a = node("a1", "");
        a.add(pod("app: web", near("podAntiAffinity", "app: noisy", "")));
        assertThat(message(pod("app: noisy", "")))
                .startsWith("0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.");
        assertThat(message(pod("", near("podAntiAffinity", "app: web", ""))))
                .startsWith("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.");
        node("b1", "");
        assertThat(chosen(pod("app: noisy", ""))).isEqualTo("b1");
    }

    @Test
    void preferredPodAffinityAttractsAndRepels() {
        node("a1", "").add(pod("app: db", ""));
        node("b1", "");
        String preferred = "affinity: {%s: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, "
                + "podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: db}}}}]}}";
        assertThat(chosen(pod("", preferred.formatted("podAffinity")))).isEqualTo("a1");
        assertThat(chosen(pod("", preferred.formatted("podAntiAffinity")))).isEqualTo("b1");
    }

    private static String spread(String more) {
        return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, labelSelector: {matchLabels: {app: "
                + "web}}, %s}]"
                        .formatted(more);
    }

    @Test
    void spreadConstraintsKeepTheSkewWithinBounds() {
        node("a1", "").add(pod("app: web", ""));
        node("b1", "taints: [{key: k, effect: NoSchedule}]");
        PodInfo pod = pod("app: web", spread("whenUnsatisfiable: DoNotSchedule"));
        assertThat(message(pod)).startsWith("0/2 nodes are available: 1 node(s) didn't match pod topology spread "
                + "constraints, 1 node(s) had untolerated taint(s).");
        assertThat(chosen(pod("app: web", spread("whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Honor"))))
                .isEqualTo("a1");
        assertThat(chosen(pod("app: web", spread("whenUnsatisfiable: ScheduleAnyway")))).isEqualTo("a1");
    }

    @Test
    void aNodeWithoutTheTopologyLabelIsNotSpreadOver() {
        nodeOf("{metadata: {name: x}, status: {allocatable: {pods: '10'}, conditions: [{type: Ready, status: "
                + "'True'}]}}");
        assertThat(message(pod("app: web", spread("whenUnsatisfiable: DoNotSchedule")))).startsWith(
                "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required "
                        + "label).");
    }

    @Test
    void tooFewDomainsCountAsAnEmptyOne() {
        node("a1", "").add(pod("app: web", ""));
        assertThat(message(pod("app: web", spread("whenUnsatisfiable: DoNotSchedule, minDomains: 2"))))
                .contains("topology spread constraints");
    }

    @Test
    void softSpreadingPrefersTheEmptierZone() {
        node("a1", "").add(pod("app: web", ""));
        node("b1", "").add(pod("app: other", asking("cpu: '1', memory: 2Gi")));
        assertThat(chosen(pod("app: web", spread("whenUnsatisfiable: ScheduleAnyway")))).isEqualTo("b1");
    }

    @Test
    void podsOfOneOwnerSpreadOverTheNodes() {
        node("a1", "");
        node("a2", "");
        Map<String, Integer> counts = new java.util.TreeMap<>();
        for (int i = 0; i < 10; i++) {
            PodInfo pod = PodInfo.of(Yaml.read("{metadata: {name: w%d, namespace: default, uid: w%d, ownerReferences: "
                    .formatted(i, i)
                    + "[{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: rs, controller: true}]}, spec: {}}",
                    V1Pod.class));
            String node = chosen(pod);
            counts.merge(node, 1, Integer::sum);
            nodes.stream().filter(n -> n.name().equals(node)).findFirst().orElseThrow().add(pod);
        }
        assertThat(counts).containsEntry("a1", 5).containsEntry("a2", 5);
    }

    @Test
    void theNodeWithMoreRoomWinsAndTiesAreBrokenAlikeEachTime() {
        node("a1", "").add(pod("", asking("cpu: '2', memory: 4Gi")));
        node("a2", "");
        assertThat(chosen(pod("", ""))).isEqualTo("a2");
        nodes.clear();
        node("a1", "");
        node("a2", "");
        Set<String> all = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            PodInfo pod = pod("", "");
            all.add(chosen(pod));
            assertThat(chosen(pod)).isEqualTo(chosen(pod));
        }
        assertThat(all).containsExactlyInAnyOrder("a1", "a2");
    }

    @Test
    void aSelectorThatCannotBeReadIsSaidAndNotGuessed() {
        node("a1", "");
        assertThat(message(pod("", "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                + "[{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: Near}]}}]}}")))
                .contains("parsing pod: ").contains("Near");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"type: LeastAllocated | a1", "type: MostAllocated | a2",
            "type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, "
                    + "{utilization: 100, score: 0}]} | a1",
            "type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, "
                    + "{utilization: 100, score: 10}]} | a2"})
    void theScoringStrategyChoosesAmongFreeAndUsedNodes(String strategy, String expected) {
        profile = ProfileTexts
                .profile("plugins: {score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit}]}},"
                        + " pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {" + strategy + "}}}]");
        node("a1", "");
        node("a2", "").add(pod("", asking("cpu: '1', memory: 2Gi")));
        assertThat(chosen(pod("", asking("cpu: '1', memory: 2Gi")))).isEqualTo(expected);
    }

    @Test
    void aProfileMayIgnoreResourcesAndAddAffinity() {
        profile = ProfileTexts.profile("""
                pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [example.com]}},
                {name: NodeAffinity, args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
                {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}}}]""");
        node("a1", "");
        NodeInfo b = node("b1", "");
        assertThat(chosen(pod("", asking("example.com/fpga: '1'")))).isEqualTo("b1");
        nodes.remove(b);
        assertThat(message(pod("", ""))).startsWith(
                "0/1 nodes are available: 1 node(s) didn't match scheduler-enforced node affinity. preemption: ");
    }

    @Test
    void aProfileMaySpreadThePodsOfAControllerStrictly() {
        profile = ProfileTexts.profile("pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List, "
                + "defaultConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}}]");
        String owned = "{metadata: {name: p, namespace: default, uid: %s, ownerReferences: "
                + "[{controller: true, uid: rs, kind: ReplicaSet, name: rs, apiVersion: apps/v1}]}, spec: {}}";
        node("a1", "").add(PodInfo.of(Yaml.read(owned.formatted("one"), V1Pod.class)));
        node("b1", "unschedulable: true");
        assertThat(message(PodInfo.of(Yaml.read(owned.formatted("two"), V1Pod.class)))).startsWith(
                "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, "
                        + "1 node(s) were unschedulable.");
        assertThat(chosen(pod("", ""))).as("a pod without a controller").isEqualTo("a1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"gcePersistentDisk: {pdName: d} | gcePersistentDisk: {pdName: d} | false",
            "gcePersistentDisk: {pdName: d} | gcePersistentDisk: {pdName: e} | true",
            "gcePersistentDisk: {pdName: d, readOnly: true} | gcePersistentDisk: {pdName: d, readOnly: true} | true",
            "awsElasticBlockStore: {volumeID: v} | awsElasticBlockStore: {volumeID: v, readOnly: true} | false",
            "iscsi: {iqn: i, readOnly: true} | iscsi: {iqn: i} | false",
            "rbd: {monitors: [a, b], pool: p, image: i} | rbd: {monitors: [b], pool: p, image: i} | false",
            "rbd: {monitors: [a], pool: p, image: i} | rbd: {monitors: [b], pool: p, image: i} | true",
            "emptyDir: {} | emptyDir: {} | true"})
    void aDiskIsWrittenByOnePodOfANode(String placed, String wanted, boolean fits) {
        node("a1", "").add(pod("", "volumes: [{name: v, " + placed + "}]"));
        PodInfo pod = pod("", "volumes: [{name: v, " + wanted + "}]");
        if (fits) {
            assertThat(chosen(pod)).isEqualTo("a1");
        } else {
            assertThat(message(pod))
                    .startsWith("0/1 nodes are available: 1 node(s) had no available disk. preemption:");
        }
    }

    @Test
    void thousandNodesAreSampledEvenlyAndAllOfThemAreTriedBeforeAPodIsRefused() {
        for (int i = 0; i < 1000; i++) {
            node((i < 500 ? "a" : "b") + i, i == 999 ? "" : "unschedulable: true");
        }
        assertThat(chosen(pod("", ""))).isEqualTo("b999");
        nodes.clear();
        for (int i = 0; i < 1000; i++) {
            node((i < 500 ? "a" : "b") + i, "");
        }
        assertThat(((ScheduleResult.Bind) decide(pod("", ""))).feasible()).isEqualTo(420);
    }

    @Test
    void aPodWithResourceClaimsWaitsAndIsToldWhy() {
        node("a1", "");
        assertThat(message(pod("", "resourceClaims: [{name: gpu, resourceClaimName: gpu}]"))).startsWith(
                "0/1 nodes are available: the pod has resource claims, and this scheduler allocates no devices: "
                        + "it has no plugin DynamicResources. preemption: ");
    }
}
