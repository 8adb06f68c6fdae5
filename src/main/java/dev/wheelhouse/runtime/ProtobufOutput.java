package dev.wheelhouse.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes protobuf from the last byte to the first, so that the length of a message is known when the bytes before it
 * are written. Callers therefore write the fields of a message in descending order. Not thread safe.
 */
public final class ProtobufOutput {
    /** Wire types: how the bytes of a field show their end. */
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes = new byte[2048];
    /** The index of the first byte that is written. */
    private int at = bytes.length;

    /** The number of bytes that are written. */
    public int size() {
        return bytes.length - at;
    }

    public byte[] toBytes() {
        return Arrays.copyOfRange(bytes, at, bytes.length);
    }

    public void text(int number, String text) {
        bytes(number, text.getBytes(StandardCharsets.UTF_8));
    }

    public void bytes(int number, byte[] value) {
        put(value);
        prefix(number, value.length);
    }

    public void number(int number, long value) {
        varint(value);
        tag(number, VARINT);
    }

    public void real(int number, double value) {
        reserve(Long.BYTES);
        at -= Long.BYTES;
        LONGS.set(bytes, at, Double.doubleToLongBits(value));
        tag(number, FIXED64);
    }

    /** Writes the tag and the length of the bytes that were written last. */
    public void prefix(int number, int length) {
        varint(length);
        tag(number, DELIMITED);
    }

    /** Writes bytes without a tag. */
    public void put(byte[] source) {
        reserve(source.length);
        at -= source.length;
        System.arraycopy(source, 0, bytes, at, source.length);
    }

    private void tag(int number, int wireType) {
        varint((long) number << 3 | wireType);
    }

    private void varint(long value) {
        int length = 1 + (63 - Long.numberOfLeadingZeros(value | 1)) / 7;
        reserve(length);
        at -= length;
        long left = value;
        for (int i = 0; i < length - 1; i++) {
            bytes[at + i] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[at + length - 1] = (byte) left;
    }

    private void reserve(int more) {
        if (at < more) {
            byte[] larger = new byte[Math.max(2 * bytes.length, size() + more)];
            System.arraycopy(bytes, at, larger, larger.length - size(), size());
            at = larger.length - size();
            bytes = larger;
        }
    }
}
