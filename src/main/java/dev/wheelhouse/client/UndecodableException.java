package dev.wheelhouse.client;

/** An object that could not be decoded; carries what there is to report. */
final class UndecodableException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient DecodeFailure failure;

    UndecodableException(DecodeFailure failure, Throwable cause) {
        super(failure.toString(), cause, false, false);
        this.failure = failure;
    }

    UndecodableException(DecodeFailure failure) {
        super(failure.toString(), null, false, false);
        this.failure = failure;
    }

    DecodeFailure failure() {
        return failure;
    }
}
