package dev.wheelhouse.client;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param items the objects, each with its {@code apiVersion} and {@code kind} filled in
 * @param resourceVersion the version that the whole list stands for
 * @param continueToken the token for the next page, or null if this is the last
 * @param skipped items that could not be decoded; they are reported, not fatal
 */
public record ListPage<T>(List<T> items, String resourceVersion, @Nullable String continueToken,
        List<DecodeFailure> skipped) {}
