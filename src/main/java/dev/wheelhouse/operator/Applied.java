package dev.wheelhouse.operator;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * Remembers what an operator wrote and how the server stored it, so that nothing is sent where nothing would change.
 * The server's answer shows how it fills in and rewrites values: while the stored values of the wanted fields stay as
 * in the answer, the same configuration would change nothing. A new process remembers nothing: it applies each object
 * once, and the server ignores an apply that changes nothing. Thread safe: the worker that has a key and whoever asks
 * for the key's plan use the key's memory at the same time.
 */
final class Applied {
    private final Map<ObjectKey, Map<Target, Memo>> byOwner = new ConcurrentHashMap<>();

    /** @param subresource {@code status} or empty */
    record Target(ResourceType type, ObjectKey key, String subresource) {}

    /**
     * @param uid the stored object's UID
     * @param wanted a hash of the configuration that was sent
     * @param shown a hash of the stored values of the wanted fields
     * @param version a version at which the stored object has these values
     * @param takenBack how many times the same configuration was sent again, because others had changed its fields
     */
    record Memo(String uid, UUID wanted, UUID shown, String version, int takenBack) {
        private static final UUID NONE = new UUID(0, 0);

        /** The memory of an object that this operator did not apply. */
        static Memo ofOthers(String uid) {
            return new Memo(uid, NONE, NONE, "", 0);
        }
    }

    @Nullable
    Memo get(ObjectKey owner, Target target) {
        return byOwner.getOrDefault(owner, Map.of()).get(target);
    }

    void put(ObjectKey owner, Target target, Memo memo) {
        byOwner.computeIfAbsent(owner, key -> new ConcurrentHashMap<>()).put(target, memo);
    }

    void remove(ObjectKey owner, Target target) {
        Map<Target, Memo> memos = byOwner.get(owner);
        if (memos != null) {
            memos.remove(target);
        }
    }

    void forget(ObjectKey owner) {
        byOwner.remove(owner);
    }
}
