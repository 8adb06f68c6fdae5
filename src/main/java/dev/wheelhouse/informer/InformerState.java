package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * What an informer knows of itself, at one moment.
 *
 * @param namespace empty for all
 * @param selector what it selects within that, {@code "app=web; spec.nodeName=a"}; empty for everything
 * @param synced whether the cache has held the whole initial list
 * @param objects how many it holds
 * @param resourceVersion up to which version it has followed, or empty
 * @param lastEvent when the server last told it something, be it by a list, an event or a bookmark; null if it never did
 * @param lastFailure why the last list or watch failed; null after a success
 * @param counts what has happened since it was made
 * @param handlers its handlers, in the order of their registration
 */
public record InformerState(ResourceType type, String namespace, String selector, boolean synced, int objects,
        String resourceVersion, @Nullable Instant lastEvent, @Nullable Failure lastFailure, Counts counts,
        List<Handler> handlers) {

    /**
     * A list or watch that failed.
     *
     * @param verb {@code list} or {@code watch}
     * @param status the HTTP status; 0 if there was no answer
     * @param message what failed, with verb and status, and what to do about it
     */
    public record Failure(String verb, int status, String message) {}

    /**
     * @param bytesReceived by watches and lists, as far as the connection counts them
     * @param events that watches brought
     * @param relists lists after the first, by cause
     * @param watchEnds watches that ended, by cause: each was followed by another, at once or after a backoff
     * @param decodeErrors objects that were skipped
     * @param lastDecodeError the last of them, with key and field; or null
     * @param queued changes that were read and are not in the cache yet
     */
    public record Counts(long bytesReceived, long events, Map<String, Long> relists, Map<String, Long> watchEnds,
            long decodeErrors, @Nullable String lastDecodeError, long queued) {
        static final Counts NONE = new Counts(0, 0, Map.of(), Map.of(), 0, null, 0);
    }

    /**
     * One registration.
     *
     * @param synced whether it was told the whole initial list
     * @param pending notifications that wait for it
     * @param calls of the handler
     * @param failed calls that threw
     * @param conflations updates that were merged with a later one because it was slow
     * @param time all calls together took
     * @param longest the longest of them
     */
    public record Handler(String name, boolean synced, int pending, long calls, long failed, long conflations,
            Duration time, Duration longest) {}

    /** One without counts, handlers and selector, as a substitute for an informer has them. */
    public static InformerState of(ResourceType type, String namespace, boolean synced, int objects,
            String resourceVersion, @Nullable Failure lastFailure) {
        return new InformerState(type, namespace, "", synced, objects, resourceVersion, null, lastFailure, Counts.NONE,
                List.of());
    }

    /** Why the last list or watch failed, with verb and HTTP status, and what to do about it; null after a success. */
    public @Nullable String lastError() {
        return lastFailure == null ? null : lastFailure.message();
    }

    /** Lists after the first. */
    public long relists() {
        return sum(counts.relists());
    }

    /** Watches after the first. */
    public long watchRestarts() {
        return sum(counts.watchEnds());
    }

    private static long sum(Map<String, Long> byCause) {
        return byCause.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * By how much the cache may be behind the server at most: the time since the server last told it something, which it does by
     * a bookmark about once a minute if nothing happens. Null before it was told anything.
     */
    public @Nullable Duration lag(Instant now) {
        return lastEvent == null ? null : Duration.between(lastEvent, now);
    }

    /** Why it has not synced, in a sentence; empty if it has. */
    public String reasonNotSynced() {
        if (synced) {
            return "";
        }
        return name() + ": " + (lastFailure == null ? "the first list has not come yet" : lastFailure.message());
    }

    /** What it caches, in words: {@code "pods in default (app=web)"}. */
    public String name() {
        return type.groupResource() + (namespace.isEmpty() ? "" : " in " + namespace)
                + (selector.isEmpty() ? "" : " (" + selector + ")");
    }
}
