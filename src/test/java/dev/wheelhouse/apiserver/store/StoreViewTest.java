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
    private final StoreView<List<String>> view = new StoreView<>(store, "roles", List.of(), (objects, before) -> {
        List<String> names = objects.stream().map(StoredObject::name).toList();
        reads.add(before);
        if (names.contains("broken")) {
            throw new IllegalStateException("planted");
        }
        return names;
    });

    private StoredObject create(String resource, String name) {
        ObjectNode object = (ObjectNode) Json.read("{\"metadata\": {\"name\": \"" + name + "\"}}");
        return store.create(resource, object);
    }

    @Test
    void itIsReadAgainWhenItsResourceHasChangedAndNotWhenOthersHave() {
        assertThat(view.get()).isEmpty();
        StoredObject role = create("roles", "r");
        create("roles", "s");
        assertThat(view.get()).containsExactly("r", "s");
        create("pods", "p");
        assertThat(view.get()).isSameAs(view.get());
        store.delete("roles", "", "r", role.version());
        assertThat(view.get()).containsExactly("s");
        assertThat(reads).containsExactly(List.of(), List.of(), List.of("r", "s"));
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

    @Test
    void eachVersionOfAnObjectIsParsedOnce() {
        List<String> parsed = new ArrayList<>();
        StoreView<String> names = StoreView.of(store, "roles", object -> {
            parsed.add(object.name() + object.version());
            return object.name();
        }, all -> String.join(" ", all));
        create("roles", "b");
        StoredObject a = create("roles", "a");
        assertThat(names.get()).isEqualTo("a b");
        store.update("roles", a.tree(), a.version());
        assertThat(names.get()).isEqualTo("a b");
        assertThat(parsed).containsExactly("a2", "b1", "a3");
    }
}
