package dev.wheelhouse.client.decode;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads protobuf from a stream through a buffer that grows to the largest single value and shrinks again. Not thread
 * safe.
 */
final class WireStream {
    private static final int FIRST_SIZE = 16 * 1024;
    /** A larger buffer shrinks once it is empty. */
    private static final int LARGEST_KEPT = 256 * 1024;

    private final InputStream in;
    private final Runnable beforeRead;
    private byte[] buffer = new byte[FIRST_SIZE];
    private int at;
    private int limit;
    private long total;

    /** @param beforeRead called before each read of the stream */
    WireStream(InputStream in, Runnable beforeRead) {
        this.in = in;
        this.beforeRead = beforeRead;
    }

    /** Bytes read from the stream so far. */
    long bytesRead() {
        return total;
    }

    /** Bytes taken from the stream so far. */
    long position() {
        return total - (limit - at);
    }

    /**
     * Reads until so many bytes are there.
     *
     * @return false if the stream ends before them
     * @throws IOException if the stream breaks, or the bytes are more than one value may have
     */
    boolean has(int bytes) throws IOException {
        while (limit - at < bytes) {
            if (!fill()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Takes the next bytes.
     *
     * @return a cursor over them, valid until the next call
     * @throws EOFException if the stream ends before them
     */
    WireCursor take(long bytes) throws IOException {
        if (bytes < 0 || bytes > AnswerLimits.MOST_BYTES) {
            throw AnswerLimits.tooLarge("an object or an event");
        }
        if (!has((int) bytes)) {
            throw new EOFException("the protobuf ends within a value of " + bytes + " bytes");
        }
        WireCursor cursor = new WireCursor(buffer, at, at + (int) bytes);
        at += (int) bytes;
        return cursor;
    }

    /** Takes a whole number of variable length. @throws WireException if it is too long */
    long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte b = next();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new WireException("a number has more than ten bytes");
    }

    /** Takes a whole number of four bytes, of which the first is the highest. */
    int bigEndian() throws IOException {
        return next() << 24 | (next() & 0xff) << 16 | (next() & 0xff) << 8 | next() & 0xff;
    }

    private byte next() throws IOException {
        if (at == limit && !fill()) {
            throw new EOFException("the protobuf ends within a number");
        }
        return buffer[at++];
    }

    private boolean fill() throws IOException {
        int left = limit - at;
        if (left == 0 || limit == buffer.length) {
            // Move the bytes only if the buffer has no room, and not before each small read.
            if (left == 0 && buffer.length > LARGEST_KEPT) {
                buffer = new byte[FIRST_SIZE];
            } else {
                System.arraycopy(buffer, at, buffer, 0, left);
            }
            at = 0;
            limit = left;
        }
        if (limit == buffer.length) {
            buffer = AnswerLimits.grown(buffer);
        }
        beforeRead.run();
        int n = in.read(buffer, limit, buffer.length - limit);
        if (n <= 0) {
            return false;
        }
        limit += n;
        total += n;
        return true;
    }
}
