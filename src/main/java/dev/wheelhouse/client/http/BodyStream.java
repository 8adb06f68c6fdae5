package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InputStream;

import okio.Buffer;
import okio.BufferedSource;

/**
 * The bytes of an answer as they arrive, read without a new buffer for each chunk. OkHttp reads several chunks into one
 * buffer of eight kilobytes, but its own stream of a body hands out parts of that buffer, so that the buffer cannot be
 * reused. Okio copies the bytes instead if the target already has a byte, so this stream puts one there before each
 * read.
 */
final class BodyStream extends InputStream {
    private final BufferedSource source;
    private final Buffer buffer;

    BodyStream(BufferedSource source) {
        this.source = source;
        this.buffer = source.getBuffer();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (buffer.size() == 0 && !fill()) {
            return -1;
        }
        return buffer.read(target, offset, length);
    }

    private boolean fill() throws IOException {
        buffer.writeByte(0);
        try {
            return source.request(2);
        } finally {
            buffer.skip(1);
        }
    }
}
