package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.ManualClock;

/**
 * Injects errors and delays, for tests of clients. Rules apply in the order of their creation: a request waits for each
 * matching delay until a matching error answers it. Thread safe.
 */
@PublicApi
public final class Faults {
    private final ObjectStore store;
    private final Clock clock;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();

    Faults(ObjectStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * Begins a rule for matching requests.
     *
     * @param verb {@code get}, {@code list}, {@code watch}, {@code create}, {@code update}, {@code patch},
     *         {@code delete}, {@code deletecollection}, or {@code *}
     * @param resource {@code pods}, {@code deployments} or {@code deployments.apps}, {@code pods/status}, or {@code *}
     */
    public Rule on(String verb, String resource) {
        return new Rule(verb, resource);
    }

    /** Ends every watch. Clients can resume from the last version that they saw. */
    public void cutWatches() {
        store.cutWatches();
    }

    /** Drops all past versions. Watches and lists at an older version are answered by 410. */
    public void compactNow() {
        store.compact();
    }

    /** Ends all rules. Delayed requests continue. */
    public void clear() {
        rules.forEach(Rule::end);
    }

    /** The injected answer; null if there is none. Waits for injected delays. */
    @Nullable
    ApiResponse before(ApiRequest request) {
        if (rules.isEmpty()) {
            return null;
        }
        RequestInfo about = request.about();
        for (Rule rule : rules) {
            if (!rule.losesAnswer && rule.fits(about) && rule.take()) {
                ApiResponse answer = rule.apply(about);
                if (answer != null) {
                    return answer;
                }
            }
        }
        return null;
    }

    /** Whether the answer to this request, which was executed, is lost. */
    boolean losesAnswer(ApiRequest request) {
        if (rules.isEmpty()) {
            return false;
        }
        RequestInfo about = request.about();
        return rules.stream().anyMatch(rule -> rule.losesAnswer && rule.fits(about) && rule.take());
    }

    /** Matching requests and their fault. The rule applies from the call of {@link #fail},
     * {@link #delay} or {@link #loseAnswer} on. */
    public final class Rule {
        private final String verb;
        private final String resource;
        private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        private final AtomicInteger hits = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);
        private Duration delay = Duration.ZERO;
        private boolean losesAnswer;
        private int code;
        private String message = "";

        private Rule(String verb, String resource) {
            this.verb = verb;
            this.resource = resource;
        }

        /** Limits the rule to the next {@code count} matching requests. */
        public Rule times(int count) {
            left.set(count);
            return this;
        }

        /** Answers with this HTTP code. The request is not executed. */
        public Rule fail(int httpCode, String why) {
            code = httpCode;
            message = why;
            rules.add(this);
            return this;
        }

        /** Executes the request, and breaks the connection before the client gets the answer. */
        public Rule loseAnswer() {
            losesAnswer = true;
            rules.add(this);
            return this;
        }

        /**
         * Delays requests before they are executed. The delay also ends when the rule does. A manual clock is advanced
         * by the delay instead.
         */
        public Rule delay(Duration wait) {
            delay = wait;
            rules.add(this);
            return this;
        }

        /** The number of requests that the rule was applied to. */
        public int hits() {
            return hits.get();
        }

        /** Ends this rule. Requests that it delays continue. */
        public void end() {
            rules.remove(this);
            ended.countDown();
        }

        private boolean fits(RequestInfo request) {
            return (verb.equals("*") || verb.equals(request.verb())) && (resource.equals("*") || isNamed(request));
        }

        private boolean isNamed(RequestInfo request) {
            String sub = request.subresource().isEmpty() ? "" : "/" + request.subresource();
            return resource.equals(request.resource() + sub)
                    || resource.equals(request.resource() + "." + request.group() + sub);
        }

        private boolean take() {
            boolean taken = left.getAndUpdate(n -> n == Integer.MAX_VALUE ? n : Math.max(0, n - 1)) > 0;
            if (taken) {
                hits.incrementAndGet();
            }
            return taken;
        }

        private @Nullable ApiResponse apply(RequestInfo request) {
            if (clock instanceof ManualClock manual) {
                manual.advance(delay);
            } else {
                await();
            }
            return code == 0
                    ? null
                    : Refusals.status(code, "injected fault: " + request.verb() + " of "
                            + request.resourceAndSubresource() + ": " + message);
        }

        private void await() {
            try {
                ended.await(Durations.saturatedNanos(delay), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
