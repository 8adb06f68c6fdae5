package dev.wheelhouse.apiserver;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that comes in chunks (RFC 9112, section 7.1). A read that has lasted too long can be repeated. */
final class ChunkedInput extends FilterInputStream {
    private static final int LONGEST_LINE = 1024;
    private final StringBuilder line = new StringBuilder();
    /** The bytes that are left of the chunk; negative before the first one and after the last one. */
    private long left = -1;
    private boolean ended;

    ChunkedInput(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        while (left <= 0 && !ended) {
            int next = in.read();
            if (next < 0 || line.length() > LONGEST_LINE) {
                throw new EOFException("a body in chunks has no end");
            }
            if (next == '\n') {
                left = left == 0 ? -1 : size(line.toString());
                ended = left == 0;
                line.setLength(0);
            } else {
                line.append((char) next);
            }
        }
        if (ended) {
            return -1;
        }
        int read = in.read(to, offset, (int) Math.min(length, left));
        if (read < 0) {
            throw new EOFException("a body in chunks has no end");
        }
        left -= read;
        return read;
    }

    private static long size(String line) throws IOException {
        try {
            return Long.parseUnsignedLong(line.split(";", 2)[0].strip(), 16) & Long.MAX_VALUE;
        } catch (NumberFormatException e) {
            throw new IOException("a chunk does not say its size", e);
        }
    }
}
