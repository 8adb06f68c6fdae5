package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.Authorization;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.apiserver.work.OutOfBudgetException;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

/**
 * The steps of a request that all transports share: authorization by the head, a seat, the work with its deadline and
 * its memory, and the metrics. Injected {@link Faults} come before the work. Thread safe.
 */
final class RequestPipeline {
    /** The memory that a hostile body's tree, and values computed from it, need per byte of the body. */
    private static final int MEMORY_PER_BODY_BYTE = 32;
    /** The most bytes of a body whose work a virtual thread of this process does itself. */
    private static final int SMALL = 32 * 1024;
    private static final Set<String> SMALL_WRITES = Set.of("create", "update", "patch", "delete");

    private final RestServer rest;
    private final Faults faults;
    private final Traffic traffic;
    private final RequestMetrics metrics;
    private final LogBudget failures;
    private final Clock clock;
    private final boolean open;
    private final boolean durable;
    private final int maxRequests;
    private final Duration deadline;
    /** The requests that have begun and not ended, without exempt ones, which {@link FlowControl} limits. */
    private final AtomicInteger limited = new AtomicInteger();
    private final Map<String, Integer> limitedBySender = new ConcurrentHashMap<>();
    private final Map<String, Integer> watchesBySender = new ConcurrentHashMap<>();

    RequestPipeline(RestServer rest, Faults faults, Traffic traffic, ApiServerOptions options) {
        this.rest = rest;
        this.faults = faults;
        this.traffic = traffic;
        this.metrics = traffic.metrics();
        this.clock = options.clock();
        this.failures = new LogBudget(clock);
        this.open = options.security().open();
        this.durable = options.storage().isDurable();
        this.maxRequests = options.limits().requests();
        this.deadline = options.limits().request();
    }

    /** Whether a sender has shown who it is. */
    boolean knows(Credentials credentials) {
        return rest.knows(credentials);
    }

    /** Decides by its head whether a request is accepted. */
    Authorization authorize(ApiRequest head) {
        return rest.authorize(head);
    }

    /** The queue of an accepted request. */
    Flow flow(ApiRequest head) {
        return Flow.of(head.user(), head.userAgent(), head.about(), open);
    }

    /** Whether the server requires no credentials. */
    boolean isOpen() {
        return open;
    }

    /** The time for the work of a request that does not ask for less. */
    Duration deadline() {
        return deadline;
    }

    /**
     * Begins an accepted request, which lasts until its client has read the answer. A sender may have half of the
     * requests, so that one whose clients do not read keeps nobody out.
     *
     * @return whether there are not too many already; {@link #end} ends this one
     */
    boolean begin(Flow flow) {
        if (flow.level() != Flow.Level.EXEMPT) {
            int own = limitedBySender.merge(flow.sender(), 1, Integer::sum);
            int all = limited.incrementAndGet();
            if (all > maxRequests || own > Math.max(1, maxRequests / 2)) {
                endLimited(flow);
                return false;
            }
        }
        metrics.inFlight().incrementAndGet();
        return true;
    }

    /** Ends a request that has begun. */
    void end(Flow flow) {
        metrics.inFlight().decrementAndGet();
        if (flow.level() != Flow.Level.EXEMPT) {
            endLimited(flow);
        }
    }

    private void endLimited(Flow flow) {
        limited.decrementAndGet();
        release(limitedBySender, flow.sender());
    }

    private static void release(Map<String, Integer> bySender, String sender) {
        bySender.computeIfPresent(sender, (name, own) -> own == 1 ? null : own - 1);
    }

    /**
     * Answers an accepted request, or a fault does.
     *
     * @param memory is charged for the work
     * @param began the time of the clock at which the request came
     */
    ApiResponse answer(Authorization.Granted granted, Flow flow, byte[] body, ByteBudget.Part memory, long began)
            throws InterruptedException {
        ApiRequest head = granted.request();
        ApiResponse answer = faults.before(head);
        if (answer == null) {
            answer = work(granted, flow, body, memory);
        }
        count(head, answer instanceof ApiResponse.Content content ? content.code() : 200, began);
        return answer;
    }

