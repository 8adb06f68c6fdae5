package dev.wheelhouse.apiserver;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchStream;

/** A watch that takes its events from the server's queue and never waits. */
final class InProcessWatch<T extends KubernetesObject> implements WatchStream<T> {
    private final WatchFeed feed;
    private final InProcessResource<T> resource;
    private final String tried;
    private boolean ended;

    InProcessWatch(WatchFeed feed, InProcessResource<T> resource, String tried) {
        this.feed = feed;
        this.resource = resource;
        this.tried = tried;
    }

    @Override
    public @Nullable WatchEvent<T> next(Duration maxWait) {
        boolean last = feed.isEnded();
        WatchFeed.Event event = feed.next();
        if (event == null) {
            ended = last;
            return null;
        }
        return decode(event);
    }

    private WatchEvent<T> decode(WatchFeed.Event event) {
        JsonNode object = Json.read(event.object());
        return switch (event.type()) {
            case "BOOKMARK" -> new WatchEvent.Bookmark<>(Json.text(object, "metadata", "resourceVersion"),
                    Json.text(object, "metadata", "annotations", "k8s.io/initial-events-end").equals("true"));
            case "ERROR" -> new WatchEvent.Failed<>(InProcessResource.error(tried, object));
            default -> change(event.type(), object);
        };
    }

    private WatchEvent<T> change(String type, JsonNode object) {
        T decoded;
        try {
            decoded = resource.read(object);
        } catch (JacksonException e) {
            return new WatchEvent.Undecodable<>(resource.failure(object, e), type.equals("DELETED"));
        }
        return switch (type) {
            case "ADDED" -> new WatchEvent.Added<>(decoded);
            case "MODIFIED" -> new WatchEvent.Modified<>(decoded);
            default -> new WatchEvent.Deleted<>(decoded);
        };
    }

    @Override
    public boolean onReady(Runnable wake) {
        feed.onReady(wake);
        return true;
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    @Override
    public void close() {
        feed.close();
    }
}
