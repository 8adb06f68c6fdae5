package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * The last external values of an operator's primary objects. Values of objects that are gone are dropped. Thread safe.
 */
final class ExternalValues<P extends KubernetesObject> {
    private final Declaration<P> declaration;
    private final Caches<P> caches;
    private final WorkQueue<ObjectKey> queue;
    private final Clock clock;
    private final Map<External<?>, Map<ObjectKey, Known>> values = new HashMap<>();

    /**
     * @param asOf null if the first read failed
     * @param uid of the primary object: another one of its name has no value yet
     */
    private record Known(@Nullable Object value, @Nullable Instant asOf, String uid) {}

    /** @param queue gets the objects whose values have changed */
    ExternalValues(Declaration<P> declaration, Caches<P> caches, WorkQueue<ObjectKey> queue, Clock clock) {
        this.declaration = declaration;
        this.caches = caches;
        this.queue = queue;
        this.clock = clock;
        declaration.polls().forEach(polled -> values.put(polled.external(), new ConcurrentHashMap<>()));
        declaration.inbounds().forEach(inbound -> values.put(inbound.external(), new ConcurrentHashMap<>()));
    }

    private Map<ObjectKey, Known> of(External<?> external) {
        Map<ObjectKey, Known> known = values.get(external);
        if (known == null) {
            throw new IllegalArgumentException(
                    "operator " + declaration.name() + " does not declare the external value "
                            + external + ": add setup.poll or setup.inbound in its setup");
        }
        return known;
    }

    private @Nullable Known known(External<?> external, KubernetesObject primary) {
        Known known = of(external).get(ObjectKey.of(primary));
        return known == null || !known.uid.equals(primary.getMetadata().getUid()) ? null : known;
    }

    @Nullable
    Object value(External<?> external, KubernetesObject primary) {
        Known known = known(external, primary);
        return known == null ? null : known.value;
    }

    @Nullable
    Instant asOf(External<?> external, KubernetesObject primary) {
        Known known = known(external, primary);
        return known == null ? null : known.asOf;
    }

    void forget(ObjectKey key) {
        values.values().forEach(known -> known.remove(key));
    }

    /** A value that is polled and has not been read for the object yet; null if there is none. */
    @Nullable
    External<?> unread(P primary) {
        return declaration.polls().stream().<External<?>>map(External.Polled::external)
                .filter(external -> known(external, primary) == null).findFirst().orElse(null);
    }

    /** Keeps a value that was read or sent just now, and reconciles the object if the value is another one. */
    void put(External<?> external, ObjectKey key, @Nullable Object value) {
        P primary = caches.primary(key);
        if (primary != null) {
            put(external, primary, value, clock.now());
        }
    }

    private void put(External<?> external, P primary, @Nullable Object value, @Nullable Instant asOf) {
        ObjectKey key = ObjectKey.of(primary);
        Known before = known(external, primary);
        of(external).put(key, new Known(value, asOf, String.valueOf(primary.getMetadata().getUid())));
        if (caches.primary(key) == null) {
            forget(key);
        } else if (before == null || !Objects.equals(before.value, value)) {
            queue.add(key);
        }
    }

    /** Reads a value by its poll. */
    Result poll(External.Polled<P, ?> polled, Timeouts timeouts, ObjectKey key) throws InterruptedException {
        P primary = caches.primary(key);
        if (primary == null) {
            forget(key);
            return Result.done();
        }
        Timeouts.Running running = timeouts.begin();
        Throwable failure = null;
        boolean tooLate = false;
        try {
            put(polled.external(), key, polled.poll().poll(ModelJson.copy(primary)));
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            failure = e;
        } finally {
            tooLate = running.end();
        }
        if (failure == null) {
            return Result.requeueAfter(polled.period());
        }
        if (tooLate) {
            failure = new TimeoutException("it took longer than " + polled.timeout() + " and was interrupted")
                    .initCause(failure);
        } else if (failure instanceof InterruptedException stopped) {
            throw stopped;
        }
        if (known(polled.external(), primary) == null) {
            put(polled.external(), primary, null, null);
        }
        Instant asOf = asOf(polled.external(), primary);
        return Result.retry(new IllegalStateException("the poll of " + polled.external() + " failed, "
                + (asOf == null ? "and there is no value yet" : "so the value of " + asOf + " stays") + ": " + failure,
                failure));
    }
}
