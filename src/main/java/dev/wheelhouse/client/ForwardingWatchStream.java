package dev.wheelhouse.client;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/** Forwards every call to another {@code WatchStream}. Subclasses override some. As thread safe as that one. */
public abstract class ForwardingWatchStream<T> implements WatchStream<T> {
    private final WatchStream<T> stream;

    protected ForwardingWatchStream(WatchStream<T> stream) {
        this.stream = stream;
    }

    @Override
    public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
        return stream.next(maxWait);
    }

    @Override
    public boolean isEnded() {
        return stream.isEnded();
    }

    @Override
    public boolean onReady(Runnable wake) {
        return stream.onReady(wake);
    }

    @Override
    public long untilDue() {
        return stream.untilDue();
    }

    @Override
    public boolean lendsThread() {
        return stream.lendsThread();
    }

    @Override
    public void shareWith(Function<ObjectKey, @Nullable T> cache) {
        stream.shareWith(cache);
    }

    @Override
    public long bytesRead() {
        return stream.bytesRead();
    }

    @Override
    public void close() {
        stream.close();
    }
}
