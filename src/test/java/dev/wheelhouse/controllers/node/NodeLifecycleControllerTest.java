package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Rounds are every 5 s. A node is not ready after 50 s without a sign of life, which a round sees after 55 s. */
class NodeLifecycleControllerTest {
    private static final String NO_EXECUTE = "node.kubernetes.io/unreachable:NoExecute";

    private final Cluster cluster = new Cluster();
    private NodeLifecycleController controller = new NodeLifecycleController(cluster.context());
    /** The nodes whose kubelets renew their Leases. */
    private final Set<String> alive = new TreeSet<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void nodes(String zone, String... names) {
        for (String name : names) {
            cluster.create(ResourceType.NODES, V1Node.class, """
                    {metadata: {name: %s, labels: {topology.kubernetes.io/zone: %s}}, status: {conditions:
                     [{type: Ready, status: 'True', lastHeartbeatTime: '%s'}]}}""", name, zone, cluster.clock.now());
            alive.add(name);
        }
    }

    private void pod(String name, String node) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: %s}, spec: {nodeName: %s, containers: [{name: a, image: i}]},
                 status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}""", name, node);
    }

    private void renew(String node) {
        String now = ModelJson.time(cluster.clock.now().atOffset(ZoneOffset.UTC).plusNanos(1000));
        ObjectKey key = ObjectKey.of("kube-node-lease", node);
        if (cluster.exists(ResourceType.LEASES, key)) {
            cluster.user().metadata(ResourceType.LEASES).patch(key, "", PatchType.MERGE,
                    "{\"spec\": {\"renewTime\": \"" + now + "\"}}");
        } else {
            cluster.create(ResourceType.LEASES, V1Lease.class,
                    "{metadata: {namespace: kube-node-lease, name: %s}, spec: {renewTime: '%s'}}", node, now);
        }
    }

    /** Lets some time pass, in which nodes that are alive renew their Leases. */
    private void after(int seconds) {
        cluster.settle(controller.loops());
        for (int i = 0; i < seconds; i++) {
            if (cluster.clock.now().getEpochSecond() % 10 == 0) {
                alive.forEach(this::renew);
            }
            for (int tenth = 0; tenth < 10; tenth++) {
                cluster.clock.advance(Duration.ofMillis(100));
                cluster.settle(controller.loops());
            }
        }
    }

    private String ready(String node) {
        return read(node).getStatus().getConditions().stream().filter(c -> c.getType().equals("Ready"))
                .map(V1NodeCondition::getStatus).findFirst().orElse("");
    }

    private V1Node read(String node) {
        return cluster.read(ResourceType.NODES, ObjectKey.cluster(node), V1Node.class);
    }

    private List<String> taints(String node) {
        var taints = read(node).getSpec().getTaints();
        return taints == null
                ? List.of()
                : taints.stream().map(taint -> taint.getKey() + ":" + taint.getEffect()).toList();
    }

    private List<String> tainted(List<String> nodes) {
        return nodes.stream().filter(node -> taints(node).contains(NO_EXECUTE)).toList();
    }

    private List<String> writes() {
        return cluster.requests.takeWrites().stream().map(line -> line.replaceFirst(" \\{.*", "")).toList();
    }

    private void stop(String... nodes) {
        List.of(nodes).forEach(alive::remove);
    }

    @Test
    void theGarbageCollectorSharesTheInformerOfLeasesWhichChangeMostOfAllAtRest() {
        nodes("", "a");
        after(1);
        assertThat(cluster.informers().metadataOrMore(ResourceType.LEASES))
                .isSameAs(cluster.informers().informer(ResourceType.LEASES, V1Lease.class));
    }

    private void report(String node, String status) {
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster(node),
                n -> n.getStatus().getConditions().stream().filter(c -> c.getType().equals("Ready"))
                        .forEach(c -> c.status(status)
                                .lastHeartbeatTime(cluster.clock.now().atOffset(ZoneOffset.UTC))));
    }

    @Test
    void nodesOfAHealthyZoneAreTaintedOneAfterTheOther() {
        List<String> names = IntStream.range(0, 9).mapToObj(i -> "n-" + i).toList();
        nodes("", names.toArray(new String[0]));
        after(30);
        stop("n-0", "n-1", "n-2", "n-3");
        List<Integer> counts = new ArrayList<>();
        while (counts.size() < 4) {
            after(1);
            int now = tainted(names).size();
            if (now > 0 && cluster.clock.now().getEpochSecond() % 10 == 3) {
                counts.add(now);
            }
        }
        assertThat(counts).containsExactly(1, 2, 3, 4);
        assertThat(cluster.measures).containsEntry("node_collector_evictions_total{}", 4.0)
                .containsEntry("node_collector_zone_size{}", 9.0)
                .containsEntry("node_collector_unhealthy_nodes_in_zone{}", 4.0)
                .containsEntry("node_collector_zone_health{}", 500.0 / 9);
    }

    @Test
    void whenTheFirstNodeIsReadyAgainTheOthersHaveTheGracePeriodAnew() {
        nodes("", "a", "b");
        after(30);
        stop("a", "b");
        after(100);
        alive.add("b");
        report("b", "True");
        after(6);
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster("a"),
                node -> node.getStatus().getConditions().getFirst().setStatus("True"));
        after(30);
        assertThat(ready("a")).isEqualTo("True");
        after(30);
        assertThat(ready("a")).isEqualTo("Unknown");
    }

    @Test
    void aNodeThatIsExcludedFromTheCountDoesNotMakeAZoneUnhealthy() {
        nodes("", "a", "b", "c", "d", "e");
        cluster.user().metadata(ResourceType.NODES).patch(ObjectKey.cluster("c"), "", PatchType.MERGE,
                "{\"metadata\": {\"labels\": {\"node.kubernetes.io/exclude-disruption\": \"\"}}}");
        after(30);
        stop("a", "b", "c");
        after(90);
        assertThat(tainted(List.of("a", "b", "c"))).containsExactly("a", "b", "c");
    }

    @Test
    void aNodeThatIsDeletedIsReportedAndForgotten() {
        nodes("", "a", "b");
        after(6);
        cluster.delete(ResourceType.NODES, ObjectKey.cluster("a"));
        stop("a");
        after(6);
        assertThat(cluster.eventTexts()).endsWith("Normal RemovingNode Node a event: Removing Node a from Controller");
        nodes("", "a");
        after(40);
        assertThat(ready("a")).isEqualTo("True");
    }

    @Test
    void aPodWhoseReadinessCannotBeEndedIsTriedAgainInTheNextRound() {
        nodes("", "a", "b");
        pod("on-a", "a");
        after(30);
        stop("a");
        cluster.requests.failNext("update pods/status", 500, "InternalError", "out of order");
        after(70);
        assertThat(writes()).filteredOn(line -> line.startsWith("update pods/status")).hasSize(2);
        V1Pod pod = cluster.read(ResourceType.PODS, ObjectKey.of("default", "on-a"), V1Pod.class);
        assertThat(pod.getStatus().getConditions().getFirst().getStatus()).isEqualTo("False");
    }

    @Test
    void aPodThatIsSeenLateOnANodeThatIsNotReadyIsNotReadyEither() {
        nodes("", "a", "b");
        stop("a");
        after(70);
        pod("late", "a");
        cluster.settle(controller.loops());
        V1Pod pod = cluster.read(ResourceType.PODS, ObjectKey.of("default", "late"), V1Pod.class);
        assertThat(pod.getStatus().getConditions().getFirst().getStatus()).isEqualTo("False");
    }

    @Test
    void aConflictOfTheTaintsIsTriedAgain() {
        nodes("", "a", "b");
        after(30);
        stop("a");
        cluster.requests.failNext("patch nodes a", 409, "Conflict", "changed");
        after(70);
        assertThat(taints("a")).hasSize(2);
    }

    @Test
    void thePlanShowsTheTaints() {
        nodes("", "a");
        cluster.deliver();
        assertThat(controller.plan(ObjectKey.cluster("a"))).isEmpty();
        report("a", "False");
        cluster.deliver();
        assertThat(controller.plan(ObjectKey.cluster("a"))).hasSize(1);
    }
}
