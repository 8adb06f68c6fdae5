package dev.wheelhouse.apiserver.store;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StoreViewTest {
    private final ObjectStore store = new ObjectStore(new ManualClock(), Retention.standard(), Storage.inMemory());
    private final List<List<String>> reads = new ArrayList<>();
    private final StoreView<List<String>> view = new StoreView<>(store, List.of(), (objects, before) -> {
        List<String> names = objects.stream().flatMap(List::stream).map(StoredObject::name).toList();
        reads.add(before);
        if (names.contains("broken")) {
            throw new IllegalStateException("planted");
        }
        return names;
    }, "roles", "bindings");

    private StoredObject create(String resource, String name) {
        ObjectNode object = (ObjectNode) Json.read("{\"metadata\": {\"name\": \"" + name + "\"}}");
        return store.create(resource, object);
    }

    @Test
    void itIsReadAgainWhenOneOfItsResourcesHasChangedAndNotWhenOthersHave() {
        assertThat(view.get()).isEmpty();
        StoredObject role = create("roles", "r");
        create("bindings", "b");
        assertThat(view.get()).containsExactly("r", "b");
        create("pods", "p");
        assertThat(view.get()).isSameAs(view.get());
        store.delete("roles", "", "r", role.version());
        assertThat(view.get()).containsExactly("b");
        assertThat(reads).containsExactly(List.of(), List.of(), List.of("r", "b"));
    }

    @Test
    void aReadThatFailsIsRepeated() {
        StoredObject broken = create("roles", "broken");
        assertThatThrownBy(view::get).hasMessage("planted");
        assertThatThrownBy(view::get).hasMessage("planted");
        store.delete("roles", "", "broken", broken.version());
        create("roles", "r");
        assertThat(view.get()).containsExactly("r");
    }
}
