package dev.wheelhouse.controller;

/** Brings one object to its desired state. Two threads never call it for the same key at once. */
@FunctionalInterface
public interface Reconciler<K> {
    /**
     * Compares the current state of the key with the desired one, and acts.
     *
     * @return the outcome; an exception counts as {@link Result.Retry}
     * @throws InterruptedException if the thread was asked to stop; the key is queued again
     */
    Result reconcile(K key) throws InterruptedException;
}
