package dev.wheelhouse.controllers.garbagecollector;

import java.util.Map;

import dev.wheelhouse.runtime.BoundedMap;

/**
 * Owners that are known not to exist, up to a maximum number. UIDs are never reused, so an entry stays true. Not thread
 * safe.
 */
final class AbsentOwners {
    private final Map<ObjectRef, Boolean> absent;

    AbsentOwners(int capacity) {
        absent = BoundedMap.byUse(capacity);
    }

    void add(ObjectRef ref) {
        absent.put(ref, true);
    }

    boolean contains(ObjectRef ref) {
        return absent.get(ref) != null;
    }
}
