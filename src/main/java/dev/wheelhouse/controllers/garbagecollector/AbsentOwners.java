package dev.wheelhouse.controllers.garbagecollector;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Owners that are known not to exist, up to a maximum number. UIDs are never reused, so an entry stays true. Not thread
 * safe.
 */
final class AbsentOwners {
    private final Map<ObjectRef, Boolean> absent;

    AbsentOwners(int capacity) {
        absent = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<ObjectRef, Boolean> eldest) {
                return size() > capacity;
            }
        };
    }

    void add(ObjectRef ref) {
        absent.put(ref, true);
    }

    boolean contains(ObjectRef ref) {
        return absent.get(ref) != null;
    }
}
