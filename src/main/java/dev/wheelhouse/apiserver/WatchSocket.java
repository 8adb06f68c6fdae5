package dev.wheelhouse.apiserver;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.runtime.Hashes;

/**
 * A watch over a WebSocket, which some clients try first. Each event is one message. Messages from the client are read
 * only to answer pings and to notice the end (upstream: {@code apiserver/pkg/endpoints/handlers/watch.go}; RFC 6455).
 * The connection's thread writes, a second virtual thread reads. Public because Tomcat creates it.
 */
public final class WatchSocket implements HttpUpgradeHandler {
    private static final String WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int LAST_FRAME = 0x80;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    /** The longest control frame, in bytes. Clients send no other frames. */
    private static final int MAX_MESSAGE = 125;
    private static final byte[] NORMAL_CLOSURE = {3, (byte) 232};
    /** The pause after each message, because a virtual thread keeps its carrier as long as its client sends. */
    private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(1);

    private final ReentrantLock writing = new ReentrantLock();
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
        response.setHeader("Sec-WebSocket-Accept", acceptKey(request.getHeader("Sec-WebSocket-Key").trim()));
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

    private static String acceptKey(String key) {
        byte[] hash = Hashes.of("SHA-1", (key + WEBSOCKET_GUID).getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(hash);
    }

    @Override
    public void init(WebConnection connection) {
        ApiResponse.Stream served = Objects.requireNonNull(stream, "the watch was not accepted");
        if (client != null) {
            client.keepAlive();
            client.limitWrites(writeTimeout);
        }
        try (connection; WatchFeed feed = served.feed()) {
            OutputStream out = connection.getOutputStream();
            DataInputStream in = new DataInputStream(connection.getInputStream());
            Thread.ofVirtual().name("apiserver-watch-socket").start(() -> read(in, out, feed));
            write(served, feed, out);
        } catch (IOException e) {
            // The client is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("a watch's connection could not be closed", e);
        }
    }

    private void write(ApiResponse.Stream served, WatchFeed feed, OutputStream out)
            throws IOException, InterruptedException {
        int opcode = served.isText() ? TEXT : BINARY;
        while (true) {
            boolean ended = feed.isEnded();
            for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                send(out, opcode, served.frame(event));
            }
            if (ended) {
                send(out, CLOSE, NORMAL_CLOSURE);
                return;
            }
            feed.await(checkNanos);
        }
    }

    private void send(OutputStream out, int opcode, byte[] payload) throws IOException {
        int length = payload.length;
        int lengthBytes = length <= MAX_MESSAGE ? 0 : length <= 0xffff ? 2 : 8;
        byte[] frame = new byte[2 + lengthBytes + length];
        frame[0] = (byte) (LAST_FRAME | opcode);
        frame[1] = (byte) (lengthBytes == 0 ? length : lengthBytes == 2 ? 126 : 127);
        for (int i = 0; i < lengthBytes; i++) {
            frame[2 + i] = (byte) ((long) length >>> (8 * (lengthBytes - 1 - i)));
        }
        System.arraycopy(payload, 0, frame, 2 + lengthBytes, length);
        writing.lock();
        try {
            out.write(frame);
            out.flush();
        } finally {
            writing.unlock();
        }
    }

    private void read(DataInputStream in, OutputStream out, WatchFeed feed) {
        try (feed) {
            while (!feed.isEnded()) {
                int first;
                try {
                    first = in.readUnsignedByte();
                } catch (SocketTimeoutException e) {
                    continue;
                }
                byte[] message = message(in);
                switch (first & 15) {
                    case CLOSE -> {
                        return;
                    }
                    case PING -> send(out, PONG, message);
                    default -> {
                        // A watch expects no messages.
                    }
                }
                LockSupport.parkNanos(this, BETWEEN_MESSAGES.toNanos());
            }
        } catch (IOException e) {
            // The client is gone or violates the protocol; the watch ends in either case.
        }
    }

    private static byte[] message(DataInputStream in) throws IOException {
        int length = in.readUnsignedByte();
        boolean masked = (length & 128) != 0;
        length &= 127;
        if (!masked || length > MAX_MESSAGE) {
            throw new EOFException("a message that is not masked, or too long");
        }
        byte[] mask = new byte[4];
        byte[] message = new byte[length];
        // readNBytes would end with a read of no bytes, which waits here.
        in.readFully(mask);
        in.readFully(message);
        for (int i = 0; i < message.length; i++) {
            message[i] ^= mask[i % 4];
        }
        return message;
    }

    @Override
    public void destroy() {
        ApiResponse.Stream served = stream;
        if (served != null) {
            served.feed().close();
        }
    }
}
