package dev.wheelhouse.controller;

import java.time.Instant;

/**
 * A key whose last sync failed.
 *
 * @param since the time of the first failure since the last success
 * @param failures the failures in a row; 0 if the key waits for a change of its object
 * @param error the last failure in words
 */
public record FailingKey(String key, Instant since, int failures, String error) {}
