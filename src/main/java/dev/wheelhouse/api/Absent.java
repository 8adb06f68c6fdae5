package dev.wheelhouse.api;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The values of fields that an object leaves out: for the API, an absent list equals an empty one, and an absent number
 * zero.
 */
public final class Absent {
    private Absent() {}

    public static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    public static <K, V> Map<K, V> orEmpty(@Nullable Map<K, V> map) {
        return map == null ? Map.of() : map;
    }

    public static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    public static int orZero(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    public static long orZero(@Nullable Long number) {
        return number == null ? 0 : number;
    }

    /** A number as an object has it that leaves out zeros; null for zero. */
    public static @Nullable Integer orNull(int number) {
        return number == 0 ? null : number;
    }

    /** A list as an object has it that leaves out empty ones; null for an empty one. */
    public static <T> @Nullable List<T> orNull(@Nullable List<T> list) {
        return list == null || list.isEmpty() ? null : list;
    }
}
