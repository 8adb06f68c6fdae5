package dev.wheelhouse.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * How much of an answer is taken into memory at once. A real API server stores objects of 1.5 MB at most; one that is sick, or is
 * none, sends a line without an end.
 */
final class Bounds {
    /** One object, one event, or one answer that is no list. */
    static final int LARGEST = 32 * 1024 * 1024;

    private Bounds() {}

    /** A copy of twice the size. @throws IOException if that would be too large */
    static byte[] grown(byte[] full) throws IOException {
        if (full.length >= LARGEST) {
            throw tooLarge("an object or an event");
        }
        return Arrays.copyOf(full, Math.min(LARGEST, full.length * 2));
    }

    /** A whole answer. */
    static byte[] readAll(InputStream body) throws IOException {
        byte[] bytes = body.readNBytes(LARGEST);
        if (bytes.length == LARGEST && body.read() >= 0) {
            throw tooLarge("the answer");
        }
        return bytes;
    }

    private static IOException tooLarge(String what) {
        return new IOException(what + " is longer than " + LARGEST / 1024 / 1024
                + " MB: what answers there is no API server, or a sick one");
    }
}
