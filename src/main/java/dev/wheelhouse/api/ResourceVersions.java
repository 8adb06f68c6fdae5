package dev.wheelhouse.api;

import org.jspecify.annotations.Nullable;

/**
 * Comparison of resource versions. Since Kubernetes 1.35 they are promised to be decimal numbers that grow per resource type
 * (KEP-5504), of any length; what is not a number compares with nothing.
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
     * Compares two versions of one resource type.
     *
     * @throws IllegalArgumentException if either is not comparable
     */
    public static int compare(String a, String b) {
        if (!isComparable(a) || !isComparable(b)) {
            throw new IllegalArgumentException("resource versions \"" + a + "\" and \"" + b + "\" do not compare");
        }
        return a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
    }

    /** The later of what was seen before and what was seen now; what was seen now, if they do not compare. */
    public static String later(String before, String now) {
        return isComparable(before) && isComparable(now) && compare(before, now) > 0 ? before : now;
    }

    /** Whether {@code a} is at least as new as {@code b}; false if they do not compare. */
    public static boolean atLeast(@Nullable String a, @Nullable String b) {
        return a != null && b != null && isComparable(a) && isComparable(b) && compare(a, b) >= 0;
    }
}
