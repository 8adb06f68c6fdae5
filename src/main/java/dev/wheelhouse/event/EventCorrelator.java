package dev.wheelhouse.event;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.runtime.BoundedMap;

/**
 * Limits the number of Events (upstream: client-go {@code tools/record/events_cache.go}). A repeated Event raises the
 * count of the first one. If ten Events differ only in their message, with gaps of at most ten minutes, the tenth and
 * further ones are combined into one. A component may report 25 Events about one object at once, then one every five
 * minutes. Not thread safe.
 */
final class EventCorrelator {
    private static final int REMEMBERED = 4096;
    private static final int SIMILAR = 10;
    private static final Duration SIMILAR_WITHIN = Duration.ofMinutes(10);
    private static final int BURST = 25;
    private static final double REFILL_SECONDS = 300;

    private final Map<String, Similar> similar = BoundedMap.byUse(REMEMBERED);
    private final Map<String, Seen> seen = BoundedMap.byUse(REMEMBERED);
    private final Map<String, Budget> budgets = BoundedMap.byUse(REMEMBERED);
    private final Supplier<Instant> now;
    private final Supplier<String> uniqueSuffix;

    /**
     * The write for an Event.
     *
     * @param repeats whether an Event of this name was written before, so that its count, time and message are patched
     */
    record Correlated(CoreV1Event event, boolean repeats) {}

    private record Seen(String name, int count, OffsetDateTime first) {}

    private static final class Similar {
        final Set<String> messages = new HashSet<>();
        Instant last = Instant.MIN;
    }

    private static final class Budget {
        double tokens = BURST;
        Instant last;

        Budget(Instant now) {
            last = now;
        }

        boolean take(Instant now) {
            double passed = Duration.between(last, now).toNanos() / 1e9;
            tokens = Math.min(BURST, tokens + Math.max(0, passed) / REFILL_SECONDS);
            last = now;
            if (tokens < 1) {
                return false;
            }
            tokens--;
            return true;
        }
    }

    /** @param uniqueSuffix supplies the part that makes an Event's name unique */
    EventCorrelator(Supplier<Instant> now, Supplier<String> uniqueSuffix) {
        this.now = now;
        this.uniqueSuffix = uniqueSuffix;
    }

    /** The write for an Event; null if the object's budget is used up. */
    @Nullable
    Correlated correlate(CoreV1Event incoming) {
        String object = objectKey(incoming);
        String group = object + "\n" + incoming.getReason();
        String part = String.valueOf(incoming.getInvolvedObject().getFieldPath());
        Instant time = now.get();
        Similar like = similar.computeIfAbsent(group, g -> new Similar());
        if (like.last.equals(Instant.MIN) || Duration.between(like.last, time).compareTo(SIMILAR_WITHIN) > 0) {
            like.messages.clear();
        }
        like.messages.add(String.valueOf(incoming.getMessage()));
        like.last = time;
        Correlated correlated;
        if (like.messages.size() < SIMILAR) {
            correlated = count(incoming, group + "\n" + part + "\n" + incoming.getMessage());
        } else {
            like.messages.remove(like.messages.iterator().next());
            correlated = count(combined(incoming), group);
        }
        return budgets.computeIfAbsent(object, o -> new Budget(time)).take(time) ? correlated : null;
    }

    private CoreV1Event combined(CoreV1Event one) {
        one.getMetadata().setName(EventNames.of(String.valueOf(one.getInvolvedObject().getName()), uniqueSuffix.get()));
        one.setMessage("(combined from similar events): " + one.getMessage());
        return one;
    }

    private Correlated count(CoreV1Event event, String key) {
        Seen before = seen.get(key);
        if (before != null) {
            event.getMetadata().setName(before.name);
            event.setFirstTimestamp(before.first);
            event.setCount(before.count + 1);
        }
        seen.put(key, new Seen(String.valueOf(event.getMetadata().getName()), event.getCount() == null
                ? 1
                : event.getCount(), event.getFirstTimestamp()));
        return new Correlated(event, before != null);
    }

    /** The key of the budget that an Event counts against. Parts of an object share the object's budget. */
    private static String objectKey(CoreV1Event event) {
        V1ObjectReference about = event.getInvolvedObject();
        String source = event.getSource() == null ? "" : event.getSource().getComponent();
        return String.join("\n", source, event.getReportingInstance(), about.getApiVersion(), about.getKind(),
                about.getNamespace(), about.getName(), about.getUid(), event.getType());
    }
}
