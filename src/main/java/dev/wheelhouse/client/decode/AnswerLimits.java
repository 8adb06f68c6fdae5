package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

import dev.wheelhouse.client.DecodeFailure;

/**
 * Limits the bytes of an answer that are in memory at once. An API server stores objects of 1.5 MB at most, but a sick
 * server may send a line without an end.
 */
public final class AnswerLimits {
    /** The most bytes of one object, one event, or one answer that is not a list. */
    static final int MOST_BYTES = 32 * 1024 * 1024;

    /** The most objects of one list that cannot be decoded. */
    private static final int MOST_UNDECODABLE = 10_000;

    private AnswerLimits() {}

    /** @throws IOException if so many objects of a list cannot be decoded that they are hardly objects */
    static void requireFew(List<DecodeFailure> undecodable) throws IOException {
        if (undecodable.size() > MOST_UNDECODABLE) {
            throw new IOException("the answer has more than " + MOST_UNDECODABLE
                    + " objects that cannot be decoded; the first one: " + undecodable.getFirst());
        }
    }

    /** A copy of twice the size, 32 MiB at most. @throws IOException if the array has that size already */
    static byte[] grown(byte[] full) throws IOException {
        if (full.length >= MOST_BYTES) {
            throw tooLarge("an object or an event");
        }
        return Arrays.copyOf(full, Math.min(MOST_BYTES, full.length * 2));
    }

    /** Reads a whole answer. @throws IOException if the stream breaks, or the answer has more than 32 MiB */
    public static byte[] readAll(InputStream body) throws IOException {
        byte[] bytes = body.readNBytes(MOST_BYTES);
        if (bytes.length == MOST_BYTES && body.read() >= 0) {
            throw tooLarge("the answer");
        }
        return bytes;
    }

    static IOException tooLarge(String what) {
        return new IOException(what + " is longer than " + MOST_BYTES / 1024 / 1024
                + " MB: the server is sick, or is not an API server");
    }
}
