package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/**
 * A list-and-watch source that is written against the official client, as the source of an informer of this project.
 * Only the model class tells its type, so the kind is known and the group is not. The source decides itself about pages
 * and bookmarks.
 */
final class OfficialSource<T extends KubernetesObject> implements ListerWatcher<T> {
    private final io.kubernetes.client.informer.ListerWatcher<T, ? extends KubernetesListObject> source;
    private final Class<T> model;
    private final ResourceType type;

    OfficialSource(io.kubernetes.client.informer.ListerWatcher<T, ? extends KubernetesListObject> source,
            Class<T> model) {
        this.source = source;
        this.model = model;
        String kind = RequestUrls.kind(model);
        String named = kind.isEmpty() ? model.getSimpleName() : kind;
        this.type = new ResourceType("", "", named.toLowerCase(Locale.ROOT) + "s", named, true);
    }

    @Override
    public ResourceType type() {
        return type;
    }

    @Override
    public String namespace() {
        return "";
    }

    @Override
    public ListPage<T> list(ListOptions options) {
        String version = options.resourceVersion();
        KubernetesListObject list;
        try {
            list = source.list(new CallGeneratorParams(Boolean.FALSE, version, null));
        } catch (ApiException e) {
            throw error("list " + type, e);
        }
        List<T> items = list.getItems().stream().map(model::cast).toList();
        String listed = list.getMetadata() == null ? null : list.getMetadata().getResourceVersion();
        return new ListPage<>(items, listed == null ? "" : listed, null, List.of());
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) {
        if (options.sendInitialEvents()) {
            throw new KubeApiException("watch " + type, 400, "BadRequest",
                    "a lister and watcher of the official client cannot "
                            + "stream the initial state",
                    null);
        }
        try {
            return new Pump(source.watch(new CallGeneratorParams(Boolean.TRUE, options.resourceVersion(),
                    (int) Math.max(1, options.timeout().toSeconds()))));
        } catch (ApiException e) {
            throw error("watch " + type, e);
        }
    }

    /** The same error in the words of this project, with reason and message of the server if it sent a Status. */
    static KubeApiException error(String tried, ApiException e) {
        if (e.getCode() == 0) {
            return new KubeApiException(tried, e);
        }
        String reason = e.getCode() == 410 ? "Expired" : "";
        String body = e.getResponseBody() == null ? String.valueOf(e.getMessage()) : e.getResponseBody();
        try {
            JsonNode status = ModelJson.read(body, JsonNode.class);
            return new KubeApiException(tried, e.getCode(), status.path("reason").asString(reason),
                    status.path("message").asString(body), null);
        } catch (JacksonException plain) {
            return new KubeApiException(tried, e.getCode(), reason, body, null);
        }
    }

    /** Reads the official client's blocking watch on a virtual thread. */
    private final class Pump implements WatchStream<T> {
        private static final int AHEAD = 1024;

        private final Watchable<T> watch;
        private final ArrayDeque<WatchEvent<T>> events = new ArrayDeque<>();
        private final Object lock = new Object();
        private @Nullable KubeApiException failure;
        private boolean finished;
        private boolean closed;

        Pump(Watchable<T> watch) {
            this.watch = watch;
            Thread.ofVirtual().name("official watch of " + type).start(this::read);
        }

        private void read() {
            KubeApiException broken = null;
            try {
                while (watch.hasNext() && offer(event(watch.next()))) {
                    // The loop ends with the watch or its close.
                }
            } catch (RuntimeException e) {
                broken = new KubeApiException("watch " + type, e);
            } catch (InterruptedException e) {
                broken = new KubeApiException("watch " + type, e);
            } finally {
                synchronized (lock) {
                    finished = true;
                    failure = broken;
                    lock.notifyAll();
                }
            }
        }

        private WatchEvent<T> event(Watch.Response<T> response) {
            T object = response.object;
            if (response.type != null && response.type.equals("ERROR")) {
                V1Status status = response.status;
                int code = status == null || status.getCode() == null ? 500 : status.getCode();
                return new WatchEvent.Failed<>(new KubeApiException("watch " + type, code,
                        status == null || status.getReason() == null ? "" : status.getReason(),
                        status == null || status.getMessage() == null ? "" : status.getMessage(), null));
            }
            if (object == null || object.getMetadata() == null) {
                return new WatchEvent.Undecodable<>(
                        new DecodeFailure("watch " + type, "object",
                                "the event of type " + response.type + " has none"));
            }
            return switch (response.type) {
                case "ADDED" -> new WatchEvent.Added<>(object);
                case "MODIFIED" -> new WatchEvent.Modified<>(object);
                case "DELETED" -> new WatchEvent.Deleted<>(object);
                case "BOOKMARK" -> new WatchEvent.Bookmark<>(object.getMetadata().getResourceVersion(), false);
                default -> new WatchEvent.Undecodable<>(
                        new DecodeFailure("watch " + type, "type", "unknown event type \"" + response.type + "\""));
            };
        }

        private boolean offer(WatchEvent<T> event) throws InterruptedException {
            synchronized (lock) {
                while (events.size() >= AHEAD && !closed) {
                    lock.wait();
                }
                events.add(event);
                lock.notifyAll();
                return !closed;
            }
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            synchronized (lock) {
                if (events.isEmpty() && !finished && !closed && maxWait.toMillis() > 0) {
                    // A spurious wake-up returns no event; the caller asks again.
                    lock.wait(maxWait.toMillis());
                }
                WatchEvent<T> event = events.poll();
                if (event == null && failure != null && !closed) {
                    throw failure;
                }
                lock.notifyAll();
                return event;
            }
        }

        @Override
        public boolean isEnded() {
            synchronized (lock) {
                return events.isEmpty() && (closed || (finished && failure == null));
            }
        }

        @Override
        public void close() {
            synchronized (lock) {
                if (closed) {
                    return;
                }
                closed = true;
                events.clear();
                lock.notifyAll();
            }
            try {
                watch.close();
            } catch (java.io.IOException e) {
                // The watch ends in any case.
            }
        }
    }
}
