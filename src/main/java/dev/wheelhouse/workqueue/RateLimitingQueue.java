package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.journal.Cause;
import dev.wheelhouse.journal.CurrentEvent;
import dev.wheelhouse.journal.Origin;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.workqueue.DelayHeap.Delay;

/**
 * The work queue: it removes duplicates, delays keys, limits the rate of retries, and orders keys by priority and flow
 * (upstream: client-go {@code util/workqueue}: {@code queue.go}, {@code delaying_queue.go},
 * {@code rate_limiting_queue.go}). A flow is a group of keys, such as a namespace. The queue has one lock and no
 * thread; each operation does one lookup. It drops no key before it is shut down, however often the key fails. Thread
 * safe.
 *
 * @param <K> the keys, with value equality
 */
public final class RateLimitingQueue<K> implements WorkQueue<K> {
    /** The default aging: a background key goes before live keys that were added more than this much later. */
    public static final Duration DEFAULT_AGING = Duration.ofSeconds(10);

    /** The longest delay or wait, in nanoseconds; a clock's time plus this does not overflow. */
    private static final long FAR = 1L << 60;
    /** The pause of a worker that finds no key after the shutdown. Keys in processing may still become ready again. */
    private static final long AFTER_SHUTDOWN_NANOS = 50_000_000;

    private final String name;
    private final Clock clock;
    private final QueueMeters meters;
    private volatile RateLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final KeyTable<K> entries = new KeyTable<>();
    private final ReadyKeys<K> ready;
    private final DelayHeap<K> delayed = new DelayHeap<>();
    private final Function<? super K, ?> flow;
    private FlowBuckets buckets;
    private int waiters;
    private int processing;
    private long takenKeys;
    private boolean shutDown;

    /** A queue with upstream's rate limits and a single flow. */
    public RateLimitingQueue(String name, Clock clock, MeterRegistry registry) {
        this(name, clock, RateLimits.CONTROLLER, DEFAULT_AGING, key -> "", registry);
    }

    /**
     * @param name the queue's name in metrics and messages
     * @param aging a background key goes before live keys that were added more than this much later
     * @param flow the flow of a key, such as its namespace. Flows take turns, so that a flow with many keys delays the
     *     first key of another flow by at most one turn. Each flow has its own rate limit for failed keys.
     */
    public RateLimitingQueue(String name, Clock clock, RateLimits limits, Duration aging, Function<? super K, ?> flow,
            MeterRegistry registry) {
        this.name = name;
        this.clock = clock;
        this.limits = limits;
        this.ready = new ReadyKeys<>(flow, Math.min(FAR, Durations.saturatedNanos(aging)));
        this.flow = flow;
        this.buckets = new FlowBuckets(limits);
        this.meters = new QueueMeters(name, registry, this::state);
    }

    public String name() {
        return name;
    }

    @Override
    public void add(K key, Priority priority) {
        long now = clock.nanoTime();
        int hash = KeyTable.hash(key);
        boolean added;
        lock.lock();
        try {
            added = !shutDown && markDirty(entries.getOrAdd(key, hash), priority, now, null);
        } finally {
            lock.unlock();
        }
        if (added) {
            meters.adds.increment();
        }
    }

