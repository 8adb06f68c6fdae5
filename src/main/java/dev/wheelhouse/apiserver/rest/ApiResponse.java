package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** An answer, of whatever transport. */
public sealed interface ApiResponse {
    /**
     * A complete answer.
     *
     * @param warnings for the Warning header, of which there is room for {@link Warnings so many}
     * @param retryAfter seconds for the Retry-After header, or null
     * @param headers more headers, over the transport's own
     */
    record Content(int code, String contentType, byte[] body, List<String> warnings, @Nullable Integer retryAfter,
            Map<String, String> headers) implements ApiResponse {

        public Content {
            warnings = Warnings.bounded(warnings);
        }

        /** An answer without more headers. */
        public Content(int code, String contentType, byte[] body, List<String> warnings,
                @Nullable Integer retryAfter) {
            this(code, contentType, body, warnings, retryAfter, Map.of());
        }
    }

    /** A watch. Who takes it must close it. */
    record Stream(String contentType, WatchFeed feed) implements ApiResponse {
        static final String PROTOBUF = ProtobufBodies.MEDIA_TYPE + ";stream=watch";

        /** Whether it is JSON. */
        public boolean isText() {
            return !contentType.equals(PROTOBUF);
        }

        /** An event as it goes over the wire: a line of JSON, or a protobuf message after its length. */
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
