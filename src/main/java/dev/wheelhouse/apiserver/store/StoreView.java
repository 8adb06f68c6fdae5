package dev.wheelhouse.apiserver.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A value that is read from all objects of a resource. It is read again when the resource has changed, and not when
 * others have. It contains each write whose caller has an answer. Thread safe; without a change, {@link #get} takes no
 * lock and allocates nothing.
 */
public final class StoreView<T> {
    private final ObjectStore store;
    private final String resource;
    private final ResourceLog log;
    private final Reader<T> reader;
    private volatile Known<T> known;

    /** Reads a value. */
    public interface Reader<T> {
        /**
         * @param objects sorted by their keys. A version of an object is always the same instance
         * @param before the value that was read last
         */
        T read(List<StoredObject> objects, T before);
    }

    /** @param tree of which the value was read; null if it was not read yet */
    private record Known<T>(@Nullable SortedTree<StoredObject> tree, T value) {}

    /** @param first the value before the first read */
    public StoreView(ObjectStore store, String resource, T first, Reader<T> reader) {
        this.store = store;
        this.resource = resource;
        this.log = store.log(resource);
        this.reader = reader;
        this.known = new Known<>(null, first);
    }

    /**
     * A value that is combined from parsed objects. Each version of an object is parsed once.
     *
     * @param combined makes the value of the parsed objects, which are sorted by their keys
     */
    public static <P, T> StoreView<T> of(ObjectStore store, String resource, Function<StoredObject, P> parser,
            Function<List<P>, T> combined) {
        return new StoreView<>(store, resource, combined.apply(List.of()), new Reader<>() {
            private Map<StoredObject, P> parsed = Map.of();

            @Override
            public T read(List<StoredObject> objects, T before) {
                Map<StoredObject, P> now = new LinkedHashMap<>();
                for (StoredObject object : objects) {
                    P present = parsed.get(object);
                    now.put(object, present != null ? present : parser.apply(object));
                }
                parsed = now;
                return combined.apply(List.copyOf(now.values()));
            }
        });
    }

    public T get() {
        Known<T> present = known;
        // A tree is never changed: each write makes another one.
        return present.tree == log.tree ? present.value : read();
    }

    private synchronized T read() {
        if (known.tree != log.tree) {
            Snapshot now = store.snapshot(resource);
            known = new Known<>(now.tree(), reader.read(now.select(Selection.all()), known.value));
        }
        return known.value;
    }
}
