package dev.wheelhouse.controller;

import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.workqueue.Priority;

/**
 * One change of an object in a cache. At least one of the two states is not null.
 *
 * @param before the state before the change; null for an addition
 * @param after the state after the change; null for a deletion
 * @param initial whether the addition is part of the initial list
 */
public record Change<T extends KubernetesObject>(@Nullable T before, @Nullable T after, boolean initial) {
    public boolean isAddition() {
        return before == null;
    }

    public boolean isUpdate() {
        return before != null && after != null;
    }

    public boolean isDeletion() {
        return after == null;
    }

    /** Whether the object is gone or is being deleted. */
    public boolean isEnding() {
        return isDeletion() || object().getMetadata().getDeletionTimestamp() != null;
    }

    /** Whether the update repeats a version, as a resync does. */
    public boolean isResync() {
        return isUpdate() && !alters(object -> object.getMetadata().getResourceVersion());
    }

    /** Whether this is an update with another value of a part of the object. */
    public boolean alters(Function<? super T, ? extends @Nullable Object> part) {
        return before != null && after != null && !Objects.equals(part.apply(before), part.apply(after));
    }

    /** The last known state. */
    public T object() {
        return after != null ? after : Objects.requireNonNull(before);
    }

    /** The states before and after the change: two of an update, one otherwise. */
    public Stream<T> states() {
        return Stream.concat(Stream.ofNullable(before), Stream.ofNullable(after));
    }

    /** Low for the initial list and for resyncs, so that they do not delay live changes. */
    public Priority priority() {
        return initial || isResync() ? Priority.BACKGROUND : Priority.LIVE;
    }
}
