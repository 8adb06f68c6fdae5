package dev.wheelhouse.apiserver;

/** The class path lacks an optional library. The message is a sentence that names the dependency to add. */
public final class MissingLibraryException extends IllegalStateException {
    MissingLibraryException(String message) {
        super(message);
    }
}
