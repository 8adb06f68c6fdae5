package dev.wheelhouse.apiserver.store;

import java.util.UUID;
import java.util.random.RandomGenerator;

/** Generates UIDs, names and numbers from one source of randomness, which a simulation can seed. Thread safe. */
public final class Ids {
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
    private static final int MAX_GENERATED_BASE = 58;

    private final RandomGenerator random;

    public Ids(RandomGenerator random) {
        this.random = random;
    }

    /** A version 4 UUID. */
    public synchronized String uid() {
        long high = (random.nextLong() & 0xffffffffffff0fffL) | 0x4000;
        long low = (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    /** A name for a {@code generateName} (upstream: {@code apiserver/pkg/storage/names/generate.go}). */
    public synchronized String name(String base) {
        StringBuilder name = new StringBuilder(
                base.length() > MAX_GENERATED_BASE ? base.substring(0, MAX_GENERATED_BASE) : base);
        for (int i = 0; i < 5; i++) {
            name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return name.toString();
    }

    /** A number from 0 to {@code bound - 1}. */
    public synchronized int below(int bound) {
        return random.nextInt(bound);
    }
}
