package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

/**
 * A decision about one primary object: the objects that it wants, its status, conditions, Events, and when to decide
 * again. Objects that were wanted before and are not any more are deleted. Not thread safe.
 */
public final class Decision {
    private final List<KubernetesObject> objects = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private @Nullable Object status;
    private @Nullable Duration requeueAfter;
    private boolean keepsOthers;

    private Decision() {}

    /** A condition of the status. */
    public record Condition(String type, boolean status, String reason, String message) {
        /** @throws IllegalArgumentException if the type is null or blank: the condition could not be found again */
        public Condition {
            if (type == null || type.isBlank()) {
                throw new IllegalArgumentException("a condition needs a type, such as Ready");
            }
        }
    }

    /** A Kubernetes Event about the primary object. */
    public record Event(EventType type, String reason, String message) {}

    /**
     * Wants these objects, in this order. Each needs a name; its namespace is the primary object's, unless it says
     * another one. It gets the primary object as its controller. Fields that are not set belong to others.
     */
    public static Decision apply(KubernetesObject... objects) {
        return new Decision().and(objects);
    }

    /** Wants nothing, so that everything that was wanted before is deleted. */
    public static Decision nothing() {
        return new Decision();
    }

    /** Leaves the owned objects as they are. */
    public static Decision keep() {
        Decision decision = new Decision();
        decision.keepsOthers = true;
        return decision;
    }

    /** Wants these objects, too. */
    public Decision and(KubernetesObject... more) {
        objects.addAll(List.of(more));
        return this;
    }

    /** Keeps objects that were wanted before, although they are not named here. */
    public Decision keepingOthers() {
        keepsOthers = true;
        return this;
    }

    /**
     * Wants this status.
     *
     * @param value an object that becomes {@code status} in JSON
     */
    public Decision status(Object value) {
        status = value;
        return this;
    }

    /**
     * Sets a condition. Its transition time changes only with its status, and its observed generation is the primary
     * object's.
     */
    public Decision condition(String type, boolean value, String reason, String message) {
        conditions.add(new Condition(type, value, reason, message));
        return this;
    }

    /** Records an Event. Equal Events are combined, so that deciding the same again does no harm. */
    public Decision event(EventType type, String reason, String message) {
        events.add(new Event(type, reason, message));
        return this;
    }

    /** Decides again after this time, although nothing has changed. The shortest of several times counts. */
    public Decision requeueAfter(Duration delay) {
        requeueAfter = requeueAfter == null || delay.compareTo(requeueAfter) < 0 ? delay : requeueAfter;
        return this;
    }

    /** The wanted objects, in order. */
    public List<KubernetesObject> objects() {
        return List.copyOf(objects);
    }

    /** Whether owned objects that are not wanted here stay. */
    public boolean keepsOthers() {
        return keepsOthers;
    }

    /** The wanted status; null to leave it as it is, except for the conditions. */
    public @Nullable Object status() {
        return status;
    }

    public List<Condition> conditions() {
        return List.copyOf(conditions);
    }

    public List<Event> events() {
        return List.copyOf(events);
    }

    /** Null if nothing but a change leads to the next decision. */
    public @Nullable Duration requeueAfter() {
        return requeueAfter;
    }
}
