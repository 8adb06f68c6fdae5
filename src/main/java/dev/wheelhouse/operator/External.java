package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Names a value from outside of the cluster that each primary object has, such as the load of a database. It is read
 * regularly ({@link Setup#poll}) or sent by its source ({@link Setup#inbound}). The last value of each primary object
 * is kept, {@link Related#external} has it, and another value reconciles the object.
 *
 * <pre>{@code
 * static final External<Integer> LOAD = External.named("load");
 * }</pre>
 *
 * Immutable; two handles are never equal.
 *
 * @param <T> immutable values with value equality
 */
public final class External<T> {
    private final String name;

    private External(String name) {
        this.name = name;
    }

    /**
     * A new handle.
     *
     * @param name of lower-case letters, digits, - and ., for logs and metrics; unique in an operator
     */
    public static <T> External<T> named(String name) {
        if (!Names.isSubdomain(name)) {
            throw new IllegalArgumentException(
                    "the external value \"" + name + "\" is not named by lower-case letters, digits, - and .");
        }
        return new External<>(name);
    }

    @Override
    public String toString() {
        return name;
    }

    /** A value for a test: {@code Related.of(objects, LOAD.given(7))}. */
    public Given<T> given(T value) {
        return new Given<>(this, value);
    }

    /** A value that a test gives. */
    public record Given<T>(External<T> external, T value) {}

    /** Reads the value of one primary object. */
    @FunctionalInterface
    public interface Poll<P extends KubernetesObject, T> {
        /**
         * Reads the value. Runs on threads of its own, and is interrupted at its deadline and when the operator ends.
         *
         * @param primary a copy of the object in the cache
         * @return null if there is no value
         * @throws Exception for any failure: the last value stays, and the value is read again after a growing delay
         */
        @Nullable
        T poll(P primary) throws Exception;
    }

    /** Sends values. It starts when the operator may act, and is run again as {@link ExternalSource} is. */
    @FunctionalInterface
    public interface Source<T> {
        /**
         * Runs until it is interrupted, or returns at once and sends values from its own threads.
         *
         * @param values takes the key of a primary object and its value. Any thread may call it at any time. A value
         *     for an object that the cache does not have is dropped
         */
        void run(BiConsumer<ObjectKey, T> values) throws Exception;
    }

    /** The declaration of a poll. */
    record Polled<P extends KubernetesObject, T>(External<T> external, Duration period, Duration timeout,
            Poll<? super P, ? extends T> poll) {
        /** The delays after failures: from 1 s to the period. */
        RateLimits delays() {
            Duration second = Duration.ofSeconds(1);
            return new RateLimits(period.compareTo(second) < 0 ? period : second, period,
                    RateLimits.CONTROLLER.perSecond(), RateLimits.CONTROLLER.burst());
        }
    }

    /** The declaration of a source. */
    record Inbound<T>(External<T> external, Source<T> source) {}
}
