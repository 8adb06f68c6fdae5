package dev.wheelhouse.controllers.volume;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;

/**
 * The next actions of a sync. A binding takes up to four writes, each of which needs the answer to the one before.
 *
 * @param next the continuation after the actions have succeeded
 * @param operation the work that the step begins or goes on with; null if none is measured
 * @param failed whether that work has failed already
 */
record BindingStep(List<Action> actions, Next next, @Nullable Operation operation, boolean failed) {
    /** Nothing is left to do. */
    static final BindingStep NONE = new BindingStep(List.of(), Next.DONE, null, false);
    /** Nothing is left to do for the volume; its claim is to be synced. */
    static final BindingStep CLAIM = new BindingStep(List.of(), Next.CLAIM, null, false);

    enum Next {
        DONE,
        /** Decide again with the answers of the writes. */
        AGAIN,
        /** The sync of the claim goes on from here. */
        CLAIM,
        /** The sync fails and is tried again. */
        RETRY
    }

    /** Work whose duration and failures are measured. */
    enum Operation {
        PROVISION, DELETE, DEFAULT_CLASS
    }

    /** Actions after which something else than another decision follows. */
    static BindingStep of(List<Action> actions, Next next) {
        return new BindingStep(List.copyOf(actions), next, null, false);
    }

    /** The last actions of a sync, without those that are null. */
    static BindingStep last(@Nullable Action... actions) {
        return new BindingStep(Stream.of(actions).filter(Objects::nonNull).toList(), Next.DONE, null, false);
    }

    /** A write after which more may follow. */
    static BindingStep next(Write write) {
        return new BindingStep(List.of(write), Next.AGAIN, null, false);
    }

    /** Writes that follow a live check, after which more may follow. */
    static BindingStep next(Action.RequireGone check, Write write) {
        return new BindingStep(List.of(check, write), Next.AGAIN, null, false);
    }

    /** This step as part of an operation. */
    BindingStep of(Operation work, boolean hasFailed) {
        return new BindingStep(actions, next, work, hasFailed);
    }
}
