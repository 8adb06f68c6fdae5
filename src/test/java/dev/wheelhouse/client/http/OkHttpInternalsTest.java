package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import okio.Okio;
import okio.Source;
import okio.Timeout;

/**
 * The client relies on OkHttp and Okio beyond their public API here. An upgrade that breaks this fails one of these.
 */
class OkHttpInternalsTest {
    @Test
    void theTaskRunnerCanStillBeReplaced() throws IOException {
        List<Thread> made = new CopyOnWriteArrayList<>();
        ThreadFactory threads = task -> {
            Thread thread = Thread.ofVirtual().unstarted(task);
            made.add(thread);
            return thread;
        };
        try (RawServer server = new RawServer(
                (request, out) -> out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                        .getBytes(StandardCharsets.US_ASCII)));
                OkHttpInternals internals = new OkHttpInternals(threads)) {
            OkHttpClient client = internals.install(new OkHttpClient.Builder()).build();
            try (Response response = client.newCall(new Request.Builder().url(server.url()).build()).execute()) {
                assertThat(response.body().string()).isEqualTo("ok");
            }
            // The connection is idle now, so OkHttp plans to close it.
            assertThat(made).isNotEmpty();
            client.dispatcher().executorService().shutdown();
        }
    }

    @Test
    void aBodyThatComesInChunksIsReadWithoutNewBuffers() throws IOException {
        Connection connection = new Connection(10_000);
        InputStream body = new BodyStream(Okio.buffer((Source) connection));
        byte[] target = new byte[Connection.CHUNK];
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int read = 0;
        for (int n = body.read(target); n >= 0; n = body.read(target)) {
            read += n;
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(read).isEqualTo(10_000 * Connection.CHUNK);
        assertThat(allocated / 10_000).as("bytes allocated a chunk").isLessThan(500);
    }

    /**
     * Chunks that come out of the buffer of a connection, as OkHttp's are: several were read from the network at once.
     */
    private static final class Connection implements Source {
        static final int CHUNK = 1500;

        private final Buffer buffer = new Buffer();
        private final byte[] network = new byte[4 * CHUNK];
        private int left;

        Connection(int chunks) {
            this.left = chunks;
        }

        @Override
        public long read(Buffer sink, long byteCount) {
            if (left-- == 0) {
                return -1;
            }
            if (buffer.exhausted()) {
                buffer.write(network);
            }
            return buffer.read(sink, Math.min(byteCount, CHUNK));
        }

        @Override
        public Timeout timeout() {
            return Timeout.NONE;
        }

        @Override
        public void close() {}
    }
}
