package dev.wheelhouse.client.decode;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.DecodeFailure;

/** An object cannot be decoded. Carries the failure to report. */
final class UndecodableException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient DecodeFailure failure;

    UndecodableException(DecodeFailure failure, @Nullable Throwable cause) {
        super(failure.toString(), cause, false, false);
        this.failure = failure;
    }

    UndecodableException(DecodeFailure failure) {
        this(failure, null);
    }

    DecodeFailure failure() {
        return failure;
    }
}
