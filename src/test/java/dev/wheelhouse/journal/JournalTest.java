package dev.wheelhouse.journal;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class JournalTest {
    private final ManualClock clock = new ManualClock();
    private final Journal journal = new Journal(clock, 4000);

    private void write(String controller, String name, String why) {
        long sent = journal.nanoTime();
        clock.advance(Duration.ofMillis(3));
        journal.add(new Journal.Sync(controller, "default/web", Origin.NONE, clock.now()), "create", ResourceType.PODS,
                ObjectKey.of("default", name), why, sent, 201, "7");
    }

    @Test
    void theNewestWritesComeFirstAndPagesGoOnBeforeANumber() {
        write("a", "one", "");
        write("b", "two", "");
        write("a", "three", "");
        assertThat(journal.find(entry -> true, Long.MAX_VALUE, 2)).extracting(entry -> entry.target().name())
                .containsExactly("three", "two");
        assertThat(journal.find(entry -> entry.sync().controller().equals("a"), 3, 9))
                .extracting(Journal.Entry::number).containsExactly(1L);
        assertThat(journal.state().writes()).containsEntry("a", 2L).containsEntry("b", 1L);
        assertThat(journal.find(entry -> true, Long.MAX_VALUE, 1)).first().satisfies(entry -> {
            assertThat(Duration.ofNanos(entry.nanos())).isEqualTo(Duration.ofMillis(3));
            assertThat(entry.sent()).isEqualTo(clock.now().minusMillis(3));
        });
    }

    @Test
    void theOldestWritesGoWhenAllTakeMoreThanTheirBytes() {
        for (int i = 0; i < 1000; i++) {
            write("a", "pod-" + i, "x".repeat(i));
        }
        Journal.State state = journal.state();
        assertThat(state.bytes()).isBetween(3000L, 4000L);
        assertThat(state.kept()).isBetween(3, 10);
        assertThat(state.last()).isEqualTo(1000);
        assertThat(journal.find(entry -> true, Long.MAX_VALUE, 1)).first()
                .satisfies(entry -> assertThat(entry.why()).hasSizeLessThan(510).endsWith("…"));
    }

    @Test
    void aJournalOfNoBytesKeepsNothing() {
        Journal.NONE.add(new Journal.Sync("a", "k", Origin.NONE, clock.now()), "create", ResourceType.PODS,
                ObjectKey.of("default", "one"), "", 0, 201, "");
        assertThat(Journal.NONE.state().last()).isZero();
    }

    @Test
    void theEventIsToldWhileAHandlerRunsAndDescribedOnce() {
        int[] described = {0};
        CurrentEvent telling = CurrentEvent.begin(() -> {
            described[0]++;
            return Cause.event("update", ResourceType.PODS,
                    new V1ObjectMeta().namespace("default").name("web").resourceVersion("12"));
        });
        assertThat(CurrentEvent.cause()).isSameAs(CurrentEvent.cause())
                .hasToString("update of pods default/web at version 12");
        telling.end();
        assertThat(described[0]).isEqualTo(1);
        assertThat(CurrentEvent.cause()).isSameAs(Cause.ITSELF);
    }
}
