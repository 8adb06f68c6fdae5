package dev.wheelhouse.informer;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ForwardingListerWatcher;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/** A connection to a server that records requests and injects faults. */
final class FaultySource<T extends KubernetesObject> extends ForwardingListerWatcher<T> {
    final List<ListOptions> lists = new ArrayList<>();
    final List<WatchOptions> watches = new ArrayList<>();
    /** The errors for the next lists and watches, each used once. */
    final Deque<KubeApiException> listErrors = new ArrayDeque<>();
    final Deque<KubeApiException> watchErrors = new ArrayDeque<>();
    /** Answers of the next lists, each used once. */
    final Deque<ListPage<T>> listAnswers = new ArrayDeque<>();
    /** The items that no list can decode. */
    final List<DecodeFailure> undecodable = new ArrayList<>();
    private final Deque<WatchEvent<T>> injected = new ArrayDeque<>();
    private final List<Line> open = new ArrayList<>();
    private ListerWatcher<T> server;
    private boolean withholdsEndOfInitialEvents;
    private boolean muted;

    FaultySource(ListerWatcher<T> server) {
        super(server);
        this.server = server;
    }

    /** Replaces the server behind the same address. */
    void moveTo(ListerWatcher<T> other) {
        server = other;
    }

    /** Adds an event that the open watches return after the server's present ones, unless the server ended them. */
    void send(WatchEvent<T> event) {
        open.forEach(line -> line.send(event));
    }

    /** Adds an event that one watch returns next, be it open now or later. */
    void inject(WatchEvent<T> event) {
        injected.add(event);
    }

    /** Lets open and later watches return nothing without ending, as a proxy that withholds events does. */
    void mute(boolean on) {
        muted = on;
        open.forEach(line -> line.dead = on);
    }

    /** Lets the open watches return nothing any more without ending, as half-open connections do. */
    void halfOpen() {
        open.forEach(line -> line.dead = true);
    }

    /** Ends the open watches in good order, after the server's present events. */
    void end() {
        open.forEach(line -> line.endsAfterQueue());
        open.clear();
    }

    /** Breaks the connections of the open watches. Events that were sent but not read are lost. */
    void cut() {
        open.forEach(line -> line.broken = true);
        open.clear();
    }

    void withholdEndOfInitialEvents(boolean on) {
        withholdsEndOfInitialEvents = on;
    }

    @Override
    public ListPage<T> list(ListOptions options) throws InterruptedException {
        lists.add(options);
        if (!listErrors.isEmpty()) {
            throw listErrors.remove();
        }
        if (!listAnswers.isEmpty()) {
            return listAnswers.remove();
        }
        ListPage<T> page = server.list(options);
        if (undecodable.isEmpty()) {
            return page;
        }
        List<T> items = new ArrayList<>(page.items());
        items.removeIf(item -> undecodable.stream().anyMatch(failure -> ObjectKey.of(item).equals(failure.key())));
        return new ListPage<>(items, page.resourceVersion(), page.continueToken(), List.copyOf(undecodable));
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        watches.add(options);
        if (!watchErrors.isEmpty()) {
            throw watchErrors.remove();
        }
        Line line = new Line(server.watch(options));
        line.dead = muted;
        open.add(line);
        return line;
    }

    private final class Line extends ForwardingWatchStream<T> {
        private final Deque<WatchEvent<T>> queue = new ArrayDeque<>();
        private boolean dead;
        private boolean broken;
        private boolean ends;

        Line(WatchStream<T> stream) {
            super(stream);
        }

        private void send(WatchEvent<T> event) {
            takePresentEvents();
            if (!super.isEnded()) {
                queue.add(event);
            }
        }

        private void endsAfterQueue() {
            takePresentEvents();
            ends = true;
        }

        private void takePresentEvents() {
            try {
                WatchEvent<T> present;
                while ((present = super.next(Duration.ZERO)) != null) {
                    queue.add(present);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            if (broken) {
                throw KubeApiException.unreachable("watch " + type(), new IOException("connection reset"));
            }
            if (dead) {
                return null;
            }
            if (!injected.isEmpty()) {
                return injected.remove();
            }
            if (!queue.isEmpty() || ends) {
                return queue.poll();
            }
            WatchEvent<T> event = super.next(maxWait);
            return withholdsEndOfInitialEvents && event instanceof WatchEvent.Bookmark<T> bookmark
                    && bookmark.initialEventsEnd()
                            ? new WatchEvent.Bookmark<>(bookmark.resourceVersion(), false)
                            : event;
        }

        @Override
        public boolean isEnded() {
            return !dead && !broken && queue.isEmpty() && (ends || super.isEnded());
        }
    }
}
