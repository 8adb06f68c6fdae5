package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.AbstractEndpoint;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

import jdk.net.ExtendedSocketOptions;

/**
 * HTTP/1.1 with additions to Tomcat's for a server of long watches: a deadline for all headers together, a check
 * whether the client of a quiet answer is still connected, reason phrases, and events for {@link Connections}.
 */
final class ApiProtocol extends Http11NioProtocol {
    private static final ThreadLocal<Connection> CURRENT = new ThreadLocal<>();

    private final Clock clock;
    private final Duration headerDeadline;

    private final Connections connections;

    ApiProtocol(Clock clock, Duration headerDeadline, Connections connections) {
        super(new CountedEndpoint(connections));
        this.clock = clock;
        this.headerDeadline = headerDeadline;
        this.connections = connections;
        getEndpoint().setHandler(new CountedHandler(getEndpoint().getHandler(), connections));
    }

    /** Reports accepted connections. */
    private static final class CountedEndpoint extends NioEndpoint {
        private final Connections counted;

        CountedEndpoint(Connections counted) {
            this.counted = counted;
        }

        @Override
        protected boolean setSocketOptions(SocketChannel socket) {
            // This precedes super, because other threads may serve the whole connection before it returns.
            counted.opened(socket, () -> endInput(socket));
            if (super.setSocketOptions(socket)) {
                return true;
            }
            counted.closed(socket);
            return false;
        }

        /** Makes the thread that waits for the client's next byte read the end of input and close the connection. */
        private static void endInput(SocketChannel socket) {
            try {
                socket.shutdownInput();
            } catch (IOException e) {
                // The socket is closed.
            }
        }
    }

    /** Reports when a connection begins or ends a request, and when it closes. */
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
                    // A part of the head was received.
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

    /** The connection whose request this thread answers; null if there is none. */
    static @Nullable Connection current() {
        return CURRENT.get();
    }

    @Override
    protected Processor createProcessor() {
        Http11Processor processor = new Http11Processor(this, getAdapter()) {
            private @Nullable SocketWrapperBase<?> incomplete;
            private long deadline;

            @Override
            public SocketState service(SocketWrapperBase<?> socket) throws IOException {
                CURRENT.set(new Connection(socket, connections.peer(channel(socket))));
                SocketState state;
                try {
                    state = super.service(socket);
                } finally {
                    CURRENT.remove();
                }
                return state == SocketState.LONG && isTooSlow(socket) ? SocketState.CLOSED : state;
            }

            /** Whether the headers, which are incomplete, are overdue. */
            private boolean isTooSlow(SocketWrapperBase<?> socket) {
                if (incomplete != socket) {
                    incomplete = socket;
                    deadline = clock.deadline(headerDeadline);
                }
                return clock.nanoTime() - deadline > 0;
            }
        };
        ReasonPhrases.addTo(processor, getMaxHttpResponseHeaderSize());
        return processor;
    }

    private static @Nullable Object channel(SocketWrapperBase<?> socket) {
        return socket.getSocket() instanceof NioChannel channel ? channel.getIOChannel() : null;
    }

    /** A client's connection, as the thread that serves it sees it. */
    static final class Connection {
        private static final int IDLE_SECONDS = 30;
        private static final int INTERVAL_SECONDS = 10;
        private static final int PROBES = 3;

        private final SocketWrapperBase<?> socket;

        private final Connections.@Nullable Peer peer;

        private Connection(SocketWrapperBase<?> socket, Connections.@Nullable Peer peer) {
            this.socket = socket;
            this.peer = peer;
        }

        /** The connection's state in {@link Connections}; null if it is closed. */
        Connections.@Nullable Peer peer() {
            return peer;
        }

        /** Ends the input from the client. Answers that were written are still sent. */
        void endInput() {
            if (socket.getSocket() instanceof NioChannel channel) {
                CountedEndpoint.endInput(channel.getIOChannel());
            }
        }

        /** Turns on TCP keep-alive, which finds out within a minute that the client's machine is gone. */
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
                // The connection is closed, which the next read or write reports.
            }
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
