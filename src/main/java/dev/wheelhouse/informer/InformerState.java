package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DecodeFailure;

/**
 * The state of an informer at one moment.
 *
 * @param namespace the namespace; empty for all
 * @param selector the selectors as text, such as {@code "app=web; spec.nodeName=a"}; empty for everything
 * @param synced whether the cache has held the whole initial list
 * @param objects the number of cached objects
 * @param resourceVersion the version that the cache has reached; empty before the first list
 * @param lastEvent the time of the last list, event or bookmark from the server; null before the first one
 * @param lastFailure why the last list or watch failed; null after a success
 * @param counts the events since the informer was created
 * @param handlers the handlers in the order of their registration
 */
public record InformerState(ResourceType type, String namespace, String selector, boolean synced, int objects,
        String resourceVersion, @Nullable Instant lastEvent, @Nullable Failure lastFailure, Counts counts,
        List<Handler> handlers) {

    /**
     * A list or watch that failed.
     *
     * @param verb {@code list} or {@code watch}
     * @param status the HTTP status; 0 if there was no response
     * @param message the failed operation, its status, and the remedy
     */
    public record Failure(String verb, int status, String message) {}

    /**
     * The counters of an informer.
     *
     * @param bytesReceived the bytes that lists and watches received, as far as the connection counts them
     * @param events the events that watches delivered, bookmarks included
     * @param relists the times that the collection was read again from the start, by cause
     * @param watchEnds the watches that ended, by cause
     * @param decodeErrors the objects that were skipped because they could not be decoded
     * @param lastDecodeError the last such object, with its key, the field and the problem; null if there was none
     * @param queued the changes that were read and are not in the cache yet
     * @param unreadable the objects that the server has in a state that could not be decoded, by their last failures;
     *     the cache lacks them, or has an older state. At most a thousand, in no order
     */
    public record Counts(long bytesReceived, long events, Map<String, Long> relists, Map<String, Long> watchEnds,
            long decodeErrors, @Nullable String lastDecodeError, long queued,
            List<DecodeFailure> unreadable) {}

    /**
     * The state of one registered handler.
     *
     * @param synced whether the handler was called for the whole initial list
     * @param pending the notifications that wait for the handler
     * @param calls the number of calls
     * @param failed the calls that threw
     * @param conflations the updates that were merged with a later one because the handler was slow
     * @param time the duration of all calls together
     * @param longest the duration of the longest call
     */
    public record Handler(String name, boolean synced, int pending, long calls, long failed, long conflations,
            Duration time, Duration longest) {}

    /** The message of {@link #lastFailure}; null after a success. */
    public @Nullable String lastError() {
        return lastFailure == null ? null : lastFailure.message();
    }

    /**
     * The upper bound of the cache's delay behind the server: the time since the server's last message. If nothing
     * happens, the server sends a bookmark about once a minute. Null before the first message.
     */
    public @Nullable Duration lag(Instant now) {
        return lastEvent == null ? null : Duration.between(lastEvent, now);
    }

    /** A sentence that says why the cache has not synced; empty if it has. */
    public String reasonNotSynced() {
        if (synced) {
            return "";
        }
        return name() + ": " + (lastFailure == null ? "the first list has not come yet" : lastFailure.message());
    }

    /** The cached collection in words, such as {@code "pods in default (app=web)"}. */
    public String name() {
        return type.groupResource() + (namespace.isEmpty() ? "" : " in " + namespace)
                + (selector.isEmpty() ? "" : " (" + selector + ")");
    }
}
