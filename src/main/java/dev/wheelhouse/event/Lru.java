package dev.wheelhouse.event;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map with a maximum size, which drops the least recently used entry. Not thread safe. */
final class Lru<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int most;

    Lru(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
