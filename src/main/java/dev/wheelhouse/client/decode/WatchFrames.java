package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts the stream of a watch into frames: a frame is one line, and holds one event. A read of the network may end
 * anywhere in a frame. The buffer grows to the largest frame and shrinks again. Not thread safe.
 */
final class WatchFrames {
    private static final int FIRST_SIZE = 16 * 1024;
    /** A larger buffer shrinks once it is empty. */
    private static final int LARGEST_KEPT = 64 * 1024;

    private final InputStream in;
    private final Runnable beforeRead;
    private byte[] buffer = new byte[FIRST_SIZE];
    private int begin;
    private int scanned;
    private int limit;
    private long total;

    private int from;
    private int to;

    /** @param beforeRead called before each read of the stream */
    WatchFrames(InputStream in, Runnable beforeRead) {
        this.in = in;
        this.beforeRead = beforeRead;
    }

    /**
     * Reads until a whole frame is there. Skips empty lines.
     *
     * @return whether there is a frame; false at the end of the stream, where {@link #from()} and {@link #to()} then
     *     delimit the bytes after the last line end
     */
    boolean next() throws IOException {
        while (true) {
            while (scanned < limit) {
                int end = JsonCursor.newline(buffer, scanned, limit);
                if (end < 0) {
                    scanned = limit;
                    break;
                }
                from = begin;
                to = end;
                begin = end + 1;
                scanned = begin;
                if (to > from) {
                    return true;
                }
            }
            if (!fill()) {
                from = begin;
                to = limit;
                return false;
            }
        }
    }

    /** Drops the bytes after the last line end. */
    void clear() {
        begin = limit;
        scanned = limit;
        from = limit;
        to = limit;
    }

    /** The bytes that {@link #from()} and {@link #to()} refer to, until the next call of {@link #next()}. */
    byte[] buffer() {
        return buffer;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    long bytesRead() {
        return total;
    }

    private boolean fill() throws IOException {
        int left = limit - begin;
        if (left == 0 || limit == buffer.length) {
            // Move the bytes only if the buffer has no room, and not before each small read.
            if (left == 0 && buffer.length > LARGEST_KEPT) {
                buffer = new byte[FIRST_SIZE];
            } else {
                System.arraycopy(buffer, begin, buffer, 0, left);
            }
            scanned -= begin;
            limit = left;
            begin = 0;
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
