package dev.wheelhouse.client.decode;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Reads protobuf from a stream. Not thread safe. */
final class WireStream extends StreamBuffer {
    private static final int LARGEST_KEPT = 256 * 1024;

    /** @param beforeRead called before each read of the stream */
    WireStream(InputStream in, Runnable beforeRead) {
        super(in, beforeRead, LARGEST_KEPT);
    }

    /** Bytes taken from the stream so far. */
    long position() {
        return bytesRead() - (limit - at);
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
}
