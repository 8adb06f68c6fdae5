package dev.wheelhouse.event;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1EventSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Writes the Events of all recorders, one per step (upstream: client-go {@code tools/record/event.go}). Recorders
 * append to a bounded buffer and never wait; an Event that does not fit is dropped and counted. If the server does not
 * respond, or asks for a later try (429 or 5xx with Retry-After), an Event is tried up to twelve times, about every ten
 * seconds, and the others go on meanwhile. Any other error of the server drops the Event. Thread safe.
 */
public final class EventBroadcaster extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);
    private static final int BUFFERED = 1000;
    /** The most characters of a message. Some messages contain texts of objects, and the correlator remembers them. */
    private static final int LONGEST_MESSAGE = 4096;
    private static final int TRIES = 12;
    /** The pause after an Event's first failure. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    /** The pause after each further failure. */
    private static final Duration PAUSE = Duration.ofSeconds(10);
    /** The pause of all Events after two of them have failed in a row, so that the server is probably at fault. */
    private static final Duration PAUSE_OF_ALL = Duration.ofSeconds(1);

    private final ResourceClient<CoreV1Event> events;
    private final Clock clock;
    private final EventMetrics metrics;
    private final Journal journal;
    private final BlockingQueue<Recorded> buffer = new ArrayBlockingQueue<>(BUFFERED);
    private final AtomicLong lastNanos = new AtomicLong();
    private final EventCorrelator correlator;

    /** Guards the fields below and the correlator, which both the loop's thread and {@link #drain} use. */
    private final ReentrantLock writing = new ReentrantLock();
    /** The Events that wait for another try, {@link #BUFFERED} at most, each in its latest state. */
    private final Map<ObjectKey, Unwritten> waiting = new LinkedHashMap<>();
    /** The Event whose write failed, if it was the last write; else null. */
    private @Nullable ObjectKey lastFailed;
    private long notBefore;

    /** @param sync the sync that recorded the Event, for the journal; null if the journal gets nothing */
    private record Recorded(CoreV1Event event, Journal.@Nullable Sync sync) {}

    /**
     * @param repeats see {@link EventCorrelator.Correlated}
     * @param tries the attempts that have failed
     * @param due the time of the clock of the next attempt
     */
    private record Unwritten(CoreV1Event event, boolean repeats, Journal.@Nullable Sync sync, int tries, long due) {}

    /** A broadcaster without a journal. */
    public EventBroadcaster(KubeClient client, Clock clock, EventMetrics metrics) {
        this(client, clock, metrics, Journal.NONE);
    }

    /** @param journal gets the writes of the Events whose recorder has a source of syncs */
    public EventBroadcaster(KubeClient client, Clock clock, EventMetrics metrics, Journal journal) {
        this.events = client.sharing().withoutRetries().resource(ResourceType.EVENTS, CoreV1Event.class);
        this.clock = clock;
        this.metrics = metrics;
        this.journal = journal;
        this.correlator = new EventCorrelator(clock::now, () -> Long.toHexString(uniqueNanos()));
        this.notBefore = clock.nanoTime();
    }

    /** A recorder for a component, such as {@code kubelet}. The journal does not get the writes of its Events. */
    public EventRecorder recorder(String component) {
        return recorder(component, () -> null);
    }

    /**
     * A recorder for a component, such as {@code deployment-controller}.
     *
     * @param sync the sync that the journal names as the reason of an Event; called by each thread that records one
     */
    public EventRecorder recorder(String component, Supplier<Journal.@Nullable Sync> sync) {
        return (regardingType, regarding, fieldPath, type, reason, message) -> {
            CoreV1Event event = event(component, regardingType, regarding, type, reason, message);
            event.getInvolvedObject().setFieldPath(fieldPath.isEmpty() ? null : fieldPath);
            offer(component, new Recorded(event, sync.get()));
        };
    }

    private void offer(String component, Recorded recorded) {
        if (isClosed() || !buffer.offer(recorded)) {
            CoreV1Event event = recorded.event;
            metrics.dropped(component, "buffer_full");
            log.debug("{}: dropped the event {} about {}, because the buffer is full: {}", component, event.getReason(),
                    event.getInvolvedObject().getName(), event.getMessage());
            return;
        }
        wake();
    }

    private CoreV1Event event(String component, ResourceType regardingType, KubernetesObject regarding, String type,
            String reason, String message) {
        V1ObjectMeta meta = regarding.getMetadata();
        String name = meta.getName() == null ? "" : meta.getName();
        String namespace = meta.getNamespace() == null ? "" : meta.getNamespace();
        OffsetDateTime time = OffsetDateTime.ofInstant(clock.now(), ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
        return new CoreV1Event().apiVersion("v1").kind("Event")
                .metadata(new V1ObjectMeta().name(EventNames.of(name, Long.toHexString(uniqueNanos())))
                        .namespace(namespace.isEmpty() ? "default" : namespace))
                .involvedObject(new V1ObjectReference().apiVersion(regardingType.apiVersion())
                        .kind(regardingType.kind()).name(name).namespace(namespace.isEmpty() ? null : namespace)
                        .uid(meta.getUid()).resourceVersion(meta.getResourceVersion()))
                .type(type).reason(reason).message(shortened(message)).count(1).firstTimestamp(time).lastTimestamp(time)
                .source(new V1EventSource().component(component)).reportingComponent(component)
                .reportingInstance("");
    }

    private static String shortened(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE - 1) + "…";
    }

    /** The time in nanoseconds, increased if needed so that no two Events get the same name. */
    private long uniqueNanos() {
        Instant now = clock.now();
        long nanos = now.getEpochSecond() * 1_000_000_000L + now.getNano();
        return lastNanos.updateAndGet(last -> Math.max(last + 1, nanos));
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        writing.lock();
        try {
            return writeOne(false);
        } finally {
            writing.unlock();
        }
    }

    /**
     * Correlates or writes one Event.
     * @param lastChance whether to write without a pause and without a further attempt
     * @return the time until the next step is due, in nanoseconds
     */
    private long writeOne(boolean lastChance) {
        long pause = notBefore - clock.nanoTime();
        if (pause > 0 && !lastChance) {
            return pause;
        }
        Recorded recorded = waiting.size() < BUFFERED || lastChance ? buffer.poll() : null;
        if (recorded == null) {
            Unwritten earliest = earliest();
            if (earliest == null) {
                return IDLE;
            }
            long left = earliest.due - clock.nanoTime();
            return left > 0 && !lastChance ? left : attempt(earliest, lastChance);
        }
        EventCorrelator.Correlated correlated = correlator.correlate(recorded.event);
        if (correlated == null) {
            metrics.dropped(component(recorded.event), "spam");
            return BUSY;
        }
        Unwritten before = waiting.get(ObjectKey.of(correlated.event()));
        Unwritten next = new Unwritten(correlated.event(), correlated.repeats(), recorded.sync,
                before == null ? 0 : before.tries, before == null ? clock.nanoTime() : before.due);
        if (before == null || lastChance) {
            return attempt(next, lastChance);
        }
        waiting.put(ObjectKey.of(next.event), next);
        return BUSY;
    }

    /** The waiting Event whose next attempt is due first. */
    private @Nullable Unwritten earliest() {
        long now = clock.nanoTime();
        return waiting.values().stream().min(Comparator.comparingLong(next -> next.due - now)).orElse(null);
    }

    private long attempt(Unwritten next, boolean lastChance) {
        ObjectKey key = ObjectKey.of(next.event);
        waiting.remove(key);
        try {
            write(next);
            metrics.written(component(next.event));
            lastFailed = null;
        } catch (KubeApiException e) {
            if (mayPass(e) && !lastChance && next.tries + 1 < TRIES) {
                Duration wait = next.tries == 0 ? FIRST_PAUSE : PAUSE;
                if (e.retryAfter() != null && e.retryAfter().compareTo(wait) > 0) {
                    wait = e.retryAfter();
                }
                log.debug("an event could not be written, retrying in {} s: {}", wait.toSeconds(), e.getMessage());
                waiting.put(key, new Unwritten(next.event, next.repeats, next.sync, next.tries + 1,
                        clock.deadline(wait)));
                if (lastFailed != null && !lastFailed.equals(key)) {
                    notBefore = clock.deadline(PAUSE_OF_ALL);
                }
                lastFailed = key;
            } else {
                drop(next.event, e);
            }
        }
        return BUSY;
    }

    /**
     * Whether the same write may succeed later: there was no answer, or the server asks for another try. Go's client
     * itself repeats a write for which the server asks (client-go {@code rest/with_retry.go}).
     */
    private static boolean mayPass(KubeApiException error) {
        return error.code() == 0 || error.retryAfter() != null && (error.isTooManyRequests() || error.code() >= 500);
    }

    private void drop(CoreV1Event event, KubeApiException error) {
        metrics.dropped(component(event), mayPass(error) ? "unreachable" : "rejected");
        if (error.isAlreadyExists() || error.isNamespaceTerminating()) {
            log.debug("the server rejected an event: {}", error.getMessage());
        } else {
            log.warn("the event {} about {} {} is lost: {}", event.getReason(), event.getInvolvedObject().getKind(),
                    event.getInvolvedObject().getName(), error.getMessage());
        }
    }

    private void write(Unwritten next) {
        CoreV1Event event = next.event;
        if (next.repeats) {
            try {
                send(next, "patch", 200, () -> events.patch(ObjectKey.of(event), "", PatchType.STRATEGIC_MERGE,
                        repetition(event)));
                return;
            } catch (KubeApiException e) {
                if (!e.isNotFound()) {
                    throw e;
                }
            }
        }
        send(next, "create", 201, () -> events.create(event));
    }

    private void send(Unwritten next, String verb, int success, Supplier<CoreV1Event> request) {
        long sent = journal.nanoTime();
        try {
            CoreV1Event answer = request.get();
            note(next, verb, sent, success, String.valueOf(answer.getMetadata().getResourceVersion()));
        } catch (KubeApiException e) {
            note(next, verb, sent, e.code(), String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void note(Unwritten next, String verb, long sent, int code, String answer) {
        if (next.sync != null) {
            journal.add(next.sync, verb, ResourceType.EVENTS, ObjectKey.of(next.event),
                    next.event.getReason() + ": " + next.event.getMessage(), sent, code, answer);
        }
    }

    private static String repetition(CoreV1Event event) {
        Map<String, Object> patch = new LinkedHashMap<>();
        patch.put("count", event.getCount());
        patch.put("lastTimestamp", event.getLastTimestamp());
        patch.put("message", event.getMessage());
        return ModelJson.write(patch);
    }

    private static String component(CoreV1Event event) {
        return event.getReportingComponent() == null ? "" : event.getReportingComponent();
    }

    /** Whether every recorded Event was written or dropped. */
    public boolean isIdle() {
        writing.lock();
        try {
            return waiting.isEmpty() && buffer.isEmpty();
        } finally {
            writing.unlock();
        }
    }

    /**
     * Closes this broadcaster, then writes the buffered Events on the calling thread, each with one attempt, until
     * {@code within} is over.
     *
     * @return the number of Events that were not even tried
     */
    public int drain(Duration within) throws InterruptedException {
        close();
        long deadline = clock.deadline(within);
        if (!writing.tryLock(Durations.saturatedNanos(within), TimeUnit.NANOSECONDS)) {
            return buffer.size();
        }
        try {
            while (deadline - clock.nanoTime() > 0 && !Thread.currentThread().isInterrupted()
                    && writeOne(true) != IDLE) {
                // Each call removes one Event from the buffer, or from those that wait.
            }
            return buffer.size() + waiting.size();
        } finally {
            writing.unlock();
        }
    }
}
