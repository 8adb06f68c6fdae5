package dev.wheelhouse.controller;

/** Brings one object to its wanted state. Never called for one key by two threads at once. */
@FunctionalInterface
public interface Reconciler<K> {
    /**
     * Looks at the current state of the key and acts on it.
     *
     * @return how it ended; whatever is thrown counts as {@link Result.Retry}
     * @throws InterruptedException if the thread was asked to stop; the key stays queued
     */
    Result reconcile(K key) throws InterruptedException;
}
