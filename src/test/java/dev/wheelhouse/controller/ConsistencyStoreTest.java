package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

class ConsistencyStoreTest {
    private static final ObjectKey OWNER = ObjectKey.of("default", "web");
    private static final ObjectKey POD = ObjectKey.of("default", "web-1");

    private final Cluster cluster = new Cluster();
    private final ConsistencyStore store = new ConsistencyStore(cluster.clock);

    ConsistencyStoreTest() {
        store.register(ResourceType.PODS, cluster.informers().informer(ResourceType.PODS, V1Pod.class));
        cluster.deliver();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private V1Pod createPod() {
        return cluster.create(ResourceType.PODS, Manifests.pod("web-1"));
    }

    private V1Pod labelPod() {
        return cluster.edit(ResourceType.PODS, V1Pod.class, POD, pod -> pod.getMetadata().putLabelsItem("a", "b"));
    }

    /** Lets the watch of pods end when its version has expired, so that the cache lists them again. */
    private void list() {
        cluster.withhold(ResourceType.PODS);
        cluster.server.faults().compactNow();
        cluster.clock.advance(Duration.ofMinutes(20));
        cluster.deliver();
        cluster.release(ResourceType.PODS);
        cluster.clock.advance(Duration.ofMinutes(1));
        cluster.deliver();
    }

    private void wrote(V1Pod pod) {
        store.wroteAt(OWNER, ResourceType.PODS, ObjectKey.of(pod), pod.getMetadata().getResourceVersion());
    }

    @Test
    void anOwnerIsHeldBackUntilTheObjectItselfIsSeenAtTheWrittenVersion() {
        wrote(createPod());
        assertThat(store.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void anOlderVersionOfTheObjectIsNotEnough() {
        createPod();
        cluster.deliver();
        wrote(labelPod());
        assertThat(store.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void anObjectThatIsGoneAgainCountsAsSeenOnceTheCacheAsAWholeIsNewer() {
        wrote(createPod());
        cluster.remove(ResourceType.PODS, POD);
        cluster.deliver();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void anOwnerWhoseObjectCameAndWentBeforeAListIsNamedBecauseNoEventTellsIt() {
        List<Object> named = new ArrayList<>();
        store.whenListed(named::add);
        wrote(createPod());
        cluster.remove(ResourceType.PODS, POD);
        list();
        assertThat(named).containsExactly(OWNER);
    }

    @Test
    void anOwnerWhoseObjectEventsHaveShownIsNotNamedByAList() {
        List<Object> named = new ArrayList<>();
        store.whenListed(named::add);
        wrote(createPod());
        cluster.deliver();
        list();
        assertThat(named).isEmpty();
    }

    @Test
    void anObjectThatAnUpdateFoundGoneHoldsTheOwnerBackUntilTheCacheLosesItToo() {
        String version = createPod().getMetadata().getResourceVersion();
        cluster.deliver();
        cluster.remove(ResourceType.PODS, POD);
        store.goneAt(OWNER, ResourceType.PODS, POD, version);
        assertThat(store.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void aDeletionHoldsTheOwnerBackUntilTheCacheShowsAnotherObjectOrNone() {
        V1Pod pod = createPod();
        cluster.deliver();
        store.deleted(OWNER, ResourceType.PODS, POD, String.valueOf(store.uidOf(ResourceType.PODS, POD)));
        assertThat(store.check(OWNER)).isNotNull().extracting(ConsistencyStore.Behind::wrote)
                .isEqualTo("without " + POD);
        cluster.remove(ResourceType.PODS, ObjectKey.of(pod));
        createPod();
        cluster.deliver();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void theNewestWriteOfATypeStandsForAllBeforeIt() {
        wrote(createPod());
        V1Pod other = cluster.create(ResourceType.PODS, Manifests.pod("web-2"));
        wrote(other);
        cluster.deliverOne();
        assertThat(store.check(OWNER)).isNotNull();
        cluster.deliverOne();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void aConflictHoldsTheOwnerBackUntilTheCacheShowsAnotherVersion() {
        String version = createPod().getMetadata().getResourceVersion();
        cluster.deliver();
        labelPod();
        store.conflictAt(OWNER, ResourceType.PODS, POD, version);
        assertThat(store.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void aConflictThatIsNotAboutTheVersionHoldsTheOwnerBackForASecondAtMost() {
        String version = createPod().getMetadata().getResourceVersion();
        cluster.deliver();
        store.conflictAt(OWNER, ResourceType.PODS, POD, version);
        cluster.clock.advance(Duration.ofMillis(999));
        assertThat(store.check(OWNER)).isNotNull();
        cluster.clock.advance(Duration.ofMillis(1));
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void theNewestOfSeveralWritesOfOneObjectCounts() {
        V1Pod first = createPod();
        wrote(labelPod());
        wrote(first);
        cluster.deliverOne();
        assertThat(store.check(OWNER)).isNotNull();
        cluster.deliverOne();
        assertThat(store.check(OWNER)).isNull();
    }

    @Test
    void theWaitDoublesFromFiveMillisecondsToASecond() {
        wrote(createPod());
        List<Long> waits = new java.util.ArrayList<>();
        for (int i = 0; i < 11; i++) {
            ConsistencyStore.Behind behind = store.check(OWNER);
            assertThat(behind).isNotNull();
            waits.add(behind.retryAfter().toMillis());
            cluster.clock.advance(behind.retryAfter());
        }
        assertThat(waits).containsExactly(5L, 5L, 10L, 20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L);
    }

    @Test
    void whatNoCacheShowsAndVersionsThatDoNotCompareHoldNobodyBack() {
        store.wroteAt(OWNER, ResourceType.NODES, ObjectKey.cluster("node"), "99999");
        store.wroteAt(OWNER, ResourceType.PODS, POD, "abc");
        store.wroteAt(OWNER, ResourceType.PODS, POD, null);
        store.unknownOutcome(OWNER, ResourceType.NODES);
        assertThat(store.check(OWNER)).isNull();
        assertThat(store.unsettled(OWNER)).isEmpty();
    }

    @Test
    void anOwnerThatIsForgottenStartsClean() {
        wrote(createPod());
        store.unknownOutcome(OWNER, ResourceType.PODS);
        store.forget(OWNER);
        assertThat(store.check(OWNER)).isNull();
        assertThat(store.unsettled(OWNER)).isEmpty();
    }
}
