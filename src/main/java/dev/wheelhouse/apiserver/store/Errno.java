package dev.wheelhouse.apiserver.store;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The messages of POSIX systems for I/O errors. The JDK passes them on as text, often without an error code. */
final class Errno {
    static final String NO_SPACE = "No space left on device";
    static final String QUOTA = "Disk quota exceeded";
    static final String READ_ONLY = "Read-only file system";
    static final String DENIED = "Permission denied";
    static final String NOT_PERMITTED = "Operation not permitted";
    static final String GONE = "No such file or directory";
    private static final Set<String> ALL = Set.of(NO_SPACE, QUOTA, READ_ONLY, DENIED, NOT_PERMITTED, GONE,
            "Input/output error", "File too large", "Stale file handle", "Too many open files",
            "Transport endpoint is not connected", "No such device", "No such device or address",
            "Too many open files in system", "Cannot allocate memory", "Structure needs cleaning",
            "Remote I/O error", "Connection timed out");

    private Errno() {}

    static boolean isNamedBy(@Nullable String message) {
        return message != null && ALL.contains(message);
    }
}
