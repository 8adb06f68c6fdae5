package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Reports the objects of an operator's caches that cannot be read into their classes, and that the operator therefore
 * does not see: an Event on the object, the error condition of a primary object, and, after a minute, a reason why the
 * process is not ready. One thread at a time may step it; any thread may ask for the reasons.
 */
final class UnreadableObjects extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(UnreadableObjects.class);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** The most objects that are reported at once, and that are named by reasons. */
    private static final int MOST_NAMED = 10;

    private final Declaration<?> declaration;
    private final Caches<?> caches;
    private final KubeClient client;
    private final EventRecorder events;
    private final boolean observes;
    private final Clock clock;
    private final Map<Known, Long> since = new ConcurrentHashMap<>();
    private final Map<Known, DecodeFailure> reported = new HashMap<>();
    /** Whether the caches have changed what they cannot read since the last look. */
    private final AtomicBoolean changed = new AtomicBoolean();
    private @Nullable Long retry;

    private record Known(ResourceType type, ObjectKey key, String object) {}

    /** @param observes whether nothing may be written */
    UnreadableObjects(Declaration<?> declaration, Caches<?> caches, KubeClient client, EventRecorder events,
            boolean observes, Clock clock) {
        this.declaration = declaration;
        this.caches = caches;
        this.client = client;
        this.events = events;
        this.observes = observes;
        this.clock = clock;
        caches.parts().forEach(part -> caches.informer(part).onUnreadable(() -> {
            changed.set(true);
            wake();
        }));
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        long left = retry == null ? IDLE : retry - clock.nanoTime();
        if (!changed.getAndSet(false) && left > 0) {
            return left;
        }
        retry = null;
        Map<Known, DecodeFailure> now = new LinkedHashMap<>();
        Map<Known, Part<?>> parts = new HashMap<>();
        for (Part<?> part : caches.parts()) {
            for (DecodeFailure failure : caches.informer(part).state().counts().unreadable()) {
                ObjectKey key = failure.key();
                if (key != null) {
                    Known known = new Known(part.type(), key, failure.object());
                    now.put(known, failure);
                    parts.putIfAbsent(known, part);
                }
            }
        }
        since.keySet().retainAll(now.keySet());
        reported.keySet().retainAll(now.keySet());
        int reports = 0;
        for (Map.Entry<Known, DecodeFailure> each : now.entrySet()) {
            since.putIfAbsent(each.getKey(), clock.nanoTime());
            Part<?> part = parts.get(each.getKey());
            if (part == null || each.getValue().equals(reported.get(each.getKey()))) {
                continue;
            }
            if (++reports > MOST_NAMED || !report(part, each.getKey(), each.getValue())) {
                retry = clock.deadline(RETRY);
            }
        }
        return retry == null ? IDLE : RETRY.toNanos();
    }

    /** Tells the object's user. @return whether it worked, or the object is gone */
    private boolean report(Part<?> part, Known known, DecodeFailure failure) {
        String message = "%s cannot read it as %s%s: %s. Correct the object, or the class and its definition".formatted(
                declaration.name(), part.model().getSimpleName(),
                failure.field().isEmpty() ? "" : ", field " + failure.field(), failure.problem());
        try {
            ResourceClient<Unstructured> objects = client.resource(known.type(), Unstructured.class);
            Unstructured object = objects.get(known.key());
            events.event(known.type(), object, EventRecorder.WARNING, "Unreadable", message);
            String type = declaration.errorCondition();
            if (part.role() == Role.PRIMARY && type != null && !observes) {
                String patch = patch(object, type, message);
                if (patch != null) {
                    objects.patch(known.key(), "status", PatchType.MERGE, patch);
                }
            }
            reported.put(known, failure);
            return true;
        } catch (KubeApiException e) {
            log.debug("{}: {} cannot be told that it is unreadable: {}", declaration.name(), failure.object(),
                    e.getMessage());
            return e.isNotFound();
        }
    }

    /** A patch that sets the condition and keeps the other ones; null if the condition is set. */
    private @Nullable String patch(Unstructured object, String type, String message) {
        List<Object> conditions = new ArrayList<>();
        Map<String, Object> mine = new LinkedHashMap<>();
        mine.put("lastTransitionTime", ModelJson.time(OffsetDateTime.ofInstant(clock.now(), ZoneOffset.UTC)));
        if (object.get("status", "conditions") instanceof List<?> before) {
            for (Object each : before) {
                if (!(each instanceof Map<?, ?> condition) || !type.equals(condition.get("type"))) {
                    conditions.add(each);
                } else if ("False".equals(condition.get("status"))) {
                    if (message.equals(condition.get("message"))) {
                        return null;
                    }
                    mine.put("lastTransitionTime", condition.get("lastTransitionTime"));
                }
            }
        }
        mine.putAll(Map.of("type", type, "status", "False", "reason", "Unreadable", "message", message));
        conditions.add(mine);
        return ModelJson.write(Map.of("metadata",
                Map.of("resourceVersion", String.valueOf(object.getMetadata().getResourceVersion())), "status",
                Map.of("conditions", conditions)));
    }

    /** One sentence for each object that cannot be read since a minute. */
    Set<String> reasons() {
        Set<String> reasons = new TreeSet<>();
        since.forEach((known, began) -> {
            if (clock.nanoTime() - began >= PATIENCE.toNanos() && reasons.size() < MOST_NAMED) {
                reasons.add(declaration.name() + " cannot read " + known.object()
                        + ": its Events name the field and the remedy");
            }
        });
        return reasons;
    }
}
