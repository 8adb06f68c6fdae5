package dev.wheelhouse.apiserver.store;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The objects of a resource by the value of one selectable field. When it is asked, it takes in the changes since it
 * was asked last; so it contains each write whose caller has an answer, and no question looks at all objects. Thread
 * safe.
 */
public final class FieldIndex {
    private final ObjectStore store;
    private final String resource;
    private final String field;
    private final Map<String, Map<String, StoredObject>> byValue = new HashMap<>();
    private long version;

    /** @param field a field of {@link SelectableFields} */
    public FieldIndex(ObjectStore store, String resource, String field) {
        this.store = store;
        this.resource = resource;
        this.field = field;
    }

    /** The objects whose field has the value. */
    public synchronized List<StoredObject> get(String value) {
        try {
            for (Change change : store.changes(resource, version)) {
                put(change.object, change.previous, change.deletion);
                version = change.version;
            }
        } catch (StoreException.Expired e) {
            Snapshot now = store.snapshot(resource);
            byValue.clear();
            now.select(Selection.all()).forEach(object -> put(object, null, false));
            version = now.version();
        }
        return List.copyOf(byValue.getOrDefault(value, Map.of()).values());
    }

    private void put(StoredObject object, @Nullable StoredObject previous, boolean deletion) {
        if (previous != null) {
            byValue.computeIfPresent(String.valueOf(previous.field(field)),
                    (value, objects) -> objects.remove(object.key()) != null && objects.isEmpty() ? null : objects);
        }
        if (!deletion) {
            byValue.computeIfAbsent(String.valueOf(object.field(field)), value -> new LinkedHashMap<>())
                    .put(object.key(), object);
        }
    }
}
