package dev.wheelhouse.podconfig;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How a source fares.
 *
 * @param from the path or URL that it reads, or empty
 * @param lastRead when it was last read, or null
 * @param failure why the last attempt to read it failed; empty after a success
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
     * @param at when it was first made
     * @param current whether it still holds
     */
    public record Refused(Instant at, Refusal refusal, boolean current) {}
}
