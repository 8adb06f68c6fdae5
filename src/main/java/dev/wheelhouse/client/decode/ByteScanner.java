package dev.wheelhouse.client.decode;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Finds the beginning and the end of JSON values without decoding them, so that each object of a stream is decoded, or
 * fails, by itself. Reads the stream through a buffer that grows to the largest single value. Checks no more of the
 * syntax than the search for the end needs. Not thread safe.
 */
final class ByteScanner {
    private final InputStream in;
    private byte[] buffer = new byte[64 * 1024];
    private int at;
    private int limit;
    /**
     * The index of the first byte of the value that is being scanned, or -1. A refill of the buffer keeps the bytes
     * from this index on.
     */
    private int mark = -1;
    private long total;

    ByteScanner(InputStream in) {
        this.in = in;
    }

    /** The buffer that a value's place refers to, until the next call of another method. */
    byte[] buffer() {
        return buffer;
    }

    /** Bytes read from the stream so far. */
    long bytesRead() {
        return total;
    }

    /** The next byte that is no white space, not consumed; -1 at the end. */
    int peek() throws IOException {
        while (at < limit || fill()) {
            byte b = buffer[at];
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                return b;
            }
            at++;
        }
        return -1;
    }

    /** Consumes white space and then this byte. */
    void expect(char wanted) throws IOException {
        int b = peek();
        if (b != wanted) {
            throw malformed("'" + wanted + "' expected", b);
        }
        at++;
    }

    /** Consumes this byte if it comes next after white space. */
    boolean accept(char wanted) throws IOException {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    /** The name of an object's member, and the colon after it. */
    String name() throws IOException {
        long span = value();
        int from = from(span);
        int to = to(span);
        if (buffer[from] != '"') {
            throw malformed("a member's name expected", buffer[from]);
        }
        String name = new String(buffer, from + 1, to - from - 2, StandardCharsets.UTF_8);
        expect(':');
        return name;
    }

    /** Consumes one value of any kind. @return its place in {@link #buffer()}, see {@link #from} and {@link #to} */
    long value() throws IOException {
        int first = peek();
        if (first < 0) {
            throw new EOFException("the JSON ends where a value should begin");
        }
        mark = at;
        try {
            switch (first) {
                case '{', '[' -> container();
                case '"' -> string();
                default -> literal(first);
            }
            return (long) mark << 32 | at;
        } finally {
            mark = -1;
        }
    }

    /** A cursor over at least this many bytes, or all that the stream has left. Valid until {@link #consumedTo}. */
    JsonCursor ahead(int bytes) throws IOException {
        while (limit - at < bytes && fill()) {
            // A read may bring less than there is room for.
        }
        return new JsonCursor(buffer, at, limit);
    }

    /** Consumes the bytes before a cursor of {@link #ahead}. */
    void consumedTo(JsonCursor cursor) {
        at = cursor.at;
    }

    /** The index of a value's first byte. @param span a result of {@link #value} */
    static int from(long span) {
        return (int) (span >>> 32);
    }

    /** The index after a value's last byte. @param span a result of {@link #value} */
    static int to(long span) {
        return (int) span;
    }

    private void container() throws IOException {
        int depth = 0;
        do {
            if (at == limit) {
                more();
            }
            switch (buffer[at]) {
                case '{', '[' -> {
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                case '"' -> string();
                default -> at++;
            }
        } while (depth > 0);
    }

    private void string() throws IOException {
        at++;
        while (true) {
            byte[] bytes = buffer;
            int end = limit;
            int i = JsonCursor.quoteOrEscape(bytes, at, end);
            at = i;
            if (i == end) {
                more();
            } else if (bytes[i] == '"') {
                at++;
                return;
            } else {
                at++;
                if (at == limit) {
                    more();
                }
                at++;
            }
        }
    }

    private void literal(int first) throws IOException {
        int begin = at;
        while (at < limit || fill()) {
            byte b = buffer[at];
            if (b == ',' || b == '}' || b == ']' || b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == ':') {
                break;
            }
            at++;
            begin = -1;
        }
        if (begin == at) {
            throw malformed("a value expected", first);
        }
    }

    private void more() throws IOException {
        if (!fill()) {
            throw new EOFException("the JSON ends inside a value");
        }
    }

    private boolean fill() throws IOException {
        int keep = mark >= 0 ? mark : at;
        if (keep > 0 && (keep == limit || limit == buffer.length)) {
            System.arraycopy(buffer, keep, buffer, 0, limit - keep);
            limit -= keep;
            at -= keep;
            mark = mark >= 0 ? 0 : -1;
        }
        if (limit == buffer.length) {
            buffer = AnswerLimits.grown(buffer);
        }
        int n = in.read(buffer, limit, buffer.length - limit);
        if (n <= 0) {
            return false;
        }
        limit += n;
        total += n;
        return true;
    }

    private static IOException malformed(String problem, int found) {
        return new IOException("malformed JSON: " + problem + ", found "
                + (found < 0 ? "the end" : "'" + (char) found + "'"));
    }
}
