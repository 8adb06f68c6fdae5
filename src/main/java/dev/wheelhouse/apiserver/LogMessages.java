package dev.wheelhouse.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.wheelhouse.runtime.WebSocketFrames;

/**
 * A log as the messages of a WebSocket, after an empty one (upstream:
 * {@code streaming/pkg/httpstream/wsstream/stream.go}).
 */
record LogMessages(boolean base64, Log log) implements OneWaySocket.Source {
    private static final String BASE64 = "base64.binary.k8s.io";
    private static final List<String> PROTOCOLS = List.of("binary.k8s.io", BASE64);

    /** Writes a log until it ends or nobody reads it any more. Flushes each part. */
    interface Log {
        void writeTo(OutputStream out, BooleanSupplier gone) throws IOException;
    }

    /** Sends a log after the caller has returned from the servlet, or 403 if the client names other protocols only. */
    static void accept(HttpServletRequest request, HttpServletResponse response, Log log, Duration writeTimeout)
            throws IOException {
        List<String> asked = Collections.list(request.getHeaders("Sec-WebSocket-Protocol")).stream()
                .flatMap(line -> Stream.of(line.split(","))).map(String::strip)
                .filter(name -> !name.startsWith(Backend.TOKEN_PROTOCOL)).toList();
        String protocol = asked.stream().filter(PROTOCOLS::contains).findFirst().orElse("");
        if (protocol.isEmpty() && !asked.isEmpty()) {
            response.setHeader("Connection", "close");
            response.setStatus(HttpServletResponse.SC_FORBIDDEN);
            response.getOutputStream().print("the protocols are " + PROTOCOLS + "\n");
        } else {
            OneWaySocket.accept(request, response, protocol, new LogMessages(protocol.equals(BASE64), log),
                    writeTimeout);
        }
    }

    @Override
    public void send(WebSocketFrames to, BooleanSupplier gone) throws IOException {
        OutputStream out = new ByteArrayOutputStream() {
            @Override
            public void flush() throws IOException {
                byte[] message = base64 ? Base64.getEncoder().encode(toByteArray()) : toByteArray();
                to.send(base64 ? WebSocketFrames.TEXT : WebSocketFrames.BINARY, -1, message, message.length);
                reset();
            }
        };
        out.flush();
        log.writeTo(out, gone);
    }
}
