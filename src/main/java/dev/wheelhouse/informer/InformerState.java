package dev.wheelhouse.informer;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * What an informer knows of itself, at one moment.
 *
 * @param namespace empty for all
 * @param synced whether the cache has held the whole initial list
 * @param objects how many it holds
 * @param resourceVersion up to which version it has followed, or empty
 * @param lastEvent when it last heard from the server, or null
 * @param lastError why the last list or watch failed, with verb and HTTP status, and what to do about it; null after a success
 * @param relists lists after the first
 * @param watchRestarts watches after the first
 */
public record InformerState(ResourceType type, String namespace, boolean synced, int objects, String resourceVersion,
        @Nullable Instant lastEvent, @Nullable String lastError, long relists, long watchRestarts) {

    /** Why it has not synced, in a sentence; empty if it has. */
    public String reasonNotSynced() {
        if (synced) {
            return "";
        }
        return type.groupResource() + (namespace.isEmpty() ? "" : " in " + namespace) + ": "
                + (lastError == null ? "the first list has not come yet" : lastError);
    }
}
