package dev.wheelhouse.apiserver.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A value that is read from all objects of some resources. It is read again when one of these resources has changed,
 * and not when others have. It contains each write whose caller has an answer. Thread safe; without a change,
 * {@link #get} takes no lock and allocates nothing.
 */
public final class StoreView<T> {
    private final ObjectStore store;
    private final List<String> resources;
    private final ResourceLog[] logs;
    private final Reader<T> reader;
    private volatile Known<T> known;

    /** Reads a value. */
    public interface Reader<T> {
        /**
         * @param objects of each resource, sorted by their keys. A version of an object is always the same instance
         * @param before the value that was read last
         */
        T read(List<List<StoredObject>> objects, T before);
    }

    private record Known<T>(List<SortedTree<StoredObject>> trees, T value) {}

    /** @param first the value before the first read */
    public StoreView(ObjectStore store, T first, Reader<T> reader, String... resources) {
        this.store = store;
        this.resources = List.of(resources);
        this.logs = this.resources.stream().map(store::log).toArray(ResourceLog[]::new);
        this.reader = reader;
        this.known = new Known<>(List.of(), first);
    }

    /**
     * A value of the objects of one resource, of which each version is parsed once.
     *
     * @param combined makes the value of the parsed objects, which are sorted by their keys
     */
    public static <P, T> StoreView<T> of(ObjectStore store, String resource, Function<StoredObject, P> parser,
            Function<List<P>, T> combined) {
        return new StoreView<>(store, combined.apply(List.of()), new Reader<>() {
            private Map<StoredObject, P> parsed = Map.of();

            @Override
            public T read(List<List<StoredObject>> objects, T before) {
                Map<StoredObject, P> now = new LinkedHashMap<>();
                for (StoredObject object : objects.getFirst()) {
                    P known = parsed.get(object);
                    now.put(object, known != null ? known : parser.apply(object));
                }
                parsed = now;
                return combined.apply(List.copyOf(now.values()));
            }
        }, resource);
    }

    public T get() {
        Known<T> present = known;
        return isCurrent(present) ? present.value : read();
    }

    private boolean isCurrent(Known<T> value) {
        if (value.trees.size() != logs.length) {
            return false;
        }
        for (int i = 0; i < logs.length; i++) {
            // A tree is never changed: each write makes another one.
            if (value.trees.get(i) != logs[i].tree) {
                return false;
            }
        }
        return true;
    }

    private synchronized T read() {
        if (!isCurrent(known)) {
            List<Snapshot> now = resources.stream().map(store::snapshot).toList();
            known = new Known<>(now.stream().map(Snapshot::tree).toList(),
                    reader.read(now.stream().map(each -> each.select(Selection.all())).toList(), known.value));
        }
        return known.value;
    }
}
