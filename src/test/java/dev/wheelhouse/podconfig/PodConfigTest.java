package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PodConfigTest {
    private final List<String> rejected = new ArrayList<>();
    private final PodConfig config = new PodConfig((source, pod, why) -> rejected.add(source + ": " + why),
            Meters.NONE,
            new ManualClock());

    private void settle() throws InterruptedException {
        boolean busy = true;
        while (busy) {
            busy = false;
            for (Loop loop : config.loops().values()) {
                busy |= loop.step() == Loop.BUSY;
            }
        }
    }

    private List<PodUpdate> takeAll() {
        List<PodUpdate> all = new ArrayList<>();
        for (PodUpdate u = config.updates().poll(); u != null; u = config.updates().poll()) {
            all.add(u);
        }
        return all;
    }

    @Test
    void theSameNameGivesTheSameChannelAndAnEmptyNameIsRefused() {
        assertThat(config.channel("file")).isSameAs(config.channel("file")).isNotSameAs(config.channel("http"));
        assertThatThrownBy(() -> config.channel("")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a name");
    }

    @Test
    void theFirstSetOfASourceIsPassedOnEvenWhenItIsEmpty() throws InterruptedException {
        config.channel("file").set(List.of());
        settle();
        assertThat(takeAll()).containsExactly(new PodUpdate(PodOperation.ADD, "file", List.of()));

        config.channel("file").set(List.of());
        settle();
        assertThat(takeAll()).isEmpty();
    }

    @Test
    void allSourcesAreSeenWhenEachHasSentASetAndTheConsumerHasHadIt() throws InterruptedException {
        PodChannel file = config.channel("file");
        PodChannel api = config.channel("api");
        assertThat(config.seenAllSources(Set.of("file", "api"))).isFalse();

        file.set(List.of());
        api.offer(PodOperation.ADD, List.of(TestPods.pod("web", "u1")));
        settle();
        assertThat(config.seenAllSources(Set.of("file", "api"))).as("api has sent no SET").isFalse();

        api.set(List.of());
        settle();
        assertThat(config.seenAllSources(Set.of("file"))).as("the consumer has not heard api").isFalse();
        assertThat(config.seenAllSources(Set.of("file", "api"))).isTrue();
    }

    @Test
    void sourcesDoNotTouchEachOthersPods() throws InterruptedException {
        config.channel("file").set(List.of(TestPods.pod("web", "u1")));
        config.channel("api").set(List.of(TestPods.pod("web", "u2")));
        settle();
        takeAll();

        config.channel("file").set(List.of());
        settle();

        assertThat(takeAll()).singleElement().satisfies(u -> {
            assertThat(u.operation()).isEqualTo(PodOperation.REMOVE);
            assertThat(u.source()).isEqualTo("file");
        });
        assertThat(config.storage().states()).filteredOn(s -> s.source().equals("api"))
                .singleElement().satisfies(s -> assertThat(s.pods()).hasSize(1));
    }

    @Test
    void aFullStreamHoldsTheSourcesBackAndTheLastSetWins() throws InterruptedException {
        PodChannel file = config.channel("file");
        for (int i = 0; i < 1000; i++) {
            file.set(List.of(TestPods.image(TestPods.pod("web", "u1"), "nginx:" + i)));
            settle();
        }
        assertThat(config.updates().size()).isLessThan(PodConfig.UPDATES_CAPACITY + 5);

        List<PodUpdate> all = new ArrayList<>();
        for (List<PodUpdate> some = takeAll(); !some.isEmpty(); some = takeAll()) {
            all.addAll(some);
            settle();
        }
        assertThat(all.get(all.size() - 1).pods().get(0).getSpec().getContainers().get(0).getImage())
                .isEqualTo("nginx:999");
    }

    @Test
    void singleChangesAreBoundedAndASetSupersedesThem() throws InterruptedException {
        PodChannel file = config.channel("file");
        for (int i = 0; i < PodChannel.CAPACITY; i++) {
            assertThat(file.offer(PodOperation.ADD, List.of(TestPods.pod("p" + i, "u" + i)))).isTrue();
        }
        assertThat(file.offer(PodOperation.ADD, List.of(TestPods.pod("one-more", "u")))).isFalse();

        file.set(List.of(TestPods.pod("only", "u1")));
        settle();

        assertThat(takeAll()).singleElement()
                .satisfies(
                        u -> assertThat(u.pods()).extracting(p -> p.getMetadata().getName()).containsExactly("only"));
    }

    @Test
    void twoPodsOfOneNameAreReportedOnce() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            config.channel("file").set(List.of(TestPods.pod("web", "u1"), TestPods.pod("web", "u2")));
            settle();
        }

        assertThat(rejected).singleElement().asString().contains("default/web");
    }

    @Test
    void aClosedMuxTakesNothingMore() throws InterruptedException {
        config.channel("file");
        config.loops().values().forEach(Loop::close);

        config.channel("file").set(List.of(TestPods.pod("web", "u1")));
        settle();

        assertThat(takeAll()).isEmpty();
    }

    @Test
    void updatesAreDeliveredInOrderOneAtATime() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            config.channel("api").set(List.of(TestPods.pod("p" + i, "u" + i)));
            settle();
        }

        assertThat(takeAll()).extracting(u -> u.operation() + " " + u.pods().getFirst().getMetadata().getName())
                .containsExactly("ADD p0", "REMOVE p0", "ADD p1", "REMOVE p1", "ADD p2");
    }
}
