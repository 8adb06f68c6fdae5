package dev.wheelhouse.client.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;

import dev.wheelhouse.client.ModelJson;

/**
 * A cursor over the bytes of one JSON value, which reads eight bytes at a time where it can. It reads the JSON that API
 * servers write. Other bytes end in {@link Irregular}, and the full parser decides. Not thread safe.
 */
final class JsonCursor extends Cursor {
    /** Thrown for bytes that are wrong, or valid and unusual. The full parser decides which. */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    static final class Irregular extends RuntimeException {
        static final Irregular INSTANCE = new Irregular();

        private Irregular() {
            super("the bytes are not regular JSON", null, false, false);
        }
    }

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private int timeAt = -1;
    private int timeLength;
    private @Nullable OffsetDateTime time;

    JsonCursor(byte[] bytes, int from, int to) {
        super(bytes, from, to);
    }

    /** Skips white space. @return the next byte, which is not consumed */
    int peek() {
        byte[] b = bytes;
        int i = at;
        while (i < end) {
            byte c = b[i];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                at = i;
                return c;
            }
            i++;
        }
        throw Irregular.INSTANCE;
    }

    void expect(int wanted) {
        if (peek() != wanted) {
            throw Irregular.INSTANCE;
        }
        at++;
    }

    /** Consumes a comma or the given end. @return whether it was the end */
    boolean endOrComma(int close) {
        int c = peek();
        at++;
        if (c == ',') {
            return false;
        }
        if (c != close) {
            throw Irregular.INSTANCE;
        }
        return true;
    }

    /** Whether nothing but white space is left. */
    boolean isAtEnd() {
        for (int i = at; i < end; i++) {
            byte c = bytes[i];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return false;
            }
        }
        return true;
    }

    /** Consumes a null if it comes next. */
    boolean acceptNull() {
        if (peek() != 'n') {
            return false;
        }
        literal("null");
        return true;
    }

    void literal(String text) {
        int length = text.length();
        if (end - at < length) {
            throw Irregular.INSTANCE;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[at + i] != text.charAt(i)) {
                throw Irregular.INSTANCE;
            }
        }
        at += length;
    }

    /** An integer that fits a long; no fraction, no exponent. */
    long integer() {
        boolean negative = peek() == '-';
        int i = negative ? at + 1 : at;
        int begin = i;
        long value = 0;
        while (i < end && bytes[i] >= '0' && bytes[i] <= '9') {
            value = value * 10 + (bytes[i++] - '0');
        }
        if (i == begin || i - begin > 18 || (bytes[begin] == '0' && i - begin > 1)
                || (i < end && (bytes[i] == '.' || (bytes[i] | 0x20) == 'e'))) {
            throw Irregular.INSTANCE;
        }
        at = i;
        return negative ? -value : value;
    }

    /**
     * Consumes a string that has no escapes.
     *
     * @return where its text ends; it begins one byte after where the cursor was
     */
    int plainString() {
        if (peek() != '"') {
            throw Irregular.INSTANCE;
        }
        int close = quoteOrEscape(at + 1);
        if (bytes[close] != '"') {
            throw Irregular.INSTANCE;
        }
        at = close + 1;
        return close;
    }

    /** Consumes these bytes if they come next. */
    boolean accept(byte[] token) {
        int to = at + token.length;
        if (to > end || !Arrays.equals(token, 0, token.length, bytes, at, to)) {
            return false;
        }
        at = to;
        return true;
    }

    /** A point in time, in a string. A time equal to the last one is the same instance, as objects repeat times. */
    OffsetDateTime time(Times times) {
        if (peek() != '"') {
            throw Irregular.INSTANCE;
        }
        OffsetDateTime last = time;
        if (last != null && end - at >= timeLength
                && Arrays.equals(bytes, timeAt, timeAt + timeLength, bytes, at, at + timeLength)) {
            at += timeLength;
            return last;
        }
        int begin = at;
        OffsetDateTime read = times.seconds(bytes, begin, end);
        if (read != null) {
            at = begin + Times.LENGTH;
        } else {
            read = Times.any(string());
        }
        timeAt = begin;
        timeLength = at - begin;
        time = read;
        return read;
    }

    /** A string, with escapes or without. */
    String string() {
        if (peek() != '"') {
            throw Irregular.INSTANCE;
        }
        int begin = at;
        int close = endOfPlain(begin + 1);
        if (bytes[close] == '"') {
            at = close + 1;
            return text(begin + 1, close, StandardCharsets.ISO_8859_1);
        }
        skipString();
        try {
            return ModelJson.tree(bytes, begin, at).stringValue();
        } catch (JacksonException e) {
            // The full parser reports the place and the reason.
        }
        throw Irregular.INSTANCE;
    }

    /** The place of the first byte that is a quote, an escape, a control character, or not ASCII. */
    private int endOfPlain(int from) {
        byte[] b = bytes;
        int i = from;
        int last = end - 8;
        while (i <= last) {
            long w = (long) LONGS.get(b, i);
            long quote = w ^ 0x2222222222222222L;
            long escape = w ^ 0x5C5C5C5C5C5C5C5CL;
            long stop = ((quote - ONES & ~quote) | (escape - ONES & ~escape) | (w - 0x2020202020202020L & ~w) | w)
                    & HIGHS;
            if (stop != 0) {
                return i + (Long.numberOfTrailingZeros(stop) >>> 3);
            }
            i += 8;
        }
        while (i < end) {
            byte c = b[i];
            if (c == '"' || c == '\\' || c < 0x20) {
                return i;
            }
            i++;
        }
        throw Irregular.INSTANCE;
    }

    private int quoteOrEscape(int from) {
        int found = quoteOrEscape(bytes, from, end);
        if (found < end) {
            return found;
        }
        throw Irregular.INSTANCE;
    }

    /** The place of a range's first quote or backslash; the range's end if there is none. */
    static int quoteOrEscape(byte[] b, int from, int end) {
        int i = from;
        int last = end - 8;
        while (i <= last) {
            long w = (long) LONGS.get(b, i);
            long quote = w ^ 0x2222222222222222L;
            long escape = w ^ 0x5C5C5C5C5C5C5C5CL;
            long found = ((quote - ONES & ~quote) | (escape - ONES & ~escape)) & HIGHS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            i += 8;
        }
        while (i < end) {
            if (b[i] == '"' || b[i] == '\\') {
                return i;
            }
            i++;
        }
        return end;
    }

    private void skipString() {
        int i = at + 1;
        while (true) {
            i = quoteOrEscape(i);
            if (bytes[i] == '"') {
                at = i + 1;
                return;
            }
            i += 2;
        }
    }

    /** Consumes a value of any kind. Checks its quotes, and that braces and brackets balance in number. */
    void skip() {
        switch (peek()) {
            case '"' -> skipString();
            case '{', '[' -> {
                int depth = 0;
                do {
                    if (at >= end) {
                        throw Irregular.INSTANCE;
                    }
                    int c = bytes[at];
                    if (c == '"') {
                        skipString();
                        continue;
                    }
                    if ((c | 0x20) == '{') {
                        depth++;
                    } else if ((c | 0x20) == '}') {
                        depth--;
                    }
                    at++;
                } while (depth > 0);
            }
            default -> {
                int begin = at;
                while (at < end && bytes[at] != ',' && bytes[at] != '}' && bytes[at] != ']' && bytes[at] > ' ') {
                    at++;
                }
                if (at == begin) {
                    throw Irregular.INSTANCE;
                }
            }
        }
    }

    static int hash(byte[] b, int from, int to) {
        long h = (long) to - from;
        int i = from;
        while (i + 8 <= to) {
            h = (h ^ (long) LONGS.get(b, i)) * 0x9E3779B97F4A7C15L;
            h ^= h >>> 32;
            i += 8;
        }
        while (i < to) {
            h = (h ^ b[i++]) * 0x9E3779B97F4A7C15L;
        }
        return (int) (h ^ h >>> 29);
    }

    /** The place of a range's first line feed, or -1. */
    static int newline(byte[] b, int from, int to) {
        int i = from;
        while (i + 8 <= to) {
            long w = (long) LONGS.get(b, i) ^ 0x0A0A0A0A0A0A0A0AL;
            long found = w - ONES & ~w & HIGHS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            i += 8;
        }
        while (i < to) {
            if (b[i] == '\n') {
                return i;
            }
            i++;
        }
        return -1;
    }
}
