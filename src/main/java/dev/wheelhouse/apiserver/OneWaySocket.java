package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.WebSocketFrames;

/**
 * A WebSocket on which only the server says something: a watch or a log. Messages from the client are read only to
 * answer pings and to notice the end (RFC 6455). The connection's thread writes, a second virtual thread reads. Public
 * because Tomcat creates it.
 */
public final class OneWaySocket implements HttpUpgradeHandler {
    /** The longest frame of a client, in bytes. Clients send control frames only. */
    private static final int MOST_BYTES = 125;
    /** The pause after each message, because a virtual thread keeps its carrier as long as its client sends. */
    private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(1);

    private @Nullable Source source;
    private ApiProtocol.@Nullable Connection client;
    private Duration writeTimeout = Duration.ZERO;
    private volatile boolean ended;

    /** The messages of a socket. */
    interface Source extends AutoCloseable {
        /** Sends all messages. @param gone whether nobody reads them any more */
        void send(WebSocketFrames to, BooleanSupplier gone) throws IOException, InterruptedException;

        /** Ends the messages, from any thread and more than once. */
        @Override
        default void close() {}
    }

    /** Whether a request asks for a WebSocket. */
    static boolean isAskedForBy(HttpServletRequest request) {
        String connection = request.getHeader("Connection");
        return "websocket".equalsIgnoreCase(request.getHeader("Upgrade")) && connection != null
                && connection.toLowerCase(Locale.ROOT).contains("upgrade")
                && request.getHeader("Sec-WebSocket-Key") != null;
    }

    /**
     * Accepts the request. The messages are sent after the caller has returned from the servlet.
     *
     * @param protocol the subprotocol; empty for none
     * @param writeTimeout how long the client may read nothing of what is sent
     */
    static void accept(HttpServletRequest request, HttpServletResponse response, String protocol, Source source,
            Duration writeTimeout) throws IOException {
        response.setStatus(HttpServletResponse.SC_SWITCHING_PROTOCOLS);
        response.setHeader("Upgrade", "websocket");
        response.setHeader("Connection", "Upgrade");
        response.setHeader("Sec-WebSocket-Accept", WebSocketFrames.answer(request.getHeader("Sec-WebSocket-Key")));
        if (!protocol.isEmpty()) {
            response.setHeader("Sec-WebSocket-Protocol", protocol);
        }
        try {
            OneWaySocket socket = request.upgrade(OneWaySocket.class);
            socket.source = source;
            socket.writeTimeout = writeTimeout;
            socket.client = ApiProtocol.current();
        } catch (ServletException e) {
            throw new IOException("an answer could not be moved to a WebSocket", e);
        }
    }

    @Override
    public void init(WebConnection connection) {
        Source served = Objects.requireNonNull(source, "the request was not accepted");
        if (client != null) {
            client.keepAlive();
            client.limitWrites(writeTimeout);
        }
        try (connection; served) {
            WebSocketFrames frames = new WebSocketFrames(connection.getInputStream(), connection.getOutputStream(),
                    MOST_BYTES);
            Thread.ofVirtual().name("apiserver-socket").start(() -> read(frames, served));
            served.send(frames, () -> ended);
            frames.close();
        } catch (IOException e) {
            // The client is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("a WebSocket could not be closed", e);
        } finally {
            ended = true;
        }
    }

    private void read(WebSocketFrames frames, Source served) {
        try (served) {
            while (!ended) {
                try {
                    if (frames.read() == null) {
                        return;
                    }
                } catch (SocketTimeoutException e) {
                    continue;
                }
                LockSupport.parkNanos(this, BETWEEN_MESSAGES.toNanos());
            }
        } catch (IOException e) {
            // The client is gone or violates the protocol; the messages end in either case.
        } finally {
            ended = true;
        }
    }

    @Override
    public void destroy() {
        Source served = source;
        if (served != null) {
            served.close();
        }
    }
}
