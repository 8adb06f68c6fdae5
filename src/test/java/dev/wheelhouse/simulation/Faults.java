package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.SteppedManager;
import dev.wheelhouse.testing.WriteRequest;

/** Injects faults between one manager and the API server, determined by a seed. */
final class Faults implements Interceptor {
    private static final int RARE = 400;
    /** A limit above the number of calls of any run that makes progress. */
    private static final int MOST_CALLS = 10_000;

    private final Random random;
    private final Story story;
    private final String manager;
    private final Checks checks;
    private final KubeClient.Discovered discovered;
    private final Map<String, Deque<ListPage<?>>> earlier = new HashMap<>();
    private @Nullable SteppedManager process;
    private double rate;
    private boolean frozen;
    private boolean crashed;
    private int calls;
    private int lateCreates;
    private int lateWrites;
    private int lateDeletes;
    private int lateRefused;
    private @Nullable String lastDeleted;

    /**
     * @param discovered the types that discovery lists
     * @param rate the probability of a fault per call; 0 for none
     */
    Faults(Random random, Story story, String manager, Checks checks, KubeClient.Discovered discovered, double rate) {
        this.random = random;
        this.story = story;
        this.manager = manager;
        this.checks = checks;
        this.discovered = discovered;
        this.rate = rate;
    }

    /** Names the process whose calls these are. */
    void of(SteppedManager made) {
        process = made;
    }

    /** The name of the manager. */
    String manager() {
        return manager;
    }

    /** Ends all faults, and delivers what was held back. */
    void end() {
        rate = 0;
        frozen = false;
    }

    /** Starts faults again after {@link #end}. */
    void goOn(double newRate) {
        rate = newRate;
    }

    /** Stops the manager's watches without its knowledge, because another manager leads now. */
    void freeze() {
        frozen = true;
        checks.deposed();
        lateCreates = 0;
        lateDeletes = 0;
    }

    /** The number of pods, unchanged since it read them, that the manager has deleted since it was frozen. */
    int deletesSinceFrozen() {
        return lateDeletes;
    }

    /** The number of objects that the manager has created since it was frozen. */
    int createsSinceFrozen() {
        return lateCreates;
    }

    /** The manager's writes since it was frozen. */
    Tally late() {
        return new Tally(0, lateWrites, lateRefused, createsSinceFrozen(), lateDeletes);
    }

    private void count() {
        if (++calls > MOST_CALLS) {
            throw new AssertionError(manager + " has called the API server " + calls + " times");
        }
    }

    boolean isCrashed() {
        return crashed;
    }

    private boolean strikes() {
        return rate > 0 && random.nextDouble() < rate;
    }

    @Override
    public <R> R write(WriteRequest request, Supplier<R> call) {
        count();
        if (crashed) {
            throw silence(request.toString());
        }
        V1Pod victim = victim(request);
        if (!frozen && victim != null) {
            checks.history().attempt(Truth.uid(victim));
        }
        if (!strikes() || frozen) {
            lastDeleted = null;
            R answer = carryOut(request, call);
            if (!frozen) {
                checks.history().acknowledge(lastDeleted);
            }
            return answer;
        }
        String what = manager + ": " + request;
        switch (random.nextInt(7)) {
            case 0 -> throw refused(what, request.verb().equals("create") ? 500 : 409, "Conflict", "changed meanwhile");
            case 1 -> throw refused(what, 429, "TooManyRequests", "slow down");
            case 2 -> throw refused(what, 500, "InternalError", "etcd has no leader");
            case 3 -> {
                story.tell(what + " gets no answer, and did not happen");
                throw silence(what);
            }
            case 4 -> {
                carryOut(request, call);
                story.tell(what + " gets no answer, though it happened");
                throw silence(what);
            }
            case 5 -> {
                story.tell(manager + " crashes before " + request);
                crashed = true;
                throw silence(what);
            }
            default -> {
                carryOut(request, call);
                story.tell(manager + " crashes after " + request);
                crashed = true;
                throw silence(what);
            }
        }
    }

    private @Nullable V1Pod victim(WriteRequest request) {
        return request.type().equals(ResourceType.PODS) && request.verb().equals("delete")
                ? checks.truth().pod(request.key())
                : null;
    }

    private <R> R carryOut(WriteRequest request, Supplier<R> call) {
        if (request.type().equals(ResourceType.EVENTS)) {
            return call.get();
        }
        SteppedManager writes = Objects.requireNonNull(process);
        Write write = new Write(request, writes.writer(), writes);
        List<String> suspicions = frozen ? checks.late(write) : checks.before(write);
        lateWrites += frozen ? 1 : 0;
        V1Pod victim = victim(request);
        try {
            R answer = call.get();
            lastDeleted = victim == null ? null : Truth.uid(victim);
            lateDeletes += frozen && victim != null ? 1 : 0;
            lateCreates += frozen && request.verb().equals("create") ? 1 : 0;
            if (frozen && request.subresource().isEmpty()) {
                checks.history().wroteLate(request.type(),
                        answer instanceof KubernetesObject o ? ObjectKey.of(o) : request.key());
            }
            story.tell(manager + ": " + request
                    + (answer instanceof KubernetesObject o ? " -> " + Truth.brief(o) : ""));
            suspicions.forEach(story::violation);
            checks.after(write);
            return answer;
        } catch (KubeApiException e) {
            story.tell(manager + ": " + request + " -> " + e.code() + " " + e.reason());
            lateRefused += frozen ? 1 : 0;
            throw e;
        }
    }

