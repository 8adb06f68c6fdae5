package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

import org.apache.catalina.connector.Connector;
import org.apache.coyote.Adapter;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.AbstractEndpoint;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

import jdk.net.ExtendedSocketOptions;

/**
 * Tomcat's HTTP/1.1 with additions that a server of long watches needs: a deadline for all headers together, not only
 * from one byte to the next; a check whether the client of a quiet watch is still there; a count of connections; and
 * {@link ReasonPhrases}. It is the only class that builds on the internals of Tomcat's connector.
 */
class ApiProtocol extends Http11NioProtocol {
    private static final ThreadLocal<Connection> CURRENT = new ThreadLocal<>();

    private final Duration headerDeadline;
    private final Connections connections;
    private final Connector connector;

    ApiProtocol(Clock clock, Duration headerDeadline, Connections connections) {
        super(new CountedEndpoint(clock, connections, headerDeadline));
        this.headerDeadline = headerDeadline;
        this.connections = connections;
        getEndpoint().setHandler(new CountedHandler(getEndpoint().getHandler(), connections));
        this.connector = new Connector(this);
    }

    /** The connector that speaks this protocol. */
    Connector connector() {
        return connector;
    }

    /** Answers the requests of a processor. */
    Adapter adapter() {
        return new BoundedPaths(connector);
    }

    /** Registers each connection that is accepted. */
    private static final class CountedEndpoint extends NioEndpoint {
        private final Clock clock;
        private final Connections counted;
        private final Duration headerDeadline;

        CountedEndpoint(Clock clock, Connections counted, Duration headerDeadline) {
            this.clock = clock;
            this.counted = counted;
            this.headerDeadline = headerDeadline;
        }

        @Override
        protected NioChannel createChannel(SocketBufferHandler buffers) {
            return isSSLEnabled() ? new TlsChannel(buffers) : super.createChannel(buffers);
        }

        /**
         * Ends a connection whose handshake lasts too long, or whose client sends TLS records without data, such as
         * updates of keys, which cost more to read than to send.
         */
        private final class TlsChannel extends SecureNioChannel {
            /** The most of one read that counts. The thread may have been stopped meanwhile. */
            private static final long MOST_OF_READ = 5_000_000;
            private static final long MOST_WITHOUT_DATA = 50 * MOST_OF_READ;
            /** The time that a read with data may take, and for each byte of it. */
            private static final long ALLOWED = 100_000;
            private static final long ALLOWED_PER_BYTE = 100;
            /** The time of all reads beyond what was allowed for their data, in nanoseconds. */
            private long withoutData;

            TlsChannel(SocketBufferHandler buffers) {
                super(buffers, CountedEndpoint.this);
            }

            @Override
            public void reset(SocketChannel socket, NioSocketWrapper wrapper) throws IOException {
                withoutData = 0;
                super.reset(socket, wrapper);
            }

            @Override
            public int handshake(boolean read, boolean write) throws IOException {
                Connections.Peer peer = counted.peer(getIOChannel());
                if (peer != null && peer.isOverdue(headerDeadline)) {
                    throw new IOException("the handshake did not end within " + headerDeadline);
                }
                return super.handshake(read, write);
            }

            @Override
            public int read(ByteBuffer to) throws IOException {
                long began = clock.nanoTime();
                int read = super.read(to);
                long allowed = read > 0 ? ALLOWED + ALLOWED_PER_BYTE * read : 0;
                withoutData = Math.max(0, withoutData + Math.min(MOST_OF_READ, clock.nanoTime() - began) - allowed);
                if (withoutData > MOST_WITHOUT_DATA) {
                    throw new IOException("the client sends TLS records without data");
                }
                return read;
            }
        }

        @Override
        protected boolean setSocketOptions(SocketChannel socket) {
            // First, because the call below passes the connection on to other threads.
            counted.opened(socket, () -> end(socket));
            if (super.setSocketOptions(socket)) {
                return true;
            }
            counted.closed(socket);
            return false;
        }

        /** Ends both directions: a thread that waits for its client to read does not notice the end of input. */
        private static void end(SocketChannel socket) {
            endInput(socket);
            try {
                socket.shutdownOutput();
            } catch (IOException e) {
                // The connection is already closed.
            }
        }

