package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

import okhttp3.Connection;
import okhttp3.Protocol;

/**
 * A socket that reads as many bytes as are there, up to a bound, where OkHttp asks for a few kilobytes. A thread that
 * reads a watch from this socket can register an action that runs before each read of the network: the watch hands on
 * the events of one read together, and hands them on before the thread waits.
 */
final class ReadAheadSocket extends Socket {
    private final Map<Ends, ReadAheadSocket> connected;
    private final AtomicReference<@Nullable BeforeRead> beforeRead = new AtomicReference<>();
    private @Nullable Ends ends;
    private @Nullable InputStream ahead;

    private ReadAheadSocket(Map<Ends, ReadAheadSocket> connected) {
        this.connected = connected;
    }

    /** The addresses of both ends; they identify a connection. */
    private record Ends(SocketAddress local, SocketAddress remote) {
        static Ends of(Socket socket) {
            return new Ends(socket.getLocalSocketAddress(), socket.getRemoteSocketAddress());
        }
    }

    /**
     * An action that runs whenever one thread is about to read from the network, until this is closed. OkHttp may give
     * the connection to another request before that, so reads by other threads do not run the action.
     */
    final class BeforeRead implements AutoCloseable {
        private final Thread reader = Thread.currentThread();
        private final Runnable action;
        private final @Nullable Runnable wait;

        private BeforeRead(Runnable action, @Nullable Runnable wait) {
            this.action = action;
            this.wait = wait;
        }

        private void run(InputStream in) throws IOException {
            if (Thread.currentThread().equals(reader)) {
                action.run();
                if (wait != null && in.available() == 0) {
                    wait.run();
                }
            }
        }

        @Override
        public void close() {
            beforeRead.compareAndSet(this, null);
        }
    }

    /**
     * Runs an action before each read of the network by the calling thread.
     *
     * @param wait runs after the action if no bytes are there; null for nothing
     */
    BeforeRead beforeRead(Runnable action, @Nullable Runnable wait) {
        BeforeRead made = new BeforeRead(action, wait);
        beforeRead.set(made);
        return made;
    }

    /** Makes the sockets of one client. Thread safe. */
    static final class Factory extends SocketFactory {
        private final Map<Ends, ReadAheadSocket> connected = new ConcurrentHashMap<>();

        /**
         * The socket of a connection, below TLS if there is any. Null for HTTP/2, where another thread reads for all
         * requests of the connection, and for a socket that this factory did not make.
         */
        @Nullable
        ReadAheadSocket of(Connection connection) {
            return connection.protocol() == Protocol.HTTP_1_1 ? connected.get(Ends.of(connection.socket())) : null;
        }

        @Override
        public Socket createSocket() {
            return new ReadAheadSocket(connected);
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
            throw unsupported();
        }

        private static UnsupportedOperationException unsupported() {
            return new UnsupportedOperationException("this factory makes unconnected sockets: OkHttp connects them");
        }
    }

    @Override
    public void connect(SocketAddress server, int timeout) throws IOException {
        super.connect(server, timeout);
        Ends known = Ends.of(this);
        ends = known;
        connected.put(known, this);
        if (isClosed()) {
            connected.remove(known, this);
        }
    }

    @Override
    public void close() throws IOException {
        Ends known = ends;
        if (known != null) {
            connected.remove(known, this);
        }
        super.close();
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

    /** A stream whose buffer grows and shrinks with the reads, so that a mostly quiet connection has a small one. */
    private final class ReadAhead extends InputStream {
        private static final int SMALLEST = 8 * 1024;
        private static final int LARGEST = 128 * 1024;
        /** The buffer shrinks after more small reads in a row. */
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
            BeforeRead action = beforeRead.get();
            if (action != null) {
                action.run(in);
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