    private KubeApiException refused(String what, int code, String reason, String message) {
        story.tell(what + " -> " + code + " " + reason + ", by chance");
        return new KubeApiException(what, code, reason, message, code == 429 ? Duration.ofSeconds(1) : null);
    }

    private static KubeApiException silence(String what) {
        return new KubeApiException(what, new java.net.SocketTimeoutException("no answer"));
    }

    @Override
    public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
        count();
        if (crashed || strikes()) {
            throw new KubeApiException("get " + type + " " + key, 500, "InternalError", "etcd has no leader", null);
        }
        return call.get();
    }

    @Override
    @SuppressWarnings("unchecked") // A scope always lists objects of one type.
    public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options, Supplier<ListPage<T>> call) {
        count();
        if (crashed || strikes()) {
            throw new KubeApiException("list " + type, 500, "InternalError", "etcd has no leader", null);
        }
        Deque<ListPage<?>> pages = earlier.computeIfAbsent(type + " " + scope, s -> new ArrayDeque<>());
        String least = options.resourceVersion();
        if (least != null && options.continueToken() == null && rate > 0 && random.nextInt(3) == 0) {
            for (ListPage<?> page : pages) {
                if (least.equals("0") || ResourceVersions.atLeast(page.resourceVersion(), least)) {
                    story.tell(manager + " lists " + type.plural() + " as of the older version "
                            + page.resourceVersion());
                    return (ListPage<T>) page;
                }
            }
        }
        ListPage<T> page = call.get();
        if (page.continueToken() == null && options.continueToken() == null) {
            pages.add(page);
        }
        return page;
    }

    @Override
    public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
        count();
        if (crashed || strikes()) {
            throw new KubeApiException("watch " + type, 500, "InternalError", "etcd has no leader", null);
        }
        return new Watch<>(call.get(), type);
    }

    @Override
    public KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        count();
        if (crashed || strikes()) {
            throw new KubeApiException("discovery", 500, "InternalError", "etcd has no leader", null);
        }
        return discovered;
    }

    private final class Watch<T> implements WatchStream<T> {
        private final WatchStream<T> behind;
        private final ResourceType type;
        private final Deque<WatchEvent<T>> ahead = new ArrayDeque<>();
        private int held;
        private boolean cut;

        Watch(WatchStream<T> behind, ResourceType type) {
            this.behind = behind;
            this.type = type;
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            if (frozen || crashed || cut) {
                return null;
            }
            if (rate > 0) {
                if (held > 0) {
                    held--;
                    return null;
                }
                switch (random.nextInt(RARE)) {
                    case 0 -> {
                        story.tell(manager + "'s watch of " + type.plural() + " ends");
                        cut = true;
                        return null;
                    }
                    case 1 -> {
                        story.tell(manager + "'s watch of " + type.plural() + " breaks");
                        cut = true;
                        throw new KubeApiException("watch " + type, new java.io.IOException("connection reset"));
                    }
                    case 2, 3, 4, 5, 6, 7, 8, 9 -> {
                        held = random.nextInt(60);
                        story.tell(manager + "'s watch of " + type.plural() + " is late by " + held + " turns");
                        return null;
                    }
                    default -> {
                    }
                }
            }
            WatchEvent<T> event = ahead.isEmpty() ? behind.next(maxWait) : ahead.poll();
            if (rate > 0 && event instanceof WatchEvent.Modified<T> first && random.nextInt(3) == 0) {
                WatchEvent<T> next = ahead.isEmpty() ? behind.next(maxWait) : ahead.poll();
                if (next instanceof WatchEvent.Modified<T> second && key(first.object()).equals(key(second.object()))) {
                    return next;
                }
                if (next != null) {
                    ahead.addFirst(next);
                }
            }
            return event;
        }

        private Object key(T object) {
            return object instanceof KubernetesObject o
                    ? List.of(ObjectKey.of(o), String.valueOf(o.getMetadata().getUid()))
                    : new ArrayList<>();
        }

        @Override
        public boolean isEnded() {
            return cut || (ahead.isEmpty() && behind.isEnded());
        }

        @Override
        public boolean onReady(Runnable wake) {
            return behind.onReady(wake);
        }

        @Override
        public void close() {
            behind.close();
        }
    }
}
