package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.runtime.Durations;

/**
 * What goes wrong on purpose, for tests of clients. Thread safe. Rules are asked in the order in which they were made; every
 * delay that fits is waited for, and the first failure that fits is the answer.
 */
public final class Faults {
    private final ObjectStore store;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();

    Faults(ObjectStore store) {
        this.store = store;
    }

    /**
     * Begins a rule.
     *
     * @param verb {@code get}, {@code list}, {@code watch}, {@code create}, {@code update}, {@code patch}, {@code delete},
     *        {@code deletecollection}, or {@code *}
     * @param resource {@code pods}, {@code deployments} or {@code deployments.apps}, {@code pods/status}, or {@code *}
     */
    public Rule on(String verb, String resource) {
        return new Rule(verb, resource);
    }

    /** Ends every watch. Clients may start them again from where they were. */
    public void cutWatches() {
        store.cutWatches();
    }

    /** Forgets all past versions: watches and lists at an older one are answered by 410. */
    public void compactNow() {
        store.compact();
    }

    /** Ends all rules. Requests that wait go on. */
    public void clear() {
        rules.forEach(Rule::end);
    }

    /** The answer that a rule gives in the server's place, or null. Waits where a rule says so. */
    @Nullable
    ApiResponse before(ApiRequest request) {
        if (rules.isEmpty()) {
            return null;
        }
        RequestInfo about = request.about();
        for (Rule rule : rules) {
            if (rule.fits(about) && rule.take()) {
                ApiResponse answer = rule.apply(about);
                if (answer != null) {
                    return answer;
                }
            }
        }
        return null;
    }

    /** Which requests, and what befalls them. It holds from the call of {@link #fail} or {@link #delay} on. */
    public final class Rule {
        private final String verb;
        private final String resource;
        private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        private final AtomicInteger hits = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);
        private Duration delay = Duration.ZERO;
        private int code;
        private String message = "";

        private Rule(String verb, String resource) {
            this.verb = verb;
            this.resource = resource;
        }

        /** Only for the next so many requests. */
        public Rule times(int count) {
            left.set(count);
            return this;
        }

        /** Answers with an error of this HTTP code, and leaves the objects alone. */
        public Rule fail(int httpCode, String why) {
            code = httpCode;
            message = why;
            rules.add(this);
            return this;
        }

        /** Waits before the request is worked on, at most until the rule ends. */
        public Rule delay(Duration wait) {
            delay = wait;
            rules.add(this);
            return this;
        }

        /** How many requests it has befallen. */
        public int hits() {
            return hits.get();
        }

        /** Ends this rule. Requests that wait by it go on. */
        public void end() {
            rules.remove(this);
            ended.countDown();
        }

        private boolean fits(RequestInfo request) {
            return (verb.equals("*") || verb.equals(request.verb()))
                    && (resource.equals("*") || isNamed(request));
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
            try {
                ended.await(Durations.saturatedNanos(delay), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return code == 0
                    ? null
                    : Refusals.status(code, "injected fault: " + request.verb() + " of "
                            + request.resourceAndSubresource() + ": "
                            + message);
        }
    }
}
