package dev.wheelhouse.apiserver.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.codec.Pieces;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.ProtobufWriter;

/** An answer, independent of the transport. */
public sealed interface ApiResponse {
    /** A complete answer in plain text. */
    static Content text(int code, String text) {
        return new Content(code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), List.of(), null);
    }

    /**
     * A complete answer.
     *
     * @param warnings for Warning headers; bounded as {@link Warnings} says
     * @param retryAfter seconds for the Retry-After header, or null
     * @param headers further headers, which override the transport's own
     * @param pieces the body in pieces; null if {@code body} is the body
     * @param line whether a newline follows the body on the wire, as Go's encoder of JSON writes one
     * @param live how a transport with connections goes on; null for an answer that ends with its body
     */
    record Content(int code, String contentType, byte[] body, List<String> warnings, @Nullable Integer retryAfter,
            Map<String, String> headers, @Nullable Pieces pieces, boolean line, @Nullable Live live)
            implements
                ApiResponse {
        private static final byte[] NOTHING = {};

        public Content {
            warnings = Warnings.bounded(warnings);
        }

        /** An answer without further headers. */
        public Content(int code, String contentType, byte[] body, List<String> warnings, @Nullable Integer retryAfter) {
            this(code, contentType, body, warnings, retryAfter, Map.of(), null, false, null);
        }

        /** An answer with further headers. */
        public Content(int code, String contentType, byte[] body, List<String> warnings, @Nullable Integer retryAfter,
                Map<String, String> headers) {
            this(code, contentType, body, warnings, retryAfter, headers, null, false, null);
        }

        static Content ofPieces(String contentType, Pieces pieces) {
            return new Content(200, contentType, NOTHING, List.of(), null, Map.of(), pieces, false, null);
        }

        /** An answer of compact JSON. */
        public static Content json(int code, String contentType, byte[] json, @Nullable Integer retryAfter) {
            return new Content(code, contentType, json, List.of(), retryAfter, Map.of(), null, true, null);
        }

        public Content withWarnings(List<String> all) {
            return all.isEmpty()
                    ? this
                    : new Content(code, contentType, body, all, retryAfter, headers, pieces, line, live);
        }

        /** @param seconds for the Retry-After header */
        public Content withRetryAfter(int seconds) {
            return new Content(code, contentType, body, warnings, seconds, headers, pieces, line, live);
        }

        /** The answer of a transport with connections; a transport without them sends this answer as it is. */
        public Content withLive(Live further) {
            return new Content(code, contentType, body, warnings, retryAfter, headers, pieces, line, further);
        }

        /** The whole body in one array. Transports call {@link #writeTo} instead, because a list may be large. */
        @Override
        public byte[] body() {
            return pieces == null ? body : pieces.toBytes();
        }

        /** Notes the answer in the audit log. */
        public void audit() {
            AuditEvent.answers(code, contentType, line || pieces != null, length(), this::body);
        }

        /** The length of the body on the wire in bytes. */
        public long length() {
            return (pieces == null ? body.length : pieces.length()) + (line ? 1 : 0);
        }

        public void writeTo(OutputStream out) throws IOException {
            if (pieces == null) {
                out.write(body);
            } else {
                pieces.writeTo(out);
            }
            if (line) {
                out.write('\n');
            }
        }
    }

    /** How a transport with connections goes on with an answer. */
    sealed interface Live {
        /** Whom a request is passed on to, and how these connections are made. */
        sealed interface Server {
            /** A kubelet, which is shown who this server is. */
            record Kubelet() implements Server {}

            /** A server of any kind, to which this one shows nothing. */
            record Program(boolean tls) implements Server {}

            /**
             * A server that extends this one, and gets the headers and the query of the request, too.
             *
             * @param tls has this server's certificate, and the authorities that it trusts
             * @param name by which that server is called
             * @param verified whether its certificate has to be for the name
             * @param headers say for whom the request is, with values in Latin-1
             */
            record Extension(SSLContext tls, String name, boolean verified, Map<String, List<String>> headers)
                    implements
                        Server {}
        }

        /**
         * Another server answers. If the request asks to switch protocols and that server does, bytes go in both
         * directions until one side ends.
         *
         * @param path encoded, with a query if it has its own
         * @param proxy the encoded path below which this server shows the other one; the headers and the query of the
         *        request are passed on, too, and links in the answer are made to lead here. Empty if the path
         *        is this server's own, as that of logs
         * @param body of the request
         * @param failureCode of the answer if that server cannot be reached
         * @param failure the beginning of that answer's message
         */
        record Forward(Server server, String host, int port, String path, String proxy, byte[] body, int failureCode,
                String failure) implements Live {
            /** The host and the port, as in a URL. */
            public String authority() {
                return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
            }

            public boolean isProxied() {
                return !proxy.isEmpty();
            }

            public boolean isLog() {
                return !isProxied() && path.startsWith("/containerLogs/");
            }
        }

        /** Sends requests of this server itself. */
        interface Caller {
            /**
             * Sends a GET.
             *
             * @param within the time for the whole answer
             * @throws IOException if there is none, with the reason in the words of Go
             */
            Content get(Forward to, Duration within) throws IOException;
        }

        /**
         * The body goes on until its source has ended.
         *
         * @param next is asked now and then for what comes next; null at the end
         */
        record Follow(Supplier<byte @Nullable []> next) implements Live {}
    }

    /** A watch. The receiver must close the feed. */
    record Stream(String contentType, WatchFeed feed) implements ApiResponse {
        public static final String PROTOBUF = ProtobufBodies.MEDIA_TYPE + ";stream=watch";

        /** Whether the events are JSON, else protobuf. */
        public boolean isText() {
            return !contentType.equals(PROTOBUF);
        }

        /** Encodes an event for the wire: a line of JSON, or a protobuf message after its length. */
        public byte[] frame(WatchFeed.Event event) {
            if (!isText()) {
                return ProtobufWriter.frame(event.type(), event.object());
            }
            byte[] head = ("{\"type\":\"" + event.type() + "\",\"object\":").getBytes(StandardCharsets.UTF_8);
            byte[] line = new byte[head.length + event.object().length + 2];
            System.arraycopy(head, 0, line, 0, head.length);
            System.arraycopy(event.object(), 0, line, head.length, event.object().length);
            line[line.length - 2] = '}';
            line[line.length - 1] = '\n';
            return line;
        }
    }
}