    @Override
    public void addAfter(K key, Duration delay) {
        long nanos = Durations.saturatedNanos(delay);
        if (nanos <= 0) {
            add(key);
            return;
        }
        long now = clock.nanoTime();
        lock.lock();
        try {
            if (!shutDown) {
                schedule(entry(key), now, nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addRateLimited(K key, Duration atLeast) {
        long least = Durations.saturatedNanos(atLeast);
        long now = clock.nanoTime();
        lock.lock();
        try {
            if (shutDown) {
                return;
            }
            KeyState<K> entry = entry(key);
            long own = limits.keyDelayNanos(entry.failures);
            long ofFlow = buckets.reserveNanos(flow.apply(key), now);
            if (entry.failures < Integer.MAX_VALUE) {
                entry.failures++;
            }
            schedule(entry, now, Math.max(least, Math.max(own, ofFlow)));
        } finally {
            lock.unlock();
        }
        meters.retries.increment();
    }

    @Override
    public void succeeded(K key, Duration next) {
        long nanos = Durations.saturatedNanos(next);
        long now = nanos > 0 ? clock.nanoTime() : 0;
        lock.lock();
        try {
            KeyState<K> entry = nanos > 0 && !shutDown ? entry(key) : entries.get(key);
            if (entry == null) {
                return;
            }
            entry.failures = 0;
            if (nanos > 0 && !shutDown) {
                delayed.requeue(entry, now + Math.min(nanos, FAR), CurrentEvent.cause());
                wakeIfFirst(entry.requeue);
            } else {
                delayed.endRequeue(entry);
                dropIfIdle(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void forget(K key) {
        lock.lock();
        try {
            KeyState<K> entry = entries.get(key);
            if (entry != null) {
                entry.failures = 0;
                dropIfIdle(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int numRequeues(K key) {
        lock.lock();
        try {
            KeyState<K> entry = entries.get(key);
            return entry == null ? 0 : entry.failures;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable K poll() {
        long now = clock.nanoTime();
        KeyState<K> taken;
        long waited;
        int becameReady;
        lock.lock();
        try {
            becameReady = moveDue(now);
            taken = ready.pop();
            if (taken == null) {
                return null;
            }
            waited = now - taken.addedAt;
            taken.dirty = false;
            taken.processing = true;
            taken.startedAt = now;
            taken.takenCause = taken.cause;
            taken.takenFurther = taken.further;
            taken.waited = Math.max(0, waited);
            takenKeys++;
            processing++;
        } finally {
            lock.unlock();
        }
        if (becameReady > 0) {
            meters.adds.increment(becameReady);
        }
        meters.waited.record(Math.max(0, waited), TimeUnit.NANOSECONDS);
        return taken.key;
    }

    @Override
    public void done(K key) {
        long now = clock.nanoTime();
        long worked;
        lock.lock();
        try {
            KeyState<K> entry = entries.get(key);
            if (entry == null || !entry.processing) {
                return;
            }
            worked = now - entry.startedAt;
            entry.processing = false;
            processing--;
            if (entry.dirty) {
                push(entry);
            } else {
                dropIfIdle(entry);
            }
            if (shutDown && processing == 0) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        meters.worked.record(Math.max(0, worked), TimeUnit.NANOSECONDS);
    }

    @Override
    public void awaitReady(long nanos) throws InterruptedException {
        long left = Math.min(nanos, FAR);
        lock.lockInterruptibly();
        waiters++;
        try {
            if (shutDown && ready.size() == 0) {
                changed.awaitNanos(Math.min(left, AFTER_SHUTDOWN_NANOS));
                return;
            }
            while (ready.size() == 0 && !shutDown) {
                long wait = Math.min(left, untilDue(clock.nanoTime()));
                if (wait <= 0) {
                    return;
                }
                left -= wait - changed.awaitNanos(wait);
            }
        } finally {
            waiters--;
            lock.unlock();
        }
    }

    @Override
    public long nanosToNextDue() {
        lock.lock();
        try {
            return delayed.size() == 0 ? Long.MAX_VALUE : Math.max(0, untilDue(clock.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Origin origin(K key) {
        lock.lock();
        try {
            KeyState<K> entry = entries.get(key);
            return entry == null
                    ? Origin.NONE
                    : new Origin(entry.takenCause, entry.takenFurther, entry.waited);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanosToDue(K key) {
        long now = clock.nanoTime();
        lock.lock();
        try {
            KeyState<K> entry = entries.get(key);
            long own = entry == null ? -1 : untilDue(entry.requeue, now);
            long others = entry == null ? -1 : untilDue(entry.delay, now);
            return own < 0 ? others : others < 0 ? own : Math.min(own, others);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void passOn() {
        lock.lock();
        try {
            if (ready.size() > 0) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The limits of the retries of failed keys. */
    public RateLimits limits() {
        return limits;
    }

    /** Changes the limits for later failures. Keys that are already delayed keep their due times. */
    public void limit(RateLimits to) {
        lock.lock();
        try {
            limits = to;
            buckets = new FlowBuckets(to);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int size() {
        lock.lock();
        try {
            return ready.size();
        } finally {
            lock.unlock();
        }
    }

    /** The numbers behind the queue's gauges. */
    public WorkQueueState state() {
        long now = clock.nanoTime();
        lock.lock();
        try {
            LongSummaryStatistics ages = new LongSummaryStatistics();
            if (processing > 0) {
                entries.forEach(entry -> {
                    if (entry.processing) {
                        ages.accept(Math.max(0, now - entry.startedAt));
                    }
                });
            }
            return new WorkQueueState(ready.size(), delayed.size(), processing, Duration.ofNanos(ages.getSum()),
                    Duration.ofNanos(Math.max(0, ages.getMax())), takenKeys);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void shutDown() {
        lock.lock();
        try {
            shutDown = true;
            for (Delay<K> delay = delayed.poll(); delay != null; delay = delayed.poll()) {
                dropIfIdle(delay.entry);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        meters.end();
    }

    @Override
    public boolean awaitIdle(Duration within) throws InterruptedException {
        long left = Math.min(Durations.saturatedNanos(within), FAR);
        lock.lockInterruptibly();
        try {
            while (processing > 0) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isShutDown() {
        lock.lock();
        try {
            return shutDown;
        } finally {
            lock.unlock();
        }
    }

    private KeyState<K> entry(K key) {
        return entries.getOrAdd(key, KeyTable.hash(key));
    }

    private void dropIfIdle(KeyState<K> entry) {
        if (entry.isIdle()) {
            entries.remove(entry);
        }
    }

    /** @param due the delay that has ended; null if the key is added now */
    private boolean markDirty(KeyState<K> entry, Priority priority, long now, @Nullable Delay<K> due) {
        if (entry.dirty) {
            entry.further++;
            if (priority.compareTo(entry.priority) < 0) {
                if (entry.queued) {
                    ready.move(entry, priority);
                } else {
                    entry.priority = priority;
                }
            }
            return false;
        }
        entry.dirty = true;
        entry.further = 0;
        Cause cause = due == null ? CurrentEvent.cause() : due.cause();
        entry.cause = due == null || cause != Cause.ITSELF ? cause : entry.failures > 0 ? Cause.RETRY : Cause.AGAIN;
        entry.priority = priority;
        entry.addedAt = now;
        if (!entry.processing) {
            push(entry);
        }
        return true;
    }

    private void push(KeyState<K> entry) {
        ready.push(entry);
        if (waiters > 0) {
            changed.signal();
        }
    }

    private void schedule(KeyState<K> entry, long now, long nanos) {
        delayed.schedule(entry, now + Math.min(nanos, FAR), CurrentEvent.cause());
        wakeIfFirst(entry.delay);
    }

    /** Wakes all waiting threads if a delay is now the first one due, because they wait for a later time. */
    private void wakeIfFirst(@Nullable Delay<K> delay) {
        if (waiters > 0 && delay != null && delayed.peek() == delay) {
            changed.signalAll();
        }
    }

    private static long untilDue(@Nullable Delay<?> delay, long now) {
        return delay == null ? -1 : Math.max(0, delay.dueAt() - now);
    }

    private int moveDue(long now) {
        int moved = 0;
        for (Delay<K> due = delayed.pollDue(now); due != null; due = delayed.pollDue(now)) {
            if (markDirty(due.entry, Priority.LIVE, due.dueAt(), due)) {
                moved++;
            }
        }
        return moved;
    }

    private long untilDue(long now) {
        Delay<K> top = delayed.peek();
        return top == null ? FAR : top.dueAt() - now;
    }
}
