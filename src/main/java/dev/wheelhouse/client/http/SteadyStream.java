package dev.wheelhouse.client.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

import dev.wheelhouse.runtime.Clock;

/**
 * An answer of any length that must come at a pace of at least 1 KiB a second after the first half minute. The deadline
 * of a single read does not end an answer that comes byte by byte, so its reader would wait for ever.
 */
final class SteadyStream extends FilterInputStream {
    private static final long GRACE = Duration.ofSeconds(30).toNanos();
    private static final long LEAST_BYTES_A_SECOND = 1024;

    private final Clock clock;
    private final long began;
    private long bytes;

    SteadyStream(InputStream body, Clock clock) {
        super(body);
        this.clock = clock;
        this.began = clock.nanoTime();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = in.read(target, offset, length);
        bytes += Math.max(0, n);
        long took = clock.nanoTime() - began;
        if (took > GRACE && bytes / (took / 1_000_000_000L) < LEAST_BYTES_A_SECOND) {
            throw new IOException("only " + bytes + " bytes came in " + Duration.ofNanos(took).toSeconds()
                    + " s: the API server, or the network, is stuck");
        }
        return n;
    }
}
