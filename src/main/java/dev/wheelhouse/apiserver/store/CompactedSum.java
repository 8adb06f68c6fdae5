package dev.wheelhouse.apiserver.store;

/**
 * How many writes are kept up to the compacted version, and a sum over them that depends on each one's version and bytes, but not
 * on their order: a page that is missing from the file, or that another one stands in for, shows in it. Immutable.
 */
record CompactedSum(long count, long sum) {
    static final CompactedSum EMPTY = new CompactedSum(0, 0);

    /** @throws NumberFormatException if it is no text of a sum */
    static CompactedSum parse(String text) {
        int space = text.indexOf(' ');
        return new CompactedSum(Long.parseLong(text, 0, Math.max(0, space), 10),
                Long.parseUnsignedLong(text, space + 1, text.length(), 16));
    }

    /** @param encoded as {@link WriteCodec} wrote it, which begins with a checksum of version and content */
    CompactedSum with(long version, byte[] encoded) {
        return new CompactedSum(count + 1, sum + spread(version, encoded));
    }

    CompactedSum without(long version, byte[] encoded) {
        return new CompactedSum(count - 1, sum - spread(version, encoded));
    }

    /** The finalizer of SplittableRandom, so that sums of different sets are different but by chance. */
    private static long spread(long version, byte[] encoded) {
        long checksum = (encoded[0] & 0xffL) << 24 | (encoded[1] & 0xffL) << 16 | (encoded[2] & 0xffL) << 8
                | encoded[3] & 0xffL;
        long z = version * 0x9e3779b97f4a7c15L ^ checksum;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    @Override
    public String toString() {
        return count + " " + Long.toUnsignedString(sum, 16);
    }
}
