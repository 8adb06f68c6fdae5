package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Clock;

/**
 * Maps kinds to resources by the server's discovery, each in the version that the server prefers (upstream: client-go
 * {@code restmapper}). It reads discovery when it is asked for the first time, when the
 * last read is 30 s old, and when a kind is missing and the last read is 2 s old. A group whose discovery fails keeps
 * its resources. Thread safe.
 */
public final class ResourceMapper {
    private static final Duration LONGEST_AGE = Duration.ofSeconds(30);
    private static final Duration AGE_TO_LOOK_AGAIN = Duration.ofSeconds(2);

    private final KubeClient client;
    private final Clock clock;
    private Map<GroupKind, ResourceType> types = Map.of();
    private boolean read;
    private long readAt;

    private record GroupKind(String group, String kind) {}

    public ResourceMapper(KubeClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /**
     * The resource of a kind.
     *
     * @param apiVersion a version of the kind's group; the version itself does not matter
     * @throws KubeApiException if there is no such kind (404, with upstream's message), or discovery fails
     */
    public ResourceType of(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        ResourceType type = find(new GroupKind(group, kind));
        if (type == null) {
            throw new KubeApiException("find the resource of " + kind + " in discovery", 404, "NotFound",
                    "no matches for kind \"" + kind + "\" in group \"" + group + "\"", null);
        }
        return type;
    }

    private synchronized @Nullable ResourceType find(GroupKind kind) {
        if (!read || isOlderThan(LONGEST_AGE) || !types.containsKey(kind) && isOlderThan(AGE_TO_LOOK_AGAIN)) {
            read();
        }
        return types.get(kind);
    }

    private boolean isOlderThan(Duration age) {
        return clock.nanoTime() - readAt >= age.toNanos();
    }

    private void read() {
        KubeClient.Discovered discovered = client.discover();
        Map<GroupKind, ResourceType> now = new HashMap<>();
        discovered.types().forEach(type -> now.putIfAbsent(new GroupKind(type.group(), type.kind()), type));
        types.forEach((kind, type) -> {
            if (discovered.failedFor(type)) {
                now.putIfAbsent(kind, type);
            }
        });
        types = now;
        read = true;
        readAt = clock.nanoTime();
    }
}
