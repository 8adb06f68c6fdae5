package dev.wheelhouse.apiserver.auth;

import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;

import org.jspecify.annotations.Nullable;

/**
 * A file of tokens, keys or certificates cannot be used. The message is one sentence for the operator, with the remedy.
 */
public final class AuthConfigException extends RuntimeException {
    public AuthConfigException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Why a file could not be used, in a few words. */
    static String why(Exception e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no such file";
            case CharacterCodingException binary -> "it is not text in UTF-8";
            default -> String.valueOf(e.getMessage());
        };
    }
}
