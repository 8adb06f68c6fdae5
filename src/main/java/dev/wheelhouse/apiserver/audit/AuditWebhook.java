package dev.wheelhouse.apiserver.audit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Sends events to a service in batches. Beyond a number or a size of waiting events further ones are dropped, and so is
 * a batch that could not be sent five times; both are counted (upstream: {@code apiserver/plugin/pkg/audit/buffered}
 * and {@code webhook}). Requests never wait for it. Thread safe.
 */
public final class AuditWebhook extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(AuditWebhook.class);
    private static final int MOST_EVENTS = 10_000;
    private static final long MOST_BYTES = 64L * 1024 * 1024;
    private static final int BATCH = 400;
    private static final int ATTEMPTS = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final RemoteService service;
    private final long maxWait;
    private final Clock clock;
    private int attempts;
    private final LogBudget failures;
    private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MOST_EVENTS);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    /** The time of the clock at which the next batch is due. Only the loop uses it, as the batch that is sent. */
    private long due;
    private final List<byte[]> batch = new ArrayList<>();

    /** @param maxWait how long an event may wait for others */
    public AuditWebhook(RemoteService service, Duration maxWait, Clock clock) {
        this.service = service;
        this.maxWait = maxWait.toNanos();
        this.clock = clock;
        this.failures = new LogBudget(clock);
        this.due = clock.nanoTime() + maxWait.toNanos();
    }

    void add(byte[] event) {
        if (bytes.addAndGet(event.length) > MOST_BYTES || !waiting.offer(event)) {
            bytes.addAndGet(-event.length);
            drop(1, "more events wait for the audit webhook than fit");
        } else if (waiting.size() >= BATCH) {
            wake();
        }
    }

    /** The number of events that were not sent. */
    long dropped() {
        return dropped.get();
    }

    private void drop(int events, String why) {
        dropped.addAndGet(events);
        failures.warn(log, why + "; " + events + " audit events are dropped");
    }

    @Override
    public long step() {
        long left = due - clock.nanoTime();
        if (isClosed()) {
            return IDLE;
        }
        if (batch.isEmpty() && left > 0 && waiting.size() < BATCH) {
            return left;
        }
        try {
            send(TIMEOUT);
        } catch (IOException e) {
            if (++attempts < ATTEMPTS) {
                return Duration.ofSeconds(10).toNanos();
            }
            drop(batch.size(), "the audit webhook does not answer: " + e.getMessage());
        }
        attempts = 0;
        batch.clear();
        due = clock.nanoTime() + maxWait;
        return BUSY;
    }

    private void send(Duration timeout) throws IOException {
        if (batch.isEmpty()) {
            waiting.drainTo(batch, BATCH);
            bytes.addAndGet(-batch.stream().mapToLong(event -> event.length).sum());
        }
        if (batch.isEmpty()) {
            return;
        }
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        String before = "{\"kind\":\"EventList\",\"apiVersion\":\"audit.k8s.io/v1\",\"metadata\":{},\"items\":[";
        for (byte[] event : batch) {
            list.writeBytes(before.getBytes(StandardCharsets.UTF_8));
            list.writeBytes(event);
            before = ",";
        }
        list.writeBytes("]}".getBytes(StandardCharsets.UTF_8));
        service.post(list.toByteArray(), timeout);
    }

    /** Sends what waits, after the loop has ended. What cannot be sent within five seconds is dropped. */
    void flush() {
        long end = clock.deadline(Duration.ofSeconds(5));
        for (; !batch.isEmpty() || !waiting.isEmpty(); batch.clear()) {
            try {
                send(Duration.ofNanos(Math.max(1_000_000, end - clock.nanoTime())));
            } catch (IOException e) {
                drop(batch.size(), "the server ends, and the audit webhook does not answer: " + e.getMessage());
            }
        }
    }
}
