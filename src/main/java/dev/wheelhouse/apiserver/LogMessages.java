package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.WebSocketFrames;

/**
 * A log as the messages of a WebSocket, after an empty one (upstream:
 * {@code streaming/pkg/httpstream/wsstream/stream.go}).
 */
final class LogMessages implements OneWaySocket.Source {
    private static final String BASE64 = "base64.binary.k8s.io";
    static final List<String> PROTOCOLS = List.of("binary.k8s.io", BASE64);

    private final boolean base64;
    private final Log log;
    private final Runnable end;
    private volatile boolean ended;

    /** Writes a log until it ends or nobody reads it any more. */
    interface Log {
        void writeTo(OutputStream out, BooleanSupplier gone) throws IOException;
    }

    /** @param end lets the log end, besides the question whether somebody reads it */
    LogMessages(String protocol, Log log, Runnable end) {
        this.base64 = protocol.equals(BASE64);
        this.log = log;
        this.end = end;
    }

    /** The protocol to speak, which is empty if the client names none; null if it names others only. */
    static @Nullable String protocol(HttpServletRequest request) {
        List<String> asked = Collections.list(request.getHeaders("Sec-WebSocket-Protocol")).stream()
                .flatMap(line -> Stream.of(line.split(","))).map(String::strip)
                .filter(name -> !name.isEmpty() && !name.startsWith(Backend.TOKEN_PROTOCOL)).toList();
        return asked.isEmpty() ? "" : asked.stream().filter(PROTOCOLS::contains).findFirst().orElse(null);
    }

    @Override
    public void send(WebSocketFrames to) throws IOException {
        message(to, new byte[0]);
        log.writeTo(new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                message(to, new byte[]{(byte) one});
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                byte[] message = new byte[length];
                System.arraycopy(bytes, offset, message, 0, length);
                message(to, message);
            }
        }, () -> ended);
    }

    private void message(WebSocketFrames to, byte[] bytes) throws IOException {
        byte[] sent = base64 ? Base64.getEncoder().encode(bytes) : bytes;
        to.send(base64 ? WebSocketFrames.TEXT : WebSocketFrames.BINARY, -1, sent, sent.length);
    }

    @Override
    public void close() {
        ended = true;
        end.run();
    }
}
