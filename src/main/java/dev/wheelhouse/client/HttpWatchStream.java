package dev.wheelhouse.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.client.HttpTransport.Opened;
import dev.wheelhouse.client.HttpTransport.Outgoing;
import dev.wheelhouse.client.ReadAheadSocket.BeforeReading;
import dev.wheelhouse.runtime.Clock;
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
    /** So many are handed on at once. */
    private static final int MOST_AT_ONCE = 128;
    private static final long FAR = Long.MAX_VALUE / 4;
    private static final Clock CLOCK = Clock.system();

    private final HttpTransport transport;
    private final String tried;
    private final Call call;
    private final Response response;
    private final EventDecoder<T> decoder;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition room = lock.newCondition();
    /** What waits for the consumer. */
    private List<WatchEvent<T>> events = new ArrayList<>();
    private boolean finished;
    private volatile boolean closed;
    private @Nullable ApiError failure;
    /** Ends the consumer's wait; left alone while it comes before the wait's own end, as each event moves that on. */
    private @Nullable Future<?> timer;
    private long timerAt;
    private volatile long bytes;

    /** What the reader has decoded and not handed on. Its own. */
    private final List<WatchEvent<T>> batch = new ArrayList<>();

    /** What the consumer has taken, and the next of it. Its own. */
    private List<WatchEvent<T>> taken = List.of();
    private int next;

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
        try (response; BeforeReading handingOn = new BeforeReading(this::handOnBeforeReading)) {
            WatchFrames frames = new WatchFrames(new BodyStream(response.body().source()),
                    handingOn::unlessReadingAhead);
            while (frames.next()) {
                bytes = frames.bytesRead();
                batch.add(decoder.decode(frames.buffer(), frames.from(), frames.to()));
                if (batch.size() >= MOST_AT_ONCE && !handOn()) {
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
                batch.add(last);
            }
        }
        handOn();
    }

    private void handOnBeforeReading() {
        try {
            handOn();
        } catch (InterruptedException e) {
            // The read that follows ends by it.
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the consumer what was decoded, as soon as there is room. @return whether it still wants any */
    private boolean handOn() throws InterruptedException {
        if (batch.isEmpty()) {
            return !closed;
        }
        lock.lockInterruptibly();
        try {
            while (events.size() >= AHEAD && !closed) {
                room.await();
            }
            if (!closed) {
                events.addAll(batch);
                arrived.signal();
            }
            return !closed;
        } finally {
            lock.unlock();
            batch.clear();
        }
    }

    private void finish(@Nullable ApiError broken) {
        lock.lock();
        try {
            if (!closed) {
                // What came before the connection broke; for once past the bound.
                events.addAll(batch);
            }
            finished = true;
            failure = broken;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
        if (next < taken.size() && !closed) {
            return taken.get(next++);
        }
        lock.lockInterruptibly();
        try {
            taken = List.of();
            next = 0;
            if (!await(maxWait)) {
                return null;
            }
            taken = events;
            events = new ArrayList<>(Math.min(taken.size(), MOST_AT_ONCE));
            room.signal();
            return taken.get(next++);
        } finally {
            lock.unlock();
        }
    }

    /** Waits under the lock. @return whether there are events; if not, the stream has ended, or nothing came in time */
    private boolean await(Duration maxWait) throws InterruptedException {
        long nanos = Durations.saturatedNanos(maxWait);
        long deadline = nanos <= 0 ? 0 : CLOCK.nanoTime() + Math.min(nanos, FAR);
        while (events.isEmpty()) {
            if (closed || finished) {
                if (failure != null && !closed) {
                    throw failure;
                }
                return false;
            }
            if (nanos <= 0 || CLOCK.nanoTime() - deadline >= 0) {
                return false;
            }
            wakeBy(deadline);
            arrived.await();
        }
        return true;
    }

    /**
     * Sees to it that a wait ends in time. A timer that is set for each wait and put off by each event would cost more than the
     * events: one that rings early is set again then.
     */
    private void wakeBy(long deadline) {
        Future<?> set = timer;
        if (set != null && !set.isDone()) {
            if (timerAt - deadline <= 0) {
                return;
            }
            set.cancel(false);
        }
        timerAt = deadline;
        try {
            timer = transport.after(Math.max(1, deadline - CLOCK.nanoTime()), this::ring);
        } catch (RejectedExecutionException e) {
            throw new ApiError(tried, new IOException("the client is closed", e));
        }
    }

    private void ring() {
        lock.lock();
        try {
            timer = null;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isEnded() {
        lock.lock();
        try {
            return closed || next == taken.size() && events.isEmpty() && finished && failure == null;
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
            if (timer != null) {
                timer.cancel(false);
            }
            arrived.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        call.cancel();
    }
}
