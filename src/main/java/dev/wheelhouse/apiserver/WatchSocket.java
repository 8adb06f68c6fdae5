package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.runtime.WebSocketFrames;

/**
 * A watch over a WebSocket, which some clients try first. Each event is one message. Messages from the client are read
 * only to answer pings and to notice the end (upstream: {@code apiserver/pkg/endpoints/handlers/watch.go}; RFC 6455).
 * The connection's thread writes, a second virtual thread reads. Public because Tomcat creates it.
 */
public final class WatchSocket implements HttpUpgradeHandler {
    /** The longest frame of a client, in bytes. Clients send control frames only. */
    private static final int MOST_BYTES = 125;
    /** The pause after each message, because a virtual thread keeps its carrier as long as its client sends. */
    private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(1);

    private ApiResponse.@Nullable Stream stream;
    private ApiProtocol.@Nullable Connection client;
    private long checkNanos;
    private Duration writeTimeout = Duration.ZERO;

    /** Whether a request asks for a WebSocket. */
    static boolean isAskedForBy(HttpServletRequest request) {
        String connection = request.getHeader("Connection");
        return "websocket".equalsIgnoreCase(request.getHeader("Upgrade")) && connection != null
                && connection.toLowerCase(Locale.ROOT).contains("upgrade")
                && request.getHeader("Sec-WebSocket-Key") != null;
    }

    /**
     * Accepts the request. The watch is served after the caller has returned from the servlet.
     *
     * @param checkNanos the longest wait for an event before the end of the watch is checked
     * @param writeTimeout how long the client may read nothing of what is sent
     */
    static void accept(HttpServletRequest request, HttpServletResponse response, ApiResponse.Stream stream,
            long checkNanos, Duration writeTimeout) throws IOException {
        response.setStatus(HttpServletResponse.SC_SWITCHING_PROTOCOLS);
        response.setHeader("Upgrade", "websocket");
        response.setHeader("Connection", "Upgrade");
        response.setHeader("Sec-WebSocket-Accept", WebSocketFrames.answer(request.getHeader("Sec-WebSocket-Key")));
        try {
            WatchSocket socket = request.upgrade(WatchSocket.class);
            socket.stream = stream;
            socket.checkNanos = checkNanos;
            socket.writeTimeout = writeTimeout;
            socket.client = ApiProtocol.current();
        } catch (ServletException e) {
            throw new IOException("a watch could not be moved to a WebSocket", e);
        }
    }

    @Override
    public void init(WebConnection connection) {
        ApiResponse.Stream served = Objects.requireNonNull(stream, "the watch was not accepted");
        if (client != null) {
            client.keepAlive();
            client.limitWrites(writeTimeout);
        }
        try (connection; WatchFeed feed = served.feed()) {
            WebSocketFrames frames = new WebSocketFrames(connection.getInputStream(), connection.getOutputStream(),
                    MOST_BYTES);
            Thread.ofVirtual().name("apiserver-watch-socket").start(() -> read(frames, feed));
            write(served, feed, frames);
        } catch (IOException e) {
            // The client is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("a watch's connection could not be closed", e);
        }
    }

    private void write(ApiResponse.Stream served, WatchFeed feed, WebSocketFrames frames)
            throws IOException, InterruptedException {
        int kind = served.isText() ? WebSocketFrames.TEXT : WebSocketFrames.BINARY;
        while (true) {
            boolean ended = feed.isEnded();
            for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                byte[] message = served.frame(event);
                frames.send(kind, -1, message, message.length);
            }
            if (ended) {
                frames.close();
                return;
            }
            feed.await(checkNanos);
        }
    }

    private void read(WebSocketFrames frames, WatchFeed feed) {
        try (feed) {
            while (!feed.isEnded()) {
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
            // The client is gone or violates the protocol; the watch ends in either case.
        }
    }

    @Override
    public void destroy() {
        ApiResponse.Stream served = stream;
        if (served != null) {
            served.feed().close();
        }
    }
}
