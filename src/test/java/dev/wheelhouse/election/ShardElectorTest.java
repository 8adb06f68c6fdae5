package dev.wheelhouse.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.simulation.Quiet;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(Quiet.class)
@Isolated
class ShardElectorTest {
    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final ResourceClient<V1Lease> leases = server.client("test").resource(ResourceType.LEASES, V1Lease.class);
    private final List<ShardReplica> replicas = new ArrayList<>();
    private final Map<Loop, Long> due = new HashMap<>();

    private ShardReplica start(String name, int shards) {
        ShardReplica replica = new ShardReplica(name, shards, server.client(name), clock);
        replicas.add(replica);
        return replica;
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds * 10; i++) {
            replicas.forEach(replica -> replica.step(due, clock.nanoTime()));
            clock.advance(Duration.ofMillis(100));
            for (int shard = 0; shard < 10; shard++) {
                int one = shard;
                assertThat(replicas).filteredOn(replica -> replica.leads().contains(one)).hasSizeLessThan(2);
            }
        }
    }

    private List<Integer> spread() {
        return replicas.stream().map(replica -> replica.leads().size()).toList();
    }

    private List<String> names() {
        return leases.list("kube-system", LabelSelector.of(Map.of(ShardElector.LABEL, "wheelhouse")),
                FieldSelector.everything(), ListOptions.consistent(0)).items().stream()
                .map(lease -> ObjectKey.of(lease).name()).sorted().toList();
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void oneReplicaLeadsAllShards() {
        ShardReplica only = start("One_1", 3);
        pass(5);
        assertThat(only.leads()).containsExactly(0, 1, 2);
        assertThat(only.elector.led()).containsExactly(0, 1, 2);
        assertThat(names()).containsExactly("wheelhouse-replica-of-3-one-1", "wheelhouse-shard-0-of-3",
                "wheelhouse-shard-1-of-3", "wheelhouse-shard-2-of-3");
    }

    @Test
    void replicasThatStartTogetherShareFromTheBeginning() {
        IntStream.range(0, 4).forEach(i -> start("r" + i, 8));
        pass(7);
        assertThat(spread()).containsOnly(2);
    }

    @Test
    void aNewReplicaGetsItsShareWithinOneLeaseDuration() {
        start("a", 5);
        pass(5);
        start("b", 5);
        pass(15);
        assertThat(spread()).containsExactly(3, 2);
        start("c", 5);
        pass(15);
        assertThat(spread()).containsExactlyInAnyOrder(2, 2, 1);
    }

    @Test
    void theShardsOfAReplicaThatIsGoneAreTakenWhenItsLeasesExpire() {
        start("a", 4);
        start("b", 4);
        pass(10);
        assertThat(spread()).containsExactly(2, 2);
        replicas.removeFirst();
        pass(12);
        assertThat(spread()).containsExactly(2);
        pass(5);
        assertThat(spread()).containsExactly(4);
        pass(150);
        assertThat(names()).as("the replica that is long gone").doesNotContain("wheelhouse-replica-of-4-a");
    }

    @Test
    void aReplicaThatEndsFreesItsShardsAtOnce() {
        start("a", 4);
        start("b", 4);
        pass(10);
        assertThat(replicas.removeFirst().elector.end()).isTrue();
        pass(5);
        assertThat(spread()).containsExactly(4);
    }

    @Test
    void aShardIsFreedOnlyWhenItsWorkHasEnded() {
        ShardReplica first = start("a", 1);
        pass(5);
        first.stuck.add(0);
        assertThat(first.elector.end()).isFalse();
        assertThat(first.leads()).as("no write begins any more").isEmpty();
        ShardReplica second = start("b", 1);
        pass(10);
        assertThat(second.leads()).isEmpty();
        first.stuck.clear();
        assertThat(first.elector.end()).isTrue();
        pass(5);
        assertThat(second.leads()).containsExactly(0);
    }

    @Test
    void aReplicaTakesItsOwnLeaseBackWhoeverWroteIt() {
        ObjectKey own = new ObjectKey("kube-system", "wheelhouse-replica-of-4-a");
        leases.create(new V1Lease().metadata(new V1ObjectMeta().namespace(own.namespace()).name(own.name()))
                .spec(new V1LeaseSpec().holderIdentity("somebody").leaseDurationSeconds(3600)));
        ShardReplica only = start("a", 4);
        pass(5);
        assertThat(only.leads()).hasSize(4);
        leases.update(leases.get(own).spec(new V1LeaseSpec().holderIdentity("somebody").leaseDurationSeconds(3600)));
        pass(5);
        assertThat(leases.get(own).getSpec().getHolderIdentity()).isEqualTo("a");
        assertThat(only.leads()).hasSize(4);
    }

    @Test
    void aLeaseThatIsNoShardsStopsNobody() {
        leases.create(new V1Lease().metadata(new V1ObjectMeta().namespace("kube-system").name("wheelhouse-shard-x")
                .putLabelsItem(ShardElector.LABEL, "wheelhouse"))
                .spec(new V1LeaseSpec().holderIdentity("somebody").leaseDurationSeconds(3600)));
        ShardReplica only = start("a", 4);
        pass(5);
        assertThat(only.leads()).hasSize(4);
    }

    @Test
    void whileAShardOfAnotherNumberIsLedNoWorkBegins() {
        ShardReplica four = start("a", 4);
        pass(5);
        ShardReplica eight = start("b", 8);
        pass(60);
        assertThat(four.leads()).hasSize(4);
        assertThat(eight.leads()).isEmpty();
        assertThat(four.elector.end()).isTrue();
        replicas.remove(four);
        pass(10);
        assertThat(eight.leads()).hasSize(8);
    }

    @Test
    void aLeaseThatWasDeletedOrLostItsLabelIsMadeAgain() {
        ShardReplica only = start("a", 2);
        pass(5);
        leases.delete(ObjectKey.of("kube-system", "wheelhouse-shard-1-of-2"), Deletion.unconditional());
        V1Lease other = leases.get(ObjectKey.of("kube-system", "wheelhouse-shard-0-of-2"));
        other.getMetadata().setLabels(Map.of());
        leases.update(other);
        pass(25);
        assertThat(only.leads()).containsExactly(0, 1);
        assertThat(names()).contains("wheelhouse-shard-0-of-2", "wheelhouse-shard-1-of-2");
    }
}
