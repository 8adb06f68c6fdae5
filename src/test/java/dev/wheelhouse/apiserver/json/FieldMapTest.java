package dev.wheelhouse.apiserver.json;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

class FieldMapTest {
    @Test
    void itDoesWhatALinkedHashMapDoes() {
        Random random = new Random(7);
        for (int run = 0; run < 300; run++) {
            Map<String, JsonNode> expected = new LinkedHashMap<>();
            Map<String, JsonNode> map = new FieldMap(random.nextInt(20));
            int names = 1 + random.nextInt(40);
            for (int i = 0; i < 120; i++) {
                String name = "field-" + random.nextInt(names);
                JsonNode value = IntNode.valueOf(random.nextInt(1000));
                switch (random.nextInt(8)) {
                    case 0, 1, 2, 3 -> assertThat(map.put(name, value)).isEqualTo(expected.put(name, value));
                    case 4 -> assertThat(map.remove(name)).isEqualTo(expected.remove(name));
                    case 5 -> {
                        removeOne(map, i);
                        removeOne(expected, i);
                    }
                    case 6 -> {
                        map.entrySet().forEach(entry -> entry.setValue(IntNode.valueOf(entry.getKey().length())));
                        expected.entrySet().forEach(entry -> entry.setValue(IntNode.valueOf(entry.getKey().length())));
                    }
                    default -> assertThat(map.get(name)).isEqualTo(expected.get(name));
                }
                assertThat(map.containsKey(name)).isEqualTo(expected.containsKey(name));
            }
            assertThat(new ArrayList<>(map.entrySet())).isEqualTo(new ArrayList<>(expected.entrySet()));
            assertThat(new ArrayList<>(map.keySet())).isEqualTo(new ArrayList<>(expected.keySet()));
            List<String> visited = new ArrayList<>();
            map.forEach((name, value) -> visited.add(name + value));
            List<String> iterated = new ArrayList<>();
            for (Map.Entry<String, JsonNode> entry : map.entrySet()) {
                iterated.add(entry.getKey() + entry.getValue());
            }
            assertThat(visited).isEqualTo(iterated)
                    .isEqualTo(expected.entrySet().stream().map(e -> e.getKey() + e.getValue()).toList());
            assertThat(map.entrySet().stream().toList()).isEqualTo(new ArrayList<>(expected.entrySet()));
            assertThat(map).isEqualTo(expected).hasSameSizeAs(expected);
            assertThat(map.hashCode()).isEqualTo(expected.hashCode());
        }
    }

    /** Removes the entry at a place, by the iterator. */
    private static void removeOne(Map<String, JsonNode> map, int at) {
        Iterator<Map.Entry<String, JsonNode>> entries = map.entrySet().iterator();
        for (int i = 0; i <= at % Math.max(1, map.size()) && entries.hasNext(); i++) {
            entries.next();
            if (i == at % map.size()) {
                entries.remove();
                return;
            }
        }
    }

    @Test
    void anObjectKeepsTheOrderOfManyFieldsAndLosesThoseThatAreRemoved() {
        ObjectNode object = Json.object();
        for (int i = 0; i < 30; i++) {
            object.put("f" + i, i);
        }
        object.remove(List.of("f0", "f29"));
        object.removeIf(value -> value.intValue() % 2 == 0);

        assertThat(object.propertyNames()).first().isEqualTo("f1");
        assertThat(object).hasSize(14);
        assertThat(Json.read(Json.bytes(object))).isEqualTo(object);
        object.removeAll();
        assertThat(object.isEmpty()).isTrue();
    }
}
