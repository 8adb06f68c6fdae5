package dev.wheelhouse.console;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.kubernetes.client.openapi.models.CoreV1Event;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;

/** Reads the Events about an object from the API server, at most once in two seconds for each object. Thread safe. */
final class Events {
    private static final Duration KEPT = Duration.ofSeconds(2);
    private static final int MOST = 50;
    private static final int MOST_KEPT = 100;

    private final KubeClient client;
    private final Clock clock;
    private final Map<String, Kept> byUid = BoundedMap.byAge(MOST_KEPT);

    /** @param at milliseconds since 1970 */
    record Line(long at, String type, String reason, String message, int count) {}

    private record Kept(List<Line> lines, long until) {}

    Events(KubeClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /** The Events about an object, newest first; empty if they cannot be read. */
    List<Line> about(Assessment.Item object) {
        synchronized (byUid) {
            Kept kept = byUid.get(object.uid());
            if (kept != null && clock.nanoTime() - kept.until < 0) {
                return kept.lines;
            }
        }
        List<Line> lines = read(object);
        synchronized (byUid) {
            byUid.remove(object.uid());
            byUid.put(object.uid(), new Kept(lines, clock.deadline(KEPT)));
        }
        return lines;
    }

    private List<Line> read(Assessment.Item object) {
        List<Line> lines = new ArrayList<>();
        try {
            // An Event about an object without a namespace is in the namespace default.
            String namespace = object.key().namespace().isEmpty() ? "default" : object.key().namespace();
            for (CoreV1Event event : client.resource(ResourceType.EVENTS, CoreV1Event.class)
                    .list(namespace, LabelSelector.everything(),
                            FieldSelector.of("involvedObject.uid", object.uid()), ListOptions.cached())
                    .items()) {
                OffsetDateTime at = Objects.requireNonNullElse(event.getLastTimestamp(),
                        Objects.requireNonNullElse(event.getEventTime(), event.getMetadata().getCreationTimestamp()));
                lines.add(new Line(at == null ? 0 : at.toInstant().toEpochMilli(), String.valueOf(event.getType()),
                        String.valueOf(event.getReason()), String.valueOf(event.getMessage()),
                        event.getCount() == null ? 1 : event.getCount()));
            }
        } catch (KubeApiException e) {
            return List.of();
        }
        lines.sort(Comparator.comparingLong(Line::at).reversed());
        return List.copyOf(lines.subList(0, Math.min(MOST, lines.size())));
    }
}
