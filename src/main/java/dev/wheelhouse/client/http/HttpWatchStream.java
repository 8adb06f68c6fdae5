package dev.wheelhouse.client.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.client.decode.WatchReader;
import dev.wheelhouse.client.http.HttpTransport.Opened;
import dev.wheelhouse.client.http.ReadAheadSocket.BeforeRead;
import dev.wheelhouse.client.http.Transport.Outgoing;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

import okhttp3.Response;

/**
 * A watch over HTTP. A thread of its own reads and decodes events ahead of the consumer, up to a number and a size. It
 * hands on the events of one read of the network together, before it reads again, so no event waits for a later one.
 * The boundaries of network packets and HTTP chunks do not matter. An unhurried watch pauses before it reads again, so
 * that one read brings several events. A consumer that is called when events are ready may handle them on the reading
 * thread, which saves a hand-over.
 */
final class HttpWatchStream<T extends KubernetesObject> implements WatchStream<T> {
    /** The most decoded events that wait for the consumer. Then the connection is not read, which slows the server. */
    private static final int AHEAD = 1024;
    /** The bytes of such events, and of those that are handed on together, from which on no further one is decoded. */
    private static final long BYTES_AHEAD = 4L << 20;
    /** The most events that are handed on together. */
    private static final int MOST_AT_ONCE = 128;
    /** The time that an unhurried watch waits before it reads the network again. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** The time in which an unhurried watch does not wait, because a new cache waits for the first events. */
    private static final long HURRIED_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The longest wait, in nanoseconds; a clock's time plus this does not overflow. */
    private static final long FAR = Long.MAX_VALUE / 4;

    private final HttpTransport transport;
    private final Clock clock;
    private final String tried;
    private final ObjectDecoder<T> decoder;
    private final boolean unhurried;
    private final long openedAt;
    private final Opened opened;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition room = lock.newCondition();
    /** The events that wait for the consumer. */
    private List<WatchEvent<T>> events = new ArrayList<>();
    private long bytesAhead;
    private boolean finished;
    private volatile boolean closed;
    private volatile Runnable ready = () -> {};
    private volatile Function<ObjectKey, @Nullable T> cache = key -> null;
    private @Nullable KubeApiException failure;
    /** Ends the consumer's wait. See {@link #wakeBy}. */
    private @Nullable Future<?> timer;
    private long timerAt;
    /** Whether the timer has rung; a clock that is moved by hand may not have reached its time. */
    private boolean rang;
    private volatile long bytes;

    /** The events that are decoded and not handed on. Used by the reading thread only. */
    private final List<WatchEvent<T>> batch = new ArrayList<>();
    private long batchBytes;

    /** The events that the consumer has taken, and the index of its next one. Used by one consumer at a time. */
    private List<WatchEvent<T>> taken = List.of();
    private int next;

    /** Opens the watch. @throws KubeApiException if the server refuses, or cannot be reached */
    HttpWatchStream(HttpTransport transport, Outgoing request, ObjectDecoder<T> decoder, boolean unhurried)
            throws InterruptedException {
        this.transport = transport;
        this.clock = transport.clock();
        this.tried = request.tried();
        this.decoder = decoder;
        this.unhurried = unhurried;
        this.openedAt = clock.nanoTime();
        this.opened = transport.open(request, unhurried);
        try {
            transport.execute(tried, this::read);
        } catch (KubeApiException e) {
            opened.response().close();
            throw e;
        }
    }

