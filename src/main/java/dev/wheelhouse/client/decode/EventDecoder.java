package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

/** Decodes one event of a watch. Finds the event's object by its bytes, and decodes only that. Thread safe. */
final class EventDecoder<T extends KubernetesObject> {
    private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

    private final String tried;
    private final ObjectDecoder<T> objects;
    private final List<Prefix<T>> prefixes = List.of(new Prefix<>("MODIFIED", WatchEvent.Modified::new),
            new Prefix<>("ADDED", WatchEvent.Added::new), new Prefix<>("DELETED", WatchEvent.Deleted::new));

    /** @param tried the request, for messages */
    EventDecoder(String tried, ObjectDecoder<T> objects) {
        this.tried = tried;
        this.objects = objects;
    }

    WatchEvent<T> decode(byte[] bytes, int from, int to) {
        WatchEvent<T> regular = regular(bytes, from, to);
        return regular != null ? regular : decodeAny(bytes, from, to);
    }

    /** Decodes an event that has the bytes of kube-apiserver's own form; null for any other event. */
    private @Nullable WatchEvent<T> regular(byte[] bytes, int from, int to) {
        for (Prefix<T> prefix : prefixes) {
            int begin = from + prefix.text().length;
            if (begin < to && bytes[to - 1] == '}'
                    && Arrays.equals(prefix.text(), 0, prefix.text().length, bytes, from, begin)) {
                T object = objects.decodeRegular(bytes, begin, to - 1);
                return object == null ? null : prefix.event().apply(object);
            }
        }
        return null;
    }

    private record Prefix<T>(byte[] text, Function<T, WatchEvent<T>> event) {
        Prefix(String type, Function<T, WatchEvent<T>> event) {
            this(("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII), event);
        }
    }

    private WatchEvent<T> decodeAny(byte[] bytes, int from, int to) {
        String type = "";
        int objectFrom = -1;
        int objectTo = -1;
        try {
            ByteScanner scanner = new ByteScanner(bytes, from, to);
            scanner.expect('{');
            if (!scanner.accept('}')) {
                do {
                    String name = scanner.name();
                    long span = scanner.value();
                    if (name.equals("type")) {
                        type = ModelJson.tree(bytes, ByteScanner.from(span), ByteScanner.to(span)).asString("");
                    } else if (name.equals("object")) {
                        objectFrom = ByteScanner.from(span);
                        objectTo = ByteScanner.to(span);
                    }
                } while (scanner.accept(','));
                scanner.expect('}');
            }
        } catch (IOException | JacksonException e) {
            return undecodable("", "the event is not a JSON object: " + e.getMessage());
        }
        if (objectFrom < 0) {
            return undecodable("object", "the event of type \"" + type + "\" has none");
        }
        try {
            return switch (type) {
                case "ADDED" -> new WatchEvent.Added<>(objects.decode(bytes, objectFrom, objectTo));
                case "MODIFIED" -> new WatchEvent.Modified<>(objects.decode(bytes, objectFrom, objectTo));
                case "DELETED" -> new WatchEvent.Deleted<>(objects.decode(bytes, objectFrom, objectTo));
                case "BOOKMARK" -> bookmark(ModelJson.tree(bytes, objectFrom, objectTo));
                case "ERROR" -> new WatchEvent.Failed<>(
                        Statuses.error(tried, ModelJson.tree(bytes, objectFrom, objectTo)));
                default -> undecodable("type", "unknown event type \"" + type + "\"");
            };
        } catch (UndecodableException e) {
            return new WatchEvent.Undecodable<>(e.failure(), type.equals("DELETED"));
        } catch (JacksonException e) {
            return undecodable("object", "the event of type " + type + " does not parse: " + e.getOriginalMessage());
        }
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