    /**
     * Begins a watch, which {@link #endWatch} ends. A sender may have half of the watches.
     *
     * @param sender null for this process, which may have all
     * @return the watch; if there are too many already, the refusal, and nothing has begun
     */
    ApiResponse beginWatch(@Nullable String sender, ApiResponse.Stream stream) {
        ApiResponse.Content refusal = beginLong(sender);
        if (refusal == null) {
            return stream;
        }
        stream.feed().close();
        return refusal;
    }

    /** Begins an answer that lasts, as a watch does. @return the refusal if there are too many already, else null */
    ApiResponse.@Nullable Content beginLong(@Nullable String sender) {
        int most = traffic.mostWatches();
        int own = sender == null ? 0 : watchesBySender.merge(sender, 1, Integer::sum);
        if (metrics.watches().incrementAndGet() <= most && own <= Math.max(1, most / 2)) {
            return null;
        }
        endWatch(sender);
        metrics.rejected();
        return Refusals.status(429, "there are " + most + " watches already, the most that this server serves, or half "
                + "of them from this sender: try again later");
    }

    /** Ends a watch that has begun. */
    void endWatch(@Nullable String sender) {
        metrics.watches().decrementAndGet();
        if (sender != null) {
            release(watchesBySender, sender);
        }
    }

    /** Whether an injected fault loses the answer to a request. */
    boolean losesAnswer(ApiRequest head) {
        return faults.losesAnswer(head);
    }

    void count(ApiRequest head, int code, long began) {
        metrics.answered(head.about(), head.contentType().startsWith("application/apply-patch"), head.isDryRun(), code,
                clock.nanoTime() - began);
    }

    private ApiResponse work(Authorization.Granted granted, Flow flow, byte[] body, ByteBudget.Part memory)
            throws InterruptedException {
        if (flow.isProbe()) {
            return rest.answer(granted, body);
        }
        Duration wait = granted.timeout();
        Deadline until = Deadline.in(wait != null && wait.compareTo(deadline) < 0 ? wait : deadline, clock);
        if (body.length > BodyReader.UNCHARGED && !memory.take(
                Math.min((long) body.length * MEMORY_PER_BODY_BYTE, traffic.work().total()),
                deadline.dividedBy(4))) {
            return tooManyRequests();
        }
        FlowControl.Seat seat = traffic.flows().enter(flow);
        if (seat == null) {
            return tooManyRequests();
        }
        Allowance allowance = (bytes, inAll) -> grant(memory, inAll ? memory.missing(bytes) : bytes);
        if (isDoneHere(granted.request(), body.length)) {
            try (seat) {
                return until.call(() -> allowance.call(() -> rest.answer(granted, body)));
            }
        }
        try {
            AuditEvent audit = AuditEvent.current();
            return new Work(() -> AuditEvent.call(audit, () -> allowance.call(() -> rest.answer(granted, body))), until,
                    seat::close, failures).answeredBy(traffic.workers());
        } catch (RejectedExecutionException e) {
            return tooManyRequests();
        }
    }

    ApiResponse.Content tooManyRequests() {
        metrics.rejected();
        return Refusals.of(Errors.tooManyRequests());
    }

    /**
     * Whether the calling thread does the work, because passing it to another thread would cost more: a read of one
     * object, whose size is limited, and a call of this process. A virtual thread must not compute for long, because
     * health checks need its carrier, so of the calls on virtual threads, only small writes of one object are done
     * there: their callers encode and decode the object on the same thread. Events are passed on nevertheless, so that
     * the one thread that writes them yields to all other writers. An interrupt of a thread that writes a file would
     * close the file.
     */
    private boolean isDoneHere(ApiRequest head, int length) {
        RequestInfo about = head.about();
        boolean readsOne = about.verb().equals("get") && !about.name().isEmpty() && about.subresource().isEmpty();
        boolean writesLittle = head.credentials().inProcess() && length <= SMALL && SMALL_WRITES.contains(about.verb())
                && !about.resource().equals("events");
        return readsOne || !durable && (writesLittle || !Thread.currentThread().isVirtual());
    }

    /** Charges memory to a request's work. */
    private void grant(ByteBudget.Part memory, long bytes) {
        if (bytes > traffic.work().total()) {
            throw new OutOfBudgetException(bytes, false);
        }
        try {
            if (bytes > 0 && !memory.take(bytes, BodyReader.WAIT_FOR_MEMORY)) {
                throw new OutOfBudgetException(bytes, true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OutOfBudgetException(bytes, true);
        }
    }
}
