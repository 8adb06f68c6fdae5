package dev.wheelhouse.client;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts a stream into the lines that a watch's events come in, on bytes: where the network cut the stream has no meaning. The
 * buffer grows to the largest event and shrinks again. Not thread safe.
 */
final class WatchFrames {
    private static final int INITIAL = 16 * 1024;
    private static final int KEEP = 64 * 1024;

    private final InputStream in;
    private final Runnable beforeRead;
    private byte[] buffer = new byte[INITIAL];
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
     * Reads until a whole line is there; empty lines are skipped.
     *
     * @return false at the end of the stream, where a line without its end is left over by {@link #from()} and {@link #to()}
     *     as well, perhaps empty
     */
    boolean next() throws IOException {
        while (true) {
            while (scanned < limit) {
                int end = JsonBytes.newline(buffer, scanned, limit);
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
            // Nothing to move, or no room: so what was read is not moved for each small read.
            if (left == 0 && buffer.length > KEEP) {
                buffer = new byte[INITIAL];
            } else {
                System.arraycopy(buffer, begin, buffer, 0, left);
            }
            scanned -= begin;
            limit = left;
            begin = 0;
        }
        if (limit == buffer.length) {
            buffer = Bounds.grown(buffer);
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
