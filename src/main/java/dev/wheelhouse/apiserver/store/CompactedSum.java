package dev.wheelhouse.apiserver.store;

import java.nio.ByteBuffer;

/**
 * A checksum of all writes that are kept up to the compacted version: their count, and a sum over each one's version
 * and bytes. The order of the writes does not matter, so the sum is updated per write. It shows when a page of the file
 * is missing or was replaced by another one. Immutable.
 */
record CompactedSum(long count, long sum) {
    static final CompactedSum EMPTY = new CompactedSum(0, 0);

    /** @throws NumberFormatException if the text is not a sum */
    static CompactedSum parse(String text) {
        int space = text.indexOf(' ');
        return new CompactedSum(Long.parseLong(text, 0, Math.max(0, space), 10),
                Long.parseUnsignedLong(text, space + 1, text.length(), 16));
    }

    /** @param encoded as {@link WriteCodec} encoded it; its first bytes are a checksum of version and content */
    CompactedSum with(long version, byte[] encoded) {
        return new CompactedSum(count + 1, sum + spread(version, encoded));
    }

    CompactedSum without(long version, byte[] encoded) {
        return new CompactedSum(count - 1, sum - spread(version, encoded));
    }

    /** Mixes bits as SplittableRandom's finalizer does, so that different sets rarely have the same sum. */
    private static long spread(long version, byte[] encoded) {
        long checksum = Integer.toUnsignedLong(ByteBuffer.wrap(encoded).getInt());
        long z = (version * 0x9e3779b97f4a7c15L) ^ checksum;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    @Override
    public String toString() {
        return count + " " + Long.toUnsignedString(sum, 16);
    }
}
