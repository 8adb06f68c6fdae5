package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts the stream of a watch into frames: a frame is one line, and holds one event. A read of the network may end
 * anywhere in a frame. Not thread safe.
 */
final class WatchFrames extends StreamBuffer {
    private static final int LARGEST_KEPT = 64 * 1024;

    /** The bytes after {@link #at} that contain no line end. */
    private int scanned;
    private int from;
    private int to;

    /** @param beforeRead called before each read of the stream */
    WatchFrames(InputStream in, Runnable beforeRead) {
        super(in, beforeRead, LARGEST_KEPT);
    }

    /**
     * Reads until a whole frame is there. Skips empty lines.
     *
     * @return whether there is a frame; false at the end of the stream, where {@link #from()} and {@link #to()} then
     *     delimit the bytes after the last line end
     */
    boolean next() throws IOException {
        while (true) {
            while (at + scanned < limit) {
                int end = JsonCursor.newline(buffer, at + scanned, limit);
                if (end < 0) {
                    scanned = limit - at;
                    break;
                }
                from = at;
                to = end;
                at = end + 1;
                scanned = 0;
                if (to > from) {
                    return true;
                }
            }
            if (!fill()) {
                from = at;
                to = limit;
                return false;
            }
        }
    }

    /** Drops the bytes after the last line end. */
    void clear() {
        at = limit;
        scanned = 0;
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
}
