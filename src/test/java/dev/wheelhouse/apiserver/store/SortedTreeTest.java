package dev.wheelhouse.apiserver.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SortedTreeTest {
    @Test
    void behavesAsATreeMapThroughRandomChanges() {
        Random random = new Random(1);
        TreeMap<String, Integer> model = new TreeMap<>();
        SortedTree<Integer> tree = SortedTree.empty();
        for (int i = 0; i < 5_000; i++) {
            String key = "k" + random.nextInt(300);
            if (random.nextInt(3) == 0) {
                model.remove(key);
                tree = tree.without(key);
            } else {
                model.put(key, i);
                tree = tree.with(key, i);
            }
            assertThat(tree.size()).isEqualTo(model.size());
            String probe = "k" + random.nextInt(300);
            assertThat(tree.get(probe)).isEqualTo(model.get(probe));
            assertThat(tree.rank(probe)).isEqualTo(model.headMap(probe).size());
        }
        List<Integer> values = new ArrayList<>();
        tree.range("k2", "k3").forEach(values::add);
        assertThat(values).containsExactlyElementsOf(model.subMap("k2", "k3").values());
    }

    @Test
    void aChangeLeavesTheOldTreeAsItWas() {
        SortedTree<Integer> one = SortedTree.<Integer>empty().with("a", 1);
        SortedTree<Integer> two = one.with("b", 2).with("a", 9);
        assertThat(one.get("a")).isEqualTo(1);
        assertThat(one.get("b")).isNull();
        assertThat(two.without("b").size()).isEqualTo(1);
        assertThat(two.size()).isEqualTo(2);
    }
}
