package dev.wheelhouse.client.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;

/** A cursor over the bytes of protobuf messages. No read passes the end that its caller gives. Not thread safe. */
final class WireCursor extends Cursor {
    /** Wire types: how the bytes of a field show their end. */
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int DELIMITED = 2;
    private static final int GROUP = 3;
    private static final int GROUP_END = 4;
    private static final int FIXED32 = 5;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * The most places of a message in which the elements of one list or map may come. Each further place copies the
     * elements, so many of them would take more than linear time.
     */
    private static final int MOST_JOINS = 16;

    /** The version of the object in a cache; null if no cache is known. */
    @Nullable
    KnownVersion version;
    private int joins;
    private long second;
    private @Nullable OffsetDateTime time;

    WireCursor(byte[] bytes, int from, int to) {
        super(bytes, from, to);
    }

    /** Counts a list or map whose elements are in one more place of its message. */
    void countJoin() {
        if (++joins > MOST_JOINS) {
            throw new WireException("the elements of lists and maps are in too many places");
        }
    }

    /** A whole number of variable length. */
    long varint(int limit) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= limit) {
                throw new WireException("the bytes end within a number");
            }
            byte b = bytes[at++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new WireException("a number has more than ten bytes");
    }

    /** The number and wire type of the next field: {@code number << 3 | type}. */
    int tag(int limit) {
        long tag = at < limit && bytes[at] > 0 ? bytes[at++] : varint(limit);
        if (tag >>> 3 == 0 || tag > Integer.MAX_VALUE) {
            throw new WireException("a field has the number " + (tag >>> 3));
        }
        return (int) tag;
    }

    /** Consumes the length of a value. @return the index after the value */
    int delimited(int limit) {
        long length = varint(limit);
        if (length < 0 || length > limit - at) {
            throw new WireException("the bytes end within a value of " + Long.toUnsignedString(length) + " bytes");
        }
        return at + (int) length;
    }

    /** Consumes the length of the value of a field that must have one. @return the index after the value */
    int delimited(int tag, int limit) {
        require(tag, DELIMITED);
        return delimited(limit);
    }

    /** @throws WireException if a field's value is not of this wire type */
    static void require(int tag, int wireType) {
        if ((tag & 7) != wireType) {
            throw new WireException("the value is of wire type " + (tag & 7) + " instead of " + wireType);
        }
    }

    static long longAt(byte[] bytes, int index) {
        return (long) LONGS.get(bytes, index);
    }

    /** Consumes a number of eight bytes. */
    long fixed64(int limit) {
        if (limit - at < Long.BYTES) {
            throw new WireException("the bytes end within a number");
        }
        long value = longAt(bytes, at);
        at += Long.BYTES;
        return value;
    }

    /** Consumes the value of a field whose tag was read. */
    void skip(int tag, int limit) {
        int open = 0;
        int next = tag;
        while (true) {
            switch (next & 7) {
                case VARINT -> varint(limit);
                case FIXED64 -> fixed64(limit);
                case DELIMITED -> at = delimited(limit);
                case GROUP -> open++;
                case GROUP_END -> open--;
                case FIXED32 -> {
                    if (limit - at < Integer.BYTES) {
                        throw new WireException("the bytes end within a number");
                    }
                    at += Integer.BYTES;
                }
                default -> throw new WireException("there is no wire type " + (next & 7));
            }
            if (open < 0) {
                throw new WireException("a group ends that did not begin");
            }
            if (open == 0) {
                return;
            }
            next = tag(limit);
        }
    }

    /** The index after all consecutive fields with the tag at the cursor, which stays where it is. */
    int endOfRun(int limit) {
        int first = at;
        int tag = tag(limit);
        int end;
        do {
            skip(tag, limit);
            end = at;
        } while (at < limit && tag(limit) == tag);
        at = first;
        return end;
    }

    /** Goes to the last value of a message's field that is a text or message. @return its end; -1 if there is none */
    int enter(int number, int limit) {
        int from = -1;
        int to = -1;
        while (at < limit) {
            int tag = tag(limit);
            if (tag >>> 3 == number) {
                to = delimited(tag, limit);
                from = at;
                at = to;
            } else {
                skip(tag, limit);
            }
        }
        at = from < 0 ? limit : from;
        return to;
    }

    /** The text of the bytes up to an index. */
    String text(int to) {
        String text = text(at, to, StandardCharsets.UTF_8);
        at = to;
        return text;
    }

    /**
     * A message with seconds since 1970 and nanoseconds, of which a whole number of microseconds counts. A time equal
     * to the last one is the same instance, as objects repeat times.
     *
     * @param micros whether the fraction of a second counts
     */
    OffsetDateTime time(Times times, boolean micros, int limit) {
        long seconds = 0;
        int nanos = 0;
        while (at < limit) {
            int tag = tag(limit);
            switch (tag) {
                case 1 << 3 -> seconds = varint(limit);
                case 2 << 3 -> nanos = (int) varint(limit);
                default -> skip(tag, limit);
            }
        }
        try {
            if (micros && nanos != 0) {
                return times.atSecond(seconds).plusNanos(nanos / 1000 * 1000L);
            }
            OffsetDateTime known = time;
            if (known == null || second != seconds) {
                known = times.atSecond(seconds);
                time = known;
                second = seconds;
            }
            return known;
        } catch (DateTimeException e) {
            throw new WireException("no point in time: " + e.getMessage());
        }
    }
}
