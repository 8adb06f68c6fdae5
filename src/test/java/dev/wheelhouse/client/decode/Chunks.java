package dev.wheelhouse.client.decode;

import java.io.InputStream;
import java.util.Random;

/** Bytes as a network brings them: cut anywhere. */
final class Chunks extends InputStream {
    private final byte[] bytes;
    private final Random random;
    private int at;

    Chunks(byte[] bytes, long seed) {
        this.bytes = bytes;
        this.random = new Random(seed);
    }

    @Override
    public int read() {
        return at == bytes.length ? -1 : bytes[at++] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) {
        if (at == bytes.length) {
            return -1;
        }
        int most = Math.min(length, bytes.length - at);
        int n = random.nextInt(4) == 0 ? most : 1 + random.nextInt(Math.min(most, 64));
        System.arraycopy(bytes, at, into, from, n);
        at += n;
        return n;
    }
}
