package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;

/**
 * Reads the events of one watch as they arrive. It finds the bytes of an event's object without making a tree of the
 * event, and decodes only these bytes. Made by {@link ObjectDecoder#readWatch}. Not thread safe.
 */
public final class WatchReader<T extends KubernetesObject> {
    private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

    private final String tried;
    private final WatchFrames frames;
    private final ObjectDecoder<T> decoder;
    private final List<Change<T>> changes = List.of(new Change<>("MODIFIED", WatchEvent.Modified::new),
            new Change<>("ADDED", WatchEvent.Added::new), new Change<>("DELETED", WatchEvent.Deleted::new));

    WatchReader(String tried, InputStream body, Runnable beforeRead, ObjectDecoder<T> decoder) {
        this.tried = tried;
        this.frames = new WatchFrames(body, beforeRead);
        this.decoder = decoder;
    }

    /**
     * Reads the next event; null at the end of the stream. A last event without a line end counts if it decodes;
     * otherwise the stream was cut within that event.
     *
     * @throws IOException if the stream breaks, or an event is too large
     */
    public @Nullable WatchEvent<T> next() throws IOException {
        boolean complete = frames.next();
        int from = frames.from();
        int to = frames.to();
        if (!complete && from == to) {
            return null;
        }
        WatchEvent<T> event = regular(frames.buffer(), from, to);
        if (event == null) {
            event = irregular(frames.buffer(), from, to);
        }
        if (complete) {
            return event;
        }
        frames.clear();
        return event instanceof WatchEvent.Undecodable ? null : event;
    }

    /** The bytes read so far. */
    public long bytesRead() {
        return frames.bytesRead();
    }

    /** An event type that brings an object, and the bytes before the object as kube-apiserver writes them. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Change<T>(String type, byte[] prefix, Function<T, WatchEvent<T>> event) {
        Change(String type, Function<T, WatchEvent<T>> event) {
            this(type, ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII), event);
        }
    }

    /** Decodes an event that has kube-apiserver's form; null for any other event. */
    private @Nullable WatchEvent<T> regular(byte[] bytes, int from, int to) {
        for (Change<T> change : changes) {
            int begin = from + change.prefix().length;
            if (begin < to && bytes[to - 1] == '}'
                    && Arrays.equals(change.prefix(), 0, change.prefix().length, bytes, from, begin)) {
                T object = decoder.decodeRegular(bytes, begin, to - 1);
                return object == null ? null : change.event().apply(object);
            }
        }
        return null;
    }

    private WatchEvent<T> irregular(byte[] bytes, int from, int to) {
        String type = "";
        int objectFrom = -1;
        int objectTo = -1;
        try {
            JsonCursor in = new JsonCursor(bytes, from, to);
            in.expect('{');
            do {
                String name = in.string();
                in.expect(':');
                in.peek();
                int begin = in.at;
                in.skip();
                if (name.equals("type")) {
                    type = ModelJson.tree(bytes, begin, in.at).asString("");
                } else if (name.equals("object")) {
                    objectFrom = begin;
                    objectTo = in.at;
                }
            } while (!in.endOrComma('}'));
        } catch (JsonCursor.Irregular | JacksonException e) {
            return undecodable("", "the event is not a JSON object with members");
        }
        if (objectFrom < 0) {
            return undecodable("object", "the event of type \"" + type + "\" has none");
        }
        try {
            return switch (type) {
                case "BOOKMARK" -> bookmark(ModelJson.tree(bytes, objectFrom, objectTo));
                case "ERROR" -> new WatchEvent.Failed<>(
                        Statuses.error(tried, ModelJson.tree(bytes, objectFrom, objectTo)));
                default -> changed(type, bytes, objectFrom, objectTo);
            };
        } catch (JacksonException e) {
            return undecodable("object", "the event of type " + type + " does not parse: " + e.getOriginalMessage());
        }
    }

    private WatchEvent<T> changed(String type, byte[] bytes, int from, int to) {
        for (Change<T> change : changes) {
            if (change.type().equals(type)) {
                List<DecodeFailure> failures = new ArrayList<>(1);
                T object = decoder.decode(bytes, from, to, failures::add);
                return object != null
                        ? change.event().apply(object)
                        : new WatchEvent.Undecodable<>(failures.getFirst(), type.equals("DELETED"));
            }
        }
        return undecodable("type", "unknown event type \"" + type + "\"");
    }

    private WatchEvent<T> bookmark(JsonNode object) {
        JsonNode meta = object.path("metadata");
        String version = meta.path("resourceVersion").asString("");
        if (version.isEmpty()) {
            return undecodable("metadata.resourceVersion", "the bookmark has none");
        }
        return new WatchEvent.Bookmark<>(version,
                meta.path("annotations").path(INITIAL_EVENTS_END).asString("").equals("true"));
    }

    private WatchEvent<T> undecodable(String field, String problem) {
        return new WatchEvent.Undecodable<>(new DecodeFailure(tried, field, problem));
    }
}