        /** Ends the input: the thread that waits for the client's next byte reads the end and closes the connection. */
        private static void endInput(SocketChannel socket) {
            try {
                socket.shutdownInput();
            } catch (IOException e) {
                // The connection is already closed.
            }
        }
    }

    /** Records when a request begins and ends on a connection, and when a connection is closed. */
    private record CountedHandler(AbstractEndpoint.Handler<NioChannel> next, Connections counted)
            implements
                AbstractEndpoint.Handler<NioChannel> {
        @Override
        public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
            Connections.Peer peer = counted.peer(socket.getSocket().getIOChannel());
            if (peer == null) {
                return next.process(socket, event);
            }
            peer.requestBegins();
            SocketState state = next.process(socket, event);
            switch (state) {
                case OPEN -> peer.becomeIdle();
                case LONG, SENDFILE -> {
                    // The headers are incomplete.
                }
                default -> peer.requestReceived();
            }
            return state;
        }

        @Override
        public Object getGlobal() {
            return next.getGlobal();
        }

        @Override
        public void release(SocketWrapperBase<NioChannel> socket) {
            counted.closed(socket.getSocket().getIOChannel());
            next.release(socket);
        }

        @Override
        public void pause() {
            next.pause();
        }

        @Override
        public void recycle() {
            next.recycle();
        }
    }

    /** The connection of the request that this thread answers; null where there is none. */
    static @Nullable Connection current() {
        return CURRENT.get();
    }

    @Override
    protected Processor createProcessor() {
        Http11Processor processor = new Http11Processor(this, adapter()) {
            @Override
            public SocketState service(SocketWrapperBase<?> socket) throws IOException {
                Connections.Peer peer = connections.peer(channel(socket));
                CURRENT.set(new Connection(socket, peer));
                SocketState state;
                try {
                    state = super.service(socket);
                } finally {
                    CURRENT.remove();
                }
                // A stream that is answered asynchronously is no head.
                boolean incomplete = state == SocketState.LONG && !isAsync();
                if (peer != null) {
                    peer.inHead(incomplete);
                }
                return incomplete && peer != null && peer.isOverdue(headerDeadline) ? SocketState.CLOSED : state;
            }
        };
        ReasonPhrases.addTo(processor, getMaxHttpResponseHeaderSize());
        return processor;
    }

    private static @Nullable Object channel(SocketWrapperBase<?> socket) {
        return socket.getSocket() instanceof NioChannel channel ? channel.getIOChannel() : null;
    }

    /**
     * A client's connection, as the thread that answers a request on it sees it.
     *
     * @param peer the connection in the server's count; null if it is closed
     */
    record Connection(SocketWrapperBase<?> socket, Connections.@Nullable Peer peer) {
        private static final int IDLE_SECONDS = 30;
        private static final int INTERVAL_SECONDS = 10;
        private static final int PROBES = 3;

        /** Ends the input from the client. Answers that were written are still sent. */
        void endInput() {
            if (socket.getSocket() instanceof NioChannel channel) {
                CountedEndpoint.endInput(channel.getIOChannel());
            }
        }

        /** Turns TCP keep-alive on: the operating system notices a vanished client within a minute. */
        void keepAlive() {
            if (!(socket.getSocket() instanceof NioChannel channel)) {
                return;
            }
            try {
                SocketChannel io = channel.getIOChannel();
                io.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                if (io.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
                    io.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
                    io.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS);
                    io.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
                }
            } catch (IOException e) {
                // The next isGone() notices it.
            }
        }

        /** Ends each write of which the client reads nothing for a time. After an upgrade, Tomcat limits no write. */
        void limitWrites(Duration timeout) {
            socket.setWriteTimeout(timeout.toMillis());
        }

        /** Whether the client has closed the connection, or it is broken. Input is not consumed. */
        boolean isGone() {
            ByteBuffer probe = ByteBuffer.allocate(1);
            try {
                int read = socket.read(false, probe);
                if (read > 0) {
                    probe.flip();
                    socket.unRead(probe);
                }
                return read < 0;
            } catch (IOException e) {
                return true;
            }
        }
    }
}
