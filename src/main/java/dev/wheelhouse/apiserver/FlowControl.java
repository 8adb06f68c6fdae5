package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.runtime.Durations;

/**
 * Decides which requests are executed, which wait, and which are refused: a simple form of upstream's priority and
 * fairness. Each level has its own seats, so no level waits for another. Within a level a sender holds at most two
 * thirds of the seats, and senders take turns, so no sender waits for all requests of another. Thread safe.
 */
final class FlowControl {
    private static final String PREFIX = "apiserver.flowcontrol.";

    private final Map<Flow.Level, Queue> queues = new EnumMap<>(Flow.Level.class);
    private final Duration longestWait;

    /**
     * @param seats the most requests of {@link Flow.Level#GLOBAL_DEFAULT}, and of {@link Flow.Level#SYSTEM}, that are
     *         executed at a time; other levels have fewer
     * @param requests the most requests that wait or are executed at a time in a level; a sender may have half of them.
     *         Requests of {@link Flow.Level#EXEMPT} are executed at once, and one sender may have all of them
     * @param longestWait a request that waits longer is refused
     * @param registry has upstream's metrics as far as they apply here
     */
    FlowControl(int seats, int requests, Duration longestWait, MeterRegistry registry) {
        this.longestWait = longestWait;
        for (Flow.Level level : Flow.Level.values()) {
            int own = switch (level) {
                case EXEMPT -> Integer.MAX_VALUE;
                case SYSTEM, GLOBAL_DEFAULT -> seats;
                case LEADER_ELECTION, UNAUTHENTICATED -> Math.max(2, seats / 8);
            };
            queues.put(level, new Queue(level, own, requests, registry));
        }
    }

    /**
     * Waits for a seat.
     *
     * @return null if the request is refused
     */
    @Nullable
    Seat enter(Flow flow) throws InterruptedException {
        Queue queue = queue(flow.level());
        if (flow.level() == Flow.Level.EXEMPT) {
            return queue.enterExempt();
        }
        return queue.enter(flow.sender(), Durations.saturatedNanos(longestWait));
    }

    private Queue queue(Flow.Level level) {
        return Objects.requireNonNull(queues.get(level));
    }

    /** The right of a request to be executed. */
    interface Seat extends AutoCloseable {
        /** Passes the seat on to the next request. */
        @Override
        void close();
    }

    /** The requests of one level. */
    private static final class Queue {
        private final int seats;
        private final int maxSeatsPerSender;
        private final int maxRequests;
        private final int maxRequestsPerSender;
        private final ReentrantLock lock = new ReentrantLock();
        /** Senders with a request at this level. Guarded by the lock, as all fields below. */
        private final Map<String, Sender> senders = new HashMap<>();
        /** Waiting senders that may take one more seat, in the order of their turns. */
        private final LinkedHashMap<String, Sender> turns = new LinkedHashMap<>();
        private int executing;
        private int waiting;
        private final Counter dispatched;
        private final Counter full;
        private final Counter timedOut;
        private final AtomicInteger exempt = new AtomicInteger();

        Queue(Flow.Level level, int seats, int requests, MeterRegistry registry) {
            this.seats = seats;
            this.maxSeatsPerSender = Math.max(1, (int) (seats * 2L / 3));
            this.maxRequests = requests;
            this.maxRequestsPerSender = Math.max(1, requests / 2);
            Tags tags = Tags.of("priority_level", level.text);
            Gauge.builder(PREFIX + "current.executing.requests", this, Queue::executing)
                    .description("Requests that are worked on.").tags(tags).register(registry);
            Gauge.builder(PREFIX + "current.inqueue.requests", this, Queue::waiting)
                    .description("Requests that wait for a seat.").tags(tags).register(registry);
            if (level != Flow.Level.EXEMPT) {
                Gauge.builder(PREFIX + "nominal.limit.seats", this, queue -> queue.seats)
                        .description("Requests that are worked on at most.").tags(tags).register(registry);
            }
            dispatched = Counter.builder(PREFIX + "dispatched.requests")
                    .description("Requests that were given a seat.").tags(tags).register(registry);
            Meter.MeterProvider<Counter> rejected = Counter.builder(PREFIX + "rejected.requests")
                    .description("Requests that were turned away.").tags(tags).withRegistry(registry);
            full = rejected.withTag("reason", "queue-full");
            timedOut = rejected.withTag("reason", "time-out");
        }

