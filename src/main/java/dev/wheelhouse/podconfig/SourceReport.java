package dev.wheelhouse.podconfig;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state of a source.
 *
 * @param from the path or URL that it reads; empty for the API server
 * @param lastRead the time of its last successful read; null if there was none or it is not known here
 * @param failure why the last read failed; empty after a success, and before the first read
 * @param refusals the last refusals of manifests, newest first
 */
public record SourceReport(String source, String from, @Nullable Instant lastRead, String failure,
        List<Refused> refusals) {
    public SourceReport {
        refusals = List.copyOf(refusals);
    }

    /**
     * One refusal.
     *
     * @param at when it began
     * @param current whether it still holds
     */
    public record Refused(Instant at, Refusal refusal, boolean current) {}
}
