package dev.wheelhouse.runtime;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map with a maximum size: an addition beyond it removes the eldest entry. Not thread safe. */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {
    private final int most;

    private BoundedMap(int most, boolean byUse) {
        super(16, 0.75f, byUse);
        this.most = most;
    }

    /** A map whose eldest entry is the one that was added first. */
    public static <K, V> BoundedMap<K, V> byAge(int most) {
        return new BoundedMap<>(most, false);
    }

    /** A map whose eldest entry is the one that was read and written least recently. */
    public static <K, V> BoundedMap<K, V> byUse(int most) {
        return new BoundedMap<>(most, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
