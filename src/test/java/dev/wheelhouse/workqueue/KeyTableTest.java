package dev.wheelhouse.workqueue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the table of entries with a HashMap. */
class KeyTableTest {
    /** A key with one of a few hash codes, so that chains are long. */
    private record Key(int number) {
        @Override
        public int hashCode() {
            return number % 5;
        }
    }

    @Test
    void itHoldsWhatAMapWouldHold() {
        Random random = new Random(3);
        KeyTable<Key> table = new KeyTable<>();
        Map<Key, KeyState<Key>> map = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            // The table grows to some hundred entries, shrinks to none, and grows again.
            Key key = new Key(random.nextInt(i / 5000 % 2 == 0 ? 400 : 4));
            KeyState<Key> known = map.get(key);
            assertThat(table.get(key)).isSameAs(known);
            if (known == null) {
                KeyState<Key> added = table.getOrAdd(key, KeyTable.hash(key));
                assertThat(added.key).isEqualTo(key);
                map.put(key, added);
            } else if (random.nextInt(i / 5000 % 2 == 0 ? 3 : 1) == 0) {
                table.remove(known);
                map.remove(key);
            } else {
                assertThat(table.getOrAdd(key, KeyTable.hash(key))).isSameAs(known);
            }
            assertThat(table.size()).isEqualTo(map.size());
        }
        Set<KeyState<Key>> all = new HashSet<>();
        table.forEach(all::add);
        assertThat(all).containsExactlyInAnyOrderElementsOf(map.values());
    }
}