        private static final class Sender {
            final String name;
            final ArrayDeque<Ticket> waiting = new ArrayDeque<>(1);
            int executing;

            Sender(String name) {
                this.name = name;
            }
        }

        private static final class Ticket {
            final Semaphore granted = new Semaphore(0);
            boolean seated;
        }

        @Nullable
        Seat enter(String name, long waitNanos) throws InterruptedException {
            Ticket ticket;
            Sender sender;
            lock.lock();
            try {
                sender = senders.computeIfAbsent(name, Sender::new);
                if (executing < seats && sender.executing < maxSeatsPerSender && sender.waiting.isEmpty()) {
                    return seat(sender);
                }
                if (executing + waiting >= maxRequests
                        || sender.executing + sender.waiting.size() >= maxRequestsPerSender) {
                    full.increment();
                    removeIfIdle(sender);
                    return null;
                }
                ticket = new Ticket();
                sender.waiting.add(ticket);
                waiting++;
                if (sender.executing < maxSeatsPerSender) {
                    turns.putIfAbsent(name, sender);
                }
            } finally {
                lock.unlock();
            }
            try {
                if (ticket.granted.tryAcquire(waitNanos, TimeUnit.NANOSECONDS)) {
                    return () -> leave(sender);
                }
            } catch (InterruptedException e) {
                if (giveUp(sender, ticket)) {
                    leave(sender);
                }
                throw e;
            }
            return giveUp(sender, ticket) ? () -> leave(sender) : null;
        }

        @Nullable
        Seat enterExempt() {
            if (exempt.incrementAndGet() > maxRequests) {
                exempt.decrementAndGet();
                full.increment();
                return null;
            }
            dispatched.increment();
            return exempt::decrementAndGet;
        }

        private Seat seat(Sender sender) {
            executing++;
            sender.executing++;
            dispatched.increment();
            return () -> leave(sender);
        }

        /** Ends a wait. True if a seat was granted in the meantime. */
        private boolean giveUp(Sender sender, Ticket ticket) {
            lock.lock();
            try {
                if (ticket.seated) {
                    return true;
                }
                sender.waiting.remove(ticket);
                waiting--;
                timedOut.increment();
                if (sender.waiting.isEmpty()) {
                    turns.remove(sender.name);
                }
                removeIfIdle(sender);
                return false;
            } finally {
                lock.unlock();
            }
        }

        private void leave(Sender sender) {
            lock.lock();
            try {
                executing--;
                sender.executing--;
                if (!sender.waiting.isEmpty()) {
                    turns.putIfAbsent(sender.name, sender);
                }
                removeIfIdle(sender);
                while (executing < seats && !turns.isEmpty()) {
                    grantNext();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Grants a seat to the first sender in turn, who then goes to the end of the order. */
        private void grantNext() {
            Sender sender = turns.pollFirstEntry().getValue();
            Ticket ticket = sender.waiting.remove();
            waiting--;
            ticket.seated = true;
            seat(sender);
            ticket.granted.release();
            if (!sender.waiting.isEmpty() && sender.executing < maxSeatsPerSender) {
                turns.put(sender.name, sender);
            }
        }

        private void removeIfIdle(Sender sender) {
            if (sender.executing == 0 && sender.waiting.isEmpty()) {
                senders.remove(sender.name);
            }
        }

        private int executing() {
            return locked(() -> executing) + exempt.get();
        }

        private int waiting() {
            return locked(() -> waiting);
        }

        private int locked(IntSupplier value) {
            lock.lock();
            try {
                return value.getAsInt();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The requests of a level that are being executed. */
    int executing(Flow.Level level) {
        return queue(level).executing();
    }

    /** The requests of a level that wait for a seat. */
    int waiting(Flow.Level level) {
        return queue(level).waiting();
    }
}
