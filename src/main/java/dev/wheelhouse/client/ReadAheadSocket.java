package dev.wheelhouse.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * A connection that reads as much as there is, up to a bound, where its user asks for a few kilobytes. A thread that has work
 * to hand on before it waits can have itself told: so what has come is handled in one piece, and nothing waits for what has not.
 */
final class ReadAheadSocket extends Socket {
    private static final ThreadLocal<BeforeReading> BEFORE_READING = new ThreadLocal<>();

    private @Nullable InputStream ahead;

    /** What its thread does whenever it is about to read from the network, and perhaps to wait for it. */
    static final class BeforeReading implements AutoCloseable {
        private final Runnable action;
        private boolean known;

        /** Begins it for this thread. */
        BeforeReading(Runnable action) {
            this.action = action;
            BEFORE_READING.set(this);
        }

        /** Does it unless this thread has been seen to read from such a connection, which does it when it is time. */
        void unlessReadingAhead() {
            if (!known) {
                action.run();
            }
        }

        private void run() {
            known = true;
            action.run();
        }

        @Override
        public void close() {
            BEFORE_READING.remove();
        }
    }

    /** Makes them. */
    static final class Factory extends SocketFactory {
        @Override
        public Socket createSocket() {
            return new ReadAheadSocket();
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return connected(new InetSocketAddress(host, port), null);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
            return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return connected(new InetSocketAddress(host, port), null);
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
                throws IOException {
            return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
        }

        private static Socket connected(InetSocketAddress server, @Nullable InetSocketAddress local)
                throws IOException {
            Socket socket = new ReadAheadSocket();
            try {
                if (local != null) {
                    socket.bind(local);
                }
                socket.connect(server);
                return socket;
            } catch (IOException | RuntimeException e) {
                socket.close();
                throw e;
            }
        }
    }

    @Override
    public synchronized InputStream getInputStream() throws IOException {
        InputStream in = ahead;
        if (in == null) {
            in = new ReadAhead(super.getInputStream());
            ahead = in;
        }
        return in;
    }

    /** The buffer is as large as the reads need it: a connection that is mostly quiet keeps a small one. */
    static final class ReadAhead extends InputStream {
        private static final int SMALLEST = 8 * 1024;
        private static final int LARGEST = 128 * 1024;
        private static final int SMALL_READS = 4;

        private final InputStream in;
        private byte[] buffer = new byte[SMALLEST];
        private int at;
        private int limit;
        private int smallReads;

        ReadAhead(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return at < limit || fill() ? buffer[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (at == limit && !fill()) {
                return -1;
            }
            int n = Math.min(length, limit - at);
            System.arraycopy(buffer, at, target, offset, n);
            at += n;
            return n;
        }

        private boolean fill() throws IOException {
            resize();
            BeforeReading action = BEFORE_READING.get();
            if (action != null) {
                action.run();
            }
            int n = in.read(buffer, 0, buffer.length);
            at = 0;
            limit = Math.max(0, n);
            return n > 0;
        }

        private void resize() {
            if (limit == buffer.length && buffer.length < LARGEST) {
                buffer = new byte[buffer.length * 2];
                smallReads = 0;
            } else if (limit > buffer.length / 4) {
                smallReads = 0;
            } else if (++smallReads > SMALL_READS && buffer.length > SMALLEST) {
                buffer = new byte[buffer.length / 2];
                smallReads = 0;
            }
        }

        @Override
        public int available() throws IOException {
            return limit - at + in.available();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
