package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class EncodedObjectsTest {
    private final ObjectStore store = new ObjectStore(new ManualClock(), Retention.standard(), Storage.inMemory());
    private final EncodedObjects renditions = new EncodedObjects();
    private final AtomicInteger made = new AtomicInteger();

    private StoredObject object(String name, int bytes) {
        return store.create("configmaps",
                Json.object().put("kind", "ConfigMap").put("apiVersion", "v1").put("data", "x".repeat(bytes))
                        .set("metadata", Json.object().put("namespace", "ns").put("name", name)));
    }

    private Supplier<byte[]> make(String text) {
        return () -> {
            made.incrementAndGet();
            return text.getBytes(StandardCharsets.UTF_8);
        };
    }

    @Test
    void anObjectIsTurnedIntoAFormOnceForAllWhoAsk() {
        StoredObject a = object("a", 1);
        StoredObject b = object("b", 1);
        byte[] first = renditions.of(a, "table", make("a as a table"));
        assertThat(renditions.of(a, "table", make("again"))).isSameAs(first);
        assertThat(renditions.of(a, "protobuf", make("a as protobuf"))).asString().isEqualTo("a as protobuf");
        assertThat(renditions.of(b, "table", make("b as a table"))).asString().isEqualTo("b as a table");
        assertThat(made).hasValue(3);
    }

    @Test
    void whatIsKeptIsBoundedByCountAndByBytes() {
        StoredObject small = object("small", 1);
        renditions.of(small, "form 0", make("x"));
        for (int i = 1; i <= 1_024; i++) {
            renditions.of(small, "form " + i, make("x"));
        }
        renditions.of(small, "form 1", make("x"));
        assertThat(made).hasValue(1_025);
        renditions.of(small, "form 0", make("x"));
        assertThat(made).as("the oldest was let go").hasValue(1_026);

        StoredObject large = object("large", 1_500_000);
        for (int i = 0; i < 12; i++) {
            renditions.of(large, "table " + i, make("x"));
        }
        renditions.of(small, "form 1024", make("x"));
        assertThat(made).as("large ones drive out the small ones").hasValue(1_039);
    }
}
