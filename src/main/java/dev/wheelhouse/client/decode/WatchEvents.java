package dev.wheelhouse.client.decode;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;

/** Makes the events of one watch of their types and objects. Made by {@link ObjectDecoder}. Thread safe. */
public final class WatchEvents<T extends KubernetesObject> {
    static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";
    static final String ADDED = "ADDED";
    static final String MODIFIED = "MODIFIED";
    static final String DELETED = "DELETED";

    private final String tried;
    private final ObjectDecoder<T> decoder;

    /** @param tried the request, for messages */
    WatchEvents(String tried, ObjectDecoder<T> decoder) {
        this.tried = tried;
        this.decoder = decoder;
    }

    /** The request, for messages. */
    String tried() {
        return tried;
    }

    /**
     * Reads an event.
     *
     * @param type the type of the event, such as {@code ADDED}
     * @param object JSON
     */
    public WatchEvent<T> read(String type, byte[] object) {
        return read(type, object, 0, object.length);
    }

    WatchEvent<T> read(String type, byte[] bytes, int from, int to) {
        try {
            return switch (type) {
                case "BOOKMARK" -> bookmark(ModelJson.tree(bytes, from, to));
                case "ERROR" -> new WatchEvent.Failed<>(Statuses.error(tried, ModelJson.tree(bytes, from, to)));
                default -> changed(type, failed -> decoder.decode(bytes, from, to, failed));
            };
        } catch (JacksonException e) {
            return undecodable("object", "the event of type " + type + " does not parse: " + e.getOriginalMessage());
        }
    }

    private WatchEvent<T> bookmark(JsonNode object) {
        JsonNode meta = object.path("metadata");
        return bookmark(meta.path("resourceVersion").asString(""),
                meta.path("annotations").path(INITIAL_EVENTS_END).asString(""));
    }

    /** @param decode returns the object; or null, and gives the failure to its argument */
    WatchEvent<T> changed(String type, Function<Consumer<DecodeFailure>, @Nullable T> decode) {
        if (!type.equals(MODIFIED) && !type.equals(ADDED) && !type.equals(DELETED)) {
            return undecodable("type", "unknown event type \"" + type + "\"");
        }
        List<DecodeFailure> failures = new ArrayList<>(1);
        T object = decode.apply(failures::add);
        return object != null
                ? changed(type, object)
                : new WatchEvent.Undecodable<>(failures.getFirst(), type.equals(DELETED));
    }

    /** The event of one of the three types that bring an object. */
    WatchEvent<T> changed(String type, T object) {
        return switch (type) {
            case ADDED -> new WatchEvent.Added<>(object);
            case DELETED -> new WatchEvent.Deleted<>(object);
            default -> new WatchEvent.Modified<>(object);
        };
    }

    /** @param initialEventsEnd the annotation of a bookmark after the initial events */
    WatchEvent<T> bookmark(@Nullable String version, @Nullable String initialEventsEnd) {
        return version == null || version.isEmpty()
                ? undecodable("metadata.resourceVersion", "the bookmark has none")
                : new WatchEvent.Bookmark<>(version, "true".equals(initialEventsEnd));
    }

    WatchEvent<T> undecodable(String field, String problem) {
        return new WatchEvent.Undecodable<>(new DecodeFailure(tried, field, problem));
    }
}
