package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** An informer whose watch is behind, although it seems alive, gets a state that is not older than a moment. */
class FreshnessTest {
    private SteppedInformer world = new SteppedInformer(InformerOptions.builder().build());
    /** The content of the cache at each answer. */
    private final List<List<String>> answers = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private void withPagesOf(int objects) {
        world.close();
        world = new SteppedInformer(InformerOptions.builder().pageSize(objects).build());
    }

    /** Lets the cache hold some objects, and lets its watch bring nothing from then on. */
    private void fallBehind(String... names) {
        for (String name : names) {
            world.create(name, "1");
        }
        world.settle();
        world.source.halfOpen();
        world.update("a", "2");
        world.pass(Duration.ofSeconds(1));
        assertThat(world.cached()).as("the old state").contains("a=1");
        world.source.lists.clear();
        world.source.watches.clear();
    }

    private void ask() {
        ask(world.stepper.clock.nanoTime());
    }

    private void ask(long since) {
        world.informer.whenFresh(since, () -> answers.add(world.cached()));
    }

    private List<Duration> timeouts() {
        return world.source.watches.stream().map(WatchOptions::timeout).toList();
    }

    @Test
    void aCollectionOfOnePageIsListedConsistently() {
        fallBehind("a", "b");
        ask();
        assertThat(answers).isEmpty();
        world.settle();
        assertThat(answers).containsExactly(List.of("a=2", "b=1"));
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(500));
        assertThat(world.told.calls()).isEmpty();
    }

    @Test
    void ofALargerOneOnlyTheVersionIsReadAndAWatchReachesIt() {
        withPagesOf(2);
        fallBehind("a", "b", "c");
        ask();
        world.settle();
        assertThat(answers).as("the watch has brought an event of that version").hasSize(1).first().asList()
                .contains("a=2");
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(2));
        assertThat(timeouts()).containsExactly(Duration.ofSeconds(3));
        assertThat(world.relists()).isEmpty();
    }

    @Test
    void aWatchWithoutEventsReachesTheVersionByTheBookmarkBeforeItsTimeout() {
        withPagesOf(2);
        fallBehind("a", "b", "c");
        world.source.cut();
        world.pass(Duration.ofSeconds(10));
        assertThat(world.cached()).contains("a=2");
        world.source.lists.clear();
        // The version of the server grows, and the collection stays.
        world.server.client("other").resource(ResourceType.NAMESPACES,
                V1Namespace.class)
                .create(new V1Namespace()
                        .metadata(new V1ObjectMeta().name("other")));
        ask();
        world.pass(Duration.ofMillis(800));
        assertThat(answers).isEmpty();
        world.pass(Duration.ofMillis(200));
        assertThat(answers).hasSize(1);
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(2));
    }

    @Test
    void ifNoWatchReachesTheVersionTheCollectionIsListed() {
        withPagesOf(2);
        fallBehind("a", "b", "c");
        world.source.mute(true);
        ask();
        world.pass(Duration.ofSeconds(149));
        assertThat(answers).isEmpty();
        world.pass(Duration.ofSeconds(1));
        assertThat(world.relists()).containsExactly("refresh");
        assertThat(answers).containsExactly(List.of("a=2", "b=1", "c=1"));
        assertThat(world.source.lists).startsWith(ListOptions.consistent(2), ListOptions.consistent(2));
    }

    @Test
    void aStateThatIsFreshEnoughIsReportedAtOnceAndCostsNothing() {
        fallBehind("a");
        long before = world.stepper.clock.nanoTime();
        ask();
        world.settle();
        world.source.lists.clear();
        world.pass(Duration.ofSeconds(1));
        ask(before);
        assertThat(answers).hasSize(2);
        world.settle();
        assertThat(world.source.lists).isEmpty();
    }

    @Test
    void theFirstListAnswersARequestThatCameBeforeIt() {
        world.create("a", "1");
        ask();
        ask();
        world.settle();
        assertThat(answers).hasSize(2);
        assertThat(world.source.lists).containsExactly(ListOptions.consistent(500));
    }

    @Test
    void aListThatBeganBeforeTheRequestDoesNotAnswerIt() {
        withPagesOf(1);
        world.create("a", "1");
        world.create("b", "1");
        // The first page of two.
        Stepper.step(world.informer.loops().getFirst());
        world.stepper.clock.advance(Duration.ofSeconds(1));
        world.update("a", "2");
        ask();
        world.settle();
        assertThat(answers).containsExactly(List.of("a=2", "b=1"));
        assertThat(world.source.lists).filteredOn(options -> options.continueToken() == null).hasSize(2);
    }

    @Test
    void aReadThatFailsIsRepeated() {
        fallBehind("a");
        world.source.listErrors
                .add(new KubeApiException("list configmaps", 500, "InternalError", "etcd has no leader", null));
        ask();
        world.settle();
        assertThat(answers).isEmpty();
        world.pass(Duration.ofSeconds(2));
        assertThat(answers).containsExactly(List.of("a=2"));
    }

    @Test
    void severalNamespacesAreFreshWhenEachIs() {
        NamespacesInformer<V1ConfigMap> both = new NamespacesInformer<>(world.informer.type(),
                namespace -> world.informer, unused -> {});
        NamespaceSet.of(Set.of("one", "two")).attach(both);
        fallBehind("a");
        both.whenFresh(world.stepper.clock.nanoTime(), () -> answers.add(world.cached()));
        world.settle();
        assertThat(answers).containsExactly(List.of("a=2"));
    }

    /** A client in the server's process is not told when a bookmark is due, and looks for it then. */
    @Test
    void aQuietCollectionIsHeardOfOnceAMinute() {
        try (Cluster cluster = new Cluster(ResourceType.CONFIG_MAPS)) {
            SharedIndexInformer<V1ConfigMap> quiet = cluster.informers().informer(ResourceType.CONFIG_MAPS,
                    V1ConfigMap.class);
            cluster.deliver();
            for (int i = 0; i < 200; i++) {
                long wait = cluster.informers().loops().stream().mapToLong(Cluster::step).min().orElse(Loop.IDLE);
                assertThat(quiet.state().lag(cluster.clock.now())).isLessThan(Duration.ofSeconds(61));
                cluster.clock.advance(Duration.ofNanos(wait));
            }
            assertThat(cluster.clock.now()).isAfter(Instant.EPOCH.plus(Duration.ofMinutes(30)));
        }
    }
}
