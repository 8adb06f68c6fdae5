package dev.wheelhouse.controller;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A key whose last sync failed.
 *
 * @param since the time of the first failure since the last success
 * @param failures the failures in a row; 0 if the key waits for a change of its object
 * @param error the last failure in words
 * @param nextTry the time of the next sync; null if the key is being synced, is ready, or waits for a change
 */
public record FailingKey(String key, Instant since, int failures, String error, @Nullable Instant nextTry) {}
