package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;

/**
 * A buffer between a stream and its reader. It grows to the largest single value, and shrinks once it is empty. Not
 * thread safe.
 */
abstract class StreamBuffer {
    private static final int FIRST_SIZE = 16 * 1024;

    private final InputStream in;
    private final Runnable beforeRead;
    private final int largestKept;
    private long total;

    /** The bytes from {@link #at} to {@link #limit} have been read and not taken yet. */
    byte[] buffer = new byte[FIRST_SIZE];
    int at;
    int limit;

    /**
     * @param beforeRead called before each read of the stream
     * @param largestKept the size of a buffer that never shrinks
     */
    StreamBuffer(InputStream in, Runnable beforeRead, int largestKept) {
        this.in = in;
        this.beforeRead = beforeRead;
        this.largestKept = largestKept;
    }

    /** Bytes read from the stream so far. */
    final long bytesRead() {
        return total;
    }

    /**
     * Reads more bytes behind {@link #limit}. May move the bytes that are not taken yet.
     *
     * @return false if the stream ends
     */
    final boolean fill() throws IOException {
        int left = limit - at;
        if (left == 0 || limit == buffer.length) {
            // Move the bytes only if the buffer has no room, and not before each small read.
            if (left == 0 && buffer.length > largestKept) {
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
