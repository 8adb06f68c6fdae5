package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;

/**
 * Reads the events of one watch in JSON. It finds the bytes of an event's object without making a tree of the event,
 * and decodes only these bytes. Not thread safe.
 */
final class JsonWatchReader<T extends KubernetesObject> implements WatchReader<T> {
    private final WatchEvents<T> events;
    private final WatchFrames frames;
    private final ObjectDecoder<T> decoder;
    /** The most frequent type is the first. */
    private final List<Change> changes = Stream
            .of(WatchEvents.MODIFIED, WatchEvents.ADDED, WatchEvents.DELETED).map(Change::new).toList();

    JsonWatchReader(String tried, InputStream body, Runnable beforeRead, ObjectDecoder<T> decoder) {
        this.events = new WatchEvents<>(tried, decoder);
        this.frames = new WatchFrames(body, beforeRead);
        this.decoder = decoder;
    }

    /** A last event without a line end counts if it decodes; otherwise the stream was cut within that event. */
    @Override
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

    @Override
    public long bytesRead() {
        return frames.bytesRead();
    }

    /** An event type that brings an object, and the bytes before the object as kube-apiserver writes them. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Change(String type, byte[] prefix) {
        Change(String type) {
            this(type, ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Decodes an event that has kube-apiserver's form; null for any other event. */
    private @Nullable WatchEvent<T> regular(byte[] bytes, int from, int to) {
        for (Change change : changes) {
            int begin = from + change.prefix().length;
            if (begin < to && bytes[to - 1] == '}'
                    && Arrays.equals(change.prefix(), 0, change.prefix().length, bytes, from, begin)) {
                T object = decoder.decodeRegular(bytes, begin, to - 1);
                return object == null ? null : events.changed(change.type(), object);
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
            return events.undecodable("", "the event is not a JSON object with members");
        }
        if (objectFrom < 0) {
            return events.undecodable("object", "the event of type \"" + type + "\" has none");
        }
        return events.read(type, bytes, objectFrom, objectTo);
    }
}
