package dev.wheelhouse.informer;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.api.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The Indexer: its indices, and what readers see during changes. */
class ThreadSafeStoreTest {
    private static final Function<String, Collection<String>> FIRST_LETTER = s -> List.of(s.substring(0, 1));

    private final ThreadSafeStore<String> store = new ThreadSafeStore<>(Map.of("letter", FIRST_LETTER));

    private static ObjectKey key(int i) {
        return ObjectKey.of("ns", "k" + i);
    }

    @Test
    void anIndexFollowsPutsUpdatesAndRemoves() {
        assertThat(store.put(key(1), "apple")).isNull();
        store.put(key(2), "avocado");
        assertThat(store.byIndex("letter", "a")).containsExactlyInAnyOrder("apple", "avocado");
        assertThat(store.put(key(1), "banana")).isEqualTo("apple");
        assertThat(store.byIndex("letter", "a")).containsExactly("avocado");
        assertThat(store.byIndex("letter", "b")).containsExactly("banana");
        assertThat(store.remove(key(1))).isEqualTo("banana");
        assertThat(store.indexValues("letter")).containsExactly("a");
        assertThat(store.remove(key(1))).isNull();
        assertThat(store.size()).isEqualTo(1);
    }

    @Test
    void anIndexThatIsAddedLaterHoldsWhatIsThereAndWhatComes() {
        store.put(key(1), "apple");
        store.addIndex("length", s -> List.of(String.valueOf(s.length())));
        store.put(key(2), "pears");
        assertThat(store.byIndex("length", "5")).containsExactlyInAnyOrder("apple", "pears");
        store.replace(Map.of(key(3), "plum"));
        assertThat(store.byIndex("length", "5")).isEmpty();
        assertThat(store.byIndex("length", "4")).containsExactly("plum");
    }

    @Test
    void anIndexThatSeveralUsersAddIsKeptUntilTheLastOneRemovesIt() {
        store.put(key(1), "apple");
        store.addIndex("letter", FIRST_LETTER);
        store.removeIndex("letter");
        assertThat(store.byIndex("letter", "a")).containsExactly("apple");
        store.removeIndex("letter");
        assertThatThrownBy(() -> store.byIndex("letter", "a")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anUnknownIndexIsNamedAndANameStandsForOneFunction() {
        assertThatThrownBy(() -> store.byIndex("colour", "red")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("colour").hasMessageContaining("letter");
        assertThatThrownBy(() -> store.addIndex("letter", s -> List.of(s)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIndexFunctionThatThrowsLeavesTheObjectOutAndHarmsNothingElse() {
        store.put(key(1), "");
        assertThat(store.get(key(1))).isEmpty();
        store.put(key(1), "apple");
        assertThat(store.byIndex("letter", "a")).containsExactly("apple");
    }

    @Test
    void replacingTheWholeCacheIsAtomicToReaders() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < 300; round++) {
                Map<ObjectKey, String> next = new HashMap<>();
                for (int i = 0; i < 100; i++) {
                    next.put(key(i), (char) ('a' + round % 26) + "#" + round);
                }
                store.replace(next);
            }
            done.set(true);
        });
        int seen = 0;
        while (!done.get()) {
            List<String> all = store.list();
            assertThat(all.stream().distinct().count()).isLessThanOrEqualTo(1);
            if (!all.isEmpty()) {
                seen++;
                assertThat(all).hasSize(100);
            }
            String letter = Objects.requireNonNullElse(store.get(key(0)), "a").substring(0, 1);
            assertThat(store.byIndex("letter", letter).size()).isIn(0, 100);
        }
        writer.join();
        assertThat(seen).isPositive();
    }

    @Test
    void aListIsTheStoreAtOneMomentAlthoughItIsWrittenAllTheTime() throws InterruptedException {
        // The writer moves one value between keys. A snapshot contains it once, or not at all between remove and put.
        AtomicBoolean done = new AtomicBoolean();
        for (int i = 0; i < 50; i++) {
            store.put(key(i), "x" + i);
        }
        store.put(key(50), "token");
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20_000; i++) {
                store.remove(key(50 + i % 50));
                store.put(key(50 + (i + 1) % 50), "token");
            }
            done.set(true);
        });
        while (!done.get()) {
            assertThat(store.list().stream().filter("token"::equals).count()).isLessThanOrEqualTo(1);
            assertThat(store.byIndex("letter", "t").size()).isLessThanOrEqualTo(1);
        }
        writer.join();
    }
}
