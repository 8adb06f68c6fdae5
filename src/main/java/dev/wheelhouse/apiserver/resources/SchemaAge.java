package dev.wheelhouse.apiserver.resources;

import java.util.concurrent.atomic.AtomicLong;

/** Says which objects may have been written by another schema than the present one. Thread safe. */
public final class SchemaAge {
    private final long definition;
    /** All objects may be older until the schema is served, and always if the definition has several versions. */
    private volatile long since = Long.MAX_VALUE;
    /** The newest object that a request wrote which had begun with an earlier schema. */
    private final AtomicLong late = new AtomicLong();

    /** @param definition the store's version of the definition, which no other state of any definition has */
    public SchemaAge(long definition) {
        this.definition = definition;
    }

    /** @param version the store's version after the schema was put in place */
    void served(long version) {
        since = version;
    }

    void raise(long version) {
        late.accumulateAndGet(version, Math::max);
    }

    boolean isOlder(long version) {
        return version <= since || version <= late.get();
    }

    /** The version of the definition with the schema. */
    public long definition() {
        return definition;
    }
}
