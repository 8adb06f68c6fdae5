package dev.wheelhouse.api;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** The logs of the containers of one node, for an API server in the same process. Thread safe. */
@FunctionalInterface
public interface ContainerLogs {
    /**
     * The wanted part of a log, as in kubectl's {@code logs}.
     *
     * @param follow whether the text goes on while the container runs
     * @param previous whether the log of the last run but one is wanted
     * @param timestamps whether each line begins with its time
     * @param since the time of the first line; null for any
     * @param tailLines the number of lines at the end; negative for all
     * @param limitBytes the length of the text; negative for any
     */
    record Query(ObjectKey pod, String uid, String container, boolean follow, boolean previous, boolean timestamps,
            @Nullable Instant since, long tailLines, long limitBytes) {}

    /** The text of a log. */
    @FunctionalInterface
    interface Text {
        /** @param gone whether nobody reads any more */
        void writeTo(OutputStream out, BooleanSupplier gone) throws IOException;
    }

    /** Null if there is no such log. */
    @Nullable
    Text open(Query query);
}
