package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.WatchEvent;

/**
 * Reads the events of one watch in protobuf: each is its length in four bytes, then a message with the type of the
 * event and the object in its envelope (upstream: {@code apimachinery/pkg/util/framer}). Not thread safe.
 */
final class WireWatchReader<T extends KubernetesObject> implements WatchReader<T> {
    private static final int TYPE = 1;
    private static final int OBJECT = 2;
    private static final int RAW = 1;

    private final ObjectDecoder<T> decoder;
    private final Function<ObjectKey, @Nullable T> cache;
    private final WatchEvents<T> events;
    private final WireStream stream;

    WireWatchReader(String tried, InputStream body, Runnable beforeRead, ObjectDecoder<T> decoder,
            Function<ObjectKey, @Nullable T> cache) {
        this.events = new WatchEvents<>(tried, decoder);
        this.decoder = decoder;
        this.cache = cache;
        this.stream = new WireStream(body, beforeRead);
    }

    @Override
    public long bytesRead() {
        return stream.bytesRead();
    }

    @Override
    public @Nullable WatchEvent<T> next() throws IOException {
        if (!stream.has(Integer.BYTES)) {
            return null;
        }
        int length = stream.bigEndian();
        if (length >= 0 && length <= AnswerLimits.MOST_BYTES && !stream.has(length)) {
            return null;
        }
        WireCursor frame = stream.take(length);
        try {
            return event(frame);
        } catch (WireException e) {
            return events.undecodable(e.field(), "the event is no protobuf message: " + e.problem());
        }
    }

    private WatchEvent<T> event(WireCursor in) {
        String type = "";
        int from = -1;
        int to = -1;
        while (in.at < in.end) {
            int tag = in.tag(in.end);
            switch (tag >>> 3) {
                case TYPE -> type = in.text(in.delimited(tag, in.end));
                case OBJECT -> {
                    int end = in.delimited(tag, in.end);
                    to = in.enter(RAW, end);
                    from = in.at;
                    in.at = end;
                }
                default -> in.skip(tag, in.end);
            }
        }
        if (to < 0) {
            return events.undecodable("object", "the event of type \"" + type + "\" has none");
        }
        WireEnvelope envelope = WireEnvelope.of(in.bytes, from, to);
        return switch (type) {
            case "BOOKMARK" -> bookmark(decoder.wireMetadata(envelope.cursor(in.bytes)));
            case "ERROR" -> new WatchEvent.Failed<>(Statuses.error(events.tried(), 0, null, envelope.cursor(in.bytes)));
            default -> events.changed(type, failed -> decoder.decodeWire(in.bytes, envelope, cache, failed));
        };
    }

    private WatchEvent<T> bookmark(V1ObjectMeta meta) {
        Map<String, String> annotations = meta.getAnnotations();
        return events.bookmark(meta.getResourceVersion(),
                annotations == null ? null : annotations.get(WatchEvents.INITIAL_EVENTS_END));
    }
}
