package dev.wheelhouse.api;

import org.jspecify.annotations.Nullable;

/**
 * Compares resource versions. Since Kubernetes 1.35 (KEP-5504) they are decimal numbers of any length that grow per
 * resource type. A version that is not such a number compares with none.
 */
public final class ResourceVersions {
    private ResourceVersions() {}

    /** Whether the text is a positive decimal number without leading zeros. */
    public static boolean isComparable(@Nullable String version) {
        if (version == null || version.isEmpty() || version.charAt(0) == '0') {
            return false;
        }
        for (int i = 0; i < version.length(); i++) {
            char c = version.charAt(i);
            if (c < '0' || c > '9') {
                return false;
            }
        }
        return true;
    }

    /**
     * Compares two versions of one resource type, as a {@link java.util.Comparator} does.
     *
     * @throws IllegalArgumentException if either version is not a number
     */
    public static int compare(String a, String b) {
        if (!isComparable(a) || !isComparable(b)) {
            throw new IllegalArgumentException("resource versions \"" + a + "\" and \"" + b
                    + "\" cannot be compared: both must be positive decimal numbers");
        }
        return a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
    }

    /** The later of two versions; {@code now} if they cannot be compared. */
    public static String later(String before, String now) {
        return isComparable(before) && isComparable(now) && compare(before, now) > 0 ? before : now;
    }

    /** Whether {@code a} is at least as new as {@code b}; false if they cannot be compared. */
    public static boolean atLeast(@Nullable String a, @Nullable String b) {
        return a != null && b != null && isComparable(a) && isComparable(b) && compare(a, b) >= 0;
    }
}
