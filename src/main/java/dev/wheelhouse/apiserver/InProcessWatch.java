package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.WatchEvents;

/** A watch that takes its events from the server's queue and never waits. */
final class InProcessWatch<T extends KubernetesObject> implements WatchStream<T> {
    private final WatchFeed feed;
    private final WatchEvents<T> events;
    private final Runnable whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean ended;
    private long bytes;

    InProcessWatch(WatchFeed feed, WatchEvents<T> events, Runnable whenClosed) {
        this.feed = feed;
        this.events = events;
        this.whenClosed = whenClosed;
    }

    @Override
    public @Nullable WatchEvent<T> next(Duration maxWait) {
        boolean last = feed.isEnded();
        WatchFeed.Event event = feed.next();
        if (event == null) {
            ended = last;
            return null;
        }
        bytes += event.object().length;
        return events.read(event.type(), event.object());
    }

    @Override
    public boolean onReady(Runnable wake) {
        feed.onReady(wake);
        return true;
    }

    @Override
    public long untilDue() {
        return feed.untilDue();
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    @Override
    public long bytesRead() {
        return bytes;
    }

    @Override
    public void close() {
        feed.close();
        if (!closed.getAndSet(true)) {
            whenClosed.run();
        }
    }
}