    private void read() {
        KubeApiException broken = null;
        ReadAheadSocket socket = opened.socket();
        try (Response response = opened.response();
                BeforeRead ignored = socket == null
                        ? null
                        : socket.beforeRead(this::handOnBeforeReading,
                                unhurried ? this::pause : null)) {
            WatchReader<T> events = decoder.readWatch(tried, new BodyStream(response.body().source()),
                    HttpTransport.isProtobuf(response), socket == null ? this::handOnBeforeReading : () -> {},
                    key -> cache.apply(key));
            WatchEvent<T> event = events.next();
            while (event != null) {
                long before = bytes;
                bytes = events.bytesRead();
                batchBytes += bytes - before;
                batch.add(event);
                if ((batch.size() >= MOST_AT_ONCE || batchBytes >= BYTES_AHEAD) && !handOn()) {
                    return;
                }
                event = events.next();
            }
            bytes = events.bytesRead();
            handOn();
        } catch (IOException e) {
            broken = transport.broken(tried, e);
        } catch (InterruptedException e) {
            broken = new KubeApiException(tried, e);
        } catch (RuntimeException | Error e) {
            broken = new KubeApiException(tried, e);
            throw e;
        } finally {
            finish(broken);
        }
    }

    private void handOnBeforeReading() {
        try {
            handOn();
        } catch (InterruptedException e) {
            // The read that follows ends by the interrupt.
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for further events, so that one read gets them. A watch of few events is read at once. */
    private void pause() {
        lock.lock();
        try {
            long left = PAUSE_NANOS;
            while (left > 0 && !closed && clock.nanoTime() - openedAt > HURRIED_NANOS) {
                left = room.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // The read that follows ends by the interrupt.
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Gives the consumer the decoded events, once there is room for them. @return whether the watch is still open */
    private boolean handOn() throws InterruptedException {
        if (batch.isEmpty()) {
            return !closed;
        }
        lock.lockInterruptibly();
        try {
            while ((events.size() >= AHEAD || bytesAhead >= BYTES_AHEAD) && !closed) {
                room.await();
            }
            if (!closed) {
                events.addAll(batch);
                bytesAhead += batchBytes;
                arrived.signal();
            }
        } finally {
            lock.unlock();
            batch.clear();
            batchBytes = 0;
        }
        ready.run();
        return !closed;
    }

    private void finish(@Nullable KubeApiException broken) {
        lock.lock();
        try {
            if (!closed) {
                // The events that came before the connection broke. The bound does not apply to them.
                events.addAll(batch);
            }
            finished = true;
            failure = broken;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        ready.run();
    }

    @Override
    public boolean onReady(Runnable wake) {
        ready = wake;
        return true;
    }

    @Override
    public void shareWith(Function<ObjectKey, @Nullable T> objects) {
        cache = objects;
    }

    @Override
    public boolean lendsThread() {
        return true;
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
            bytesAhead = 0;
            events = new ArrayList<>(Math.min(taken.size(), MOST_AT_ONCE));
            room.signal();
            return taken.get(next++);
        } finally {
            lock.unlock();
        }
    }

    /** Waits with the lock held. @return whether there are events; if not, the stream ended or the time is over */
    private boolean await(Duration maxWait) throws InterruptedException {
        long nanos = Durations.saturatedNanos(maxWait);
        long deadline = nanos <= 0 ? 0 : clock.nanoTime() + Math.min(nanos, FAR);
        while (events.isEmpty()) {
            if (closed || finished) {
                if (failure != null && !closed) {
                    throw failure;
                }
                return false;
            }
            if (nanos <= 0 || clock.nanoTime() - deadline >= 0 || rang && timerAt - deadline >= 0) {
                return false;
            }
            wakeBy(deadline);
            arrived.await();
        }
        return true;
    }

    /**
     * Sets the timer so that a wait ends by its deadline. To set a timer for each wait would cost more than the events.
     * So a timer that rings before the deadline stays set, and the wait then sets the next one.
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
        rang = false;
        timer = transport.after(tried, Math.max(1, deadline - clock.nanoTime()), this::ring);
    }

    private void ring() {
        lock.lock();
        try {
            timer = null;
            rang = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isEnded() {
        lock.lock();
        try {
            return closed || (next == taken.size() && events.isEmpty() && finished && failure == null);
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
        opened.call().cancel();
    }
}
