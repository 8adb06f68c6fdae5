package dev.wheelhouse.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.client.HttpTransport.Opened;
import dev.wheelhouse.client.HttpTransport.Outgoing;
import dev.wheelhouse.runtime.Durations;

import okhttp3.Call;
import okhttp3.Response;

/**
 * A watch over HTTP. A virtual thread of its own reads and decodes ahead of the consumer, up to a bound; what the network cuts
 * off, and when, does not matter to it.
 */
final class HttpWatchStream<T extends KubernetesObject> implements WatchStream<T> {
    /** So many decoded events wait at most; past them the connection is not read, so that the server feels it. */
    private static final int AHEAD = 1024;

    private final HttpTransport transport;
    private final String tried;
    private final Call call;
    private final Response response;
    private final EventDecoder<T> decoder;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<WatchEvent<T>> events = new ArrayDeque<>();
    private boolean finished;
    private boolean closed;
    private @Nullable ApiError failure;
    private volatile long bytes;

    /** Opens the watch. @throws ApiError if the server refuses, or cannot be reached */
    HttpWatchStream(HttpTransport transport, Outgoing request, ObjectDecoder<T> objects) throws InterruptedException {
        this.transport = transport;
        this.tried = request.tried();
        this.decoder = new EventDecoder<>(tried, objects);
        Opened opened = transport.open(request);
        this.call = opened.call();
        this.response = opened.response();
        try {
            transport.execute(this::read);
        } catch (RejectedExecutionException e) {
            response.close();
            throw new ApiError(tried, new IOException("the client is closed", e));
        }
    }

    private void read() {
        ApiError broken = null;
        try (response) {
            WatchFrames frames = new WatchFrames(response.body().byteStream());
            while (frames.next()) {
                bytes = frames.bytesRead();
                if (!offer(decoder.decode(frames.buffer(), frames.from(), frames.to()))) {
                    return;
                }
            }
            bytes = frames.bytesRead();
            lastLine(frames);
        } catch (IOException e) {
            broken = transport.broken(tried, e);
        } catch (InterruptedException e) {
            broken = new ApiError(tried, e);
        } catch (RuntimeException | Error e) {
            broken = new ApiError(tried, e);
            throw e;
        } finally {
            finish(broken);
        }
    }

    /** A stream that ends without a line's end was cut, unless just the line's end is missing. */
    private void lastLine(WatchFrames frames) throws InterruptedException {
        if (frames.to() > frames.from()) {
            WatchEvent<T> last = decoder.decode(frames.buffer(), frames.from(), frames.to());
            if (!(last instanceof WatchEvent.Undecodable)) {
                offer(last);
            }
        }
    }

    private boolean offer(WatchEvent<T> event) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (events.size() >= AHEAD && !closed) {
                room.await();
            }
            if (closed) {
                return false;
            }
            events.add(event);
            arrived.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void finish(@Nullable ApiError broken) {
        lock.lock();
        try {
            finished = true;
            failure = broken;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = Durations.saturatedNanos(maxWait);
            while (events.isEmpty()) {
                if (closed || finished) {
                    if (failure != null && !closed) {
                        throw failure;
                    }
                    return null;
                }
                if (nanos <= 0) {
                    return null;
                }
                nanos = arrived.awaitNanos(nanos);
            }
            if (events.size() == AHEAD) {
                room.signal();
            }
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isEnded() {
        lock.lock();
        try {
            return events.isEmpty() && (closed || finished && failure == null);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long bytesRead() {
        return bytes;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            events.clear();
            arrived.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        call.cancel();
    }
}
