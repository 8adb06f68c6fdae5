package dev.wheelhouse;

/**
 * The sizes of tests that find more the longer they run: seeds, losses, seconds. {@code mvn verify} takes the first
 * size, {@code mvn -Pfull verify} the second, and {@code -Dsize=long} the third, with {@code -Dtest} for one of them.
 * The property that a size has by name wins. A class with sizes has the tag {@code sized}, so that it runs in both
 * builds, or {@code full}, if {@code mvn verify} leaves it out.
 */
public final class Sizes {
    private static final String CHOSEN = System.getProperty("size", "build");

    private Sizes() {}

    /** The size of a test, such as its number of seeds. */
    public static int of(String property, int build, int full, int most) {
        return Integer.getInteger(property, isLong() ? most : isFull() ? full : build);
    }

    /** Whether tests are as large as they are anywhere. */
    public static boolean isLong() {
        return CHOSEN.equals("long");
    }

    private static boolean isFull() {
        return CHOSEN.equals("full");
    }
}
