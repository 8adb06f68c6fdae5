package dev.wheelhouse.api;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Selects objects by ranges of a 64-bit hash of one metadata field, for sharded lists and watches (upstream: KEP-5866,
 * {@code apimachinery/pkg/sharding}). The hash is FNV-1a. Immutable.
 *
 * @param field {@link #NAMESPACE} or {@link #UID}
 * @param ranges the ranges that are selected; at least one
 */
public record ShardSelector(String field, List<Range> ranges) {
    public static final String NAMESPACE = "object.metadata.namespace";
    public static final String UID = "object.metadata.uid";
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    /** The hashes from {@code first} to {@code last}, both included and unsigned. */
    public record Range(long first, long last) {
        boolean contains(long hash) {
            return Long.compareUnsigned(hash, first) >= 0 && Long.compareUnsigned(hash, last) <= 0;
        }

        /** The bounds as upstream writes them. The end is exclusive, so the largest has 17 digits. */
        private String text(String field) {
            String end = last == -1 ? "10000000000000000" : "%016x".formatted(last + 1);
            return "shardRange(%s, '0x%016x', '0x%s')".formatted(field, first, end);
        }
    }

    public ShardSelector {
        ranges = List.copyOf(ranges);
    }

    /**
     * One of {@code count} equal parts of the hashes of namespaces.
     *
     * @param index from 0 to {@code count - 1}
     */
    public static ShardSelector ofNamespaces(int index, int count) {
        BigInteger width = BigInteger.TWO.pow(64).divide(BigInteger.valueOf(count));
        long first = width.multiply(BigInteger.valueOf(index)).longValue();
        long last = index == count - 1 ? -1 : width.multiply(BigInteger.valueOf(index + 1L)).longValue() - 1;
        return new ShardSelector(NAMESPACE, List.of(new Range(first, last)));
    }

    /** Whether an object is selected whose field has this value. */
    public boolean matches(String value) {
        long hash = hash(value);
        for (Range range : ranges) {
            if (range.contains(hash)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The FNV-1a hash. It is not cached, because it costs less than a look into a map: a name has some twenty
     * characters.
     */
    static long hash(String value) {
        long hash = OFFSET;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                return hash(value.getBytes(StandardCharsets.UTF_8));
            }
            hash = (hash ^ c) * PRIME;
        }
        return hash;
    }

    private static long hash(byte[] value) {
        long hash = OFFSET;
        for (byte b : value) {
            hash = (hash ^ (b & 0xff)) * PRIME;
        }
        return hash;
    }

    /** The selector as upstream writes it; an API server can parse it. */
    @Override
    public String toString() {
        return ranges.stream().map(range -> range.text(field)).collect(Collectors.joining(" || "));
    }
}
