package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

/**
 * A decision about one primary object: the objects that should exist, the status, conditions, Events, and when to
 * decide again. Objects that an earlier decision wanted and this one does not are deleted, unless {@link #keep} or
 * {@link #keepingOthers} says otherwise. Not thread safe.
 */
public final class Decision {
    private final List<Wanted> objects = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();
    private final List<String> goneConditions = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private @Nullable Object status;
    private @Nullable Duration requeueAfter;
    private boolean keepsOthers;
    private int step;
    private final IdentityHashMap<KubernetesObject, Predicate<KubernetesObject>> ready = new IdentityHashMap<>();

    private Decision() {}

    /** How a wanted object is written. */
    enum Mode {
        OWNED, ONCE, UNOWNED
    }

    /** @param step the number of its step, from 0 */
    record Wanted(KubernetesObject object, Mode mode, int step) {
        boolean owned() {
            return mode != Mode.UNOWNED;
        }
    }

    /** A condition of the status. */
    public record Condition(String type, ConditionStatus status, String reason, String message) {
        public Condition(String type, boolean status, String reason, String message) {
            this(type, ConditionStatus.of(status), reason, message);
        }

        /**
         * @throws IllegalArgumentException if the type is null or blank, because later decisions could not find the
         *     condition
         */
        public Condition {
            if (type == null || type.isBlank()) {
                throw new IllegalArgumentException("a condition needs a type, such as Ready");
            }
        }
    }

    /** A Kubernetes Event about the primary object. */
    public record Event(EventType type, String reason, String message) {}

    /**
     * Wants these objects, in this order. Each needs a name. Its namespace is the primary object's unless the object
     * has one. The primary object becomes its controller. Fields that are not set are left to other clients. Owned
     * objects that an earlier decision wanted, and this one does not, are deleted.
     */
    public static Decision apply(KubernetesObject... objects) {
        return new Decision().and(objects);
    }

    /**
     * Wants no object: every owned object that an earlier decision wanted is deleted. A decision that only writes a
     * status begins with {@link #keep}.
     */
    public static Decision deleteAll() {
        return new Decision();
    }

    /** Leaves the owned objects as they are. */
    public static Decision keep() {
        Decision decision = new Decision();
        decision.keepsOthers = true;
        return decision;
    }

    /**
     * Begins a further step with these objects. They, and all objects that are named after them, are written only once
     * every object of the earlier steps is ready ({@link Readiness}, {@link #readyWhen}); those that exist already stay
     * as they are. Until then nothing is deleted either, and the plan shows which object is waited for. Objects that
     * are not wanted any more are deleted in the reverse order of their steps, each step once the one after it is gone.
     * {@link Setup#orderedDeletion} does so with the primary object, too.
     */
    public Decision then(KubernetesObject... next) {
        step++;
        return and(next);
    }

    /**
     * Says when a wanted object is ready, in place of {@link Readiness}.
     *
     * @param wanted an object that this decision wants
     * @param when is handed the object as it is stored, at first without a status; a pure function
     * @throws IllegalArgumentException if this decision does not want the object
     */
    public <T extends KubernetesObject> Decision readyWhen(T wanted, Predicate<? super T> when) {
        if (objects.stream().noneMatch(each -> each.object() == wanted)) {
            throw new IllegalArgumentException("readyWhen names " + wanted.getClass().getSimpleName()
                    + ", which this decision does not want: name it by apply, and, then or createOnce before");
        }
        @SuppressWarnings("unchecked") // The stored object has the class of the wanted one.
        Predicate<KubernetesObject> stored = object -> when.test((T) object);
        ready.put(wanted, stored);
        return this;
    }

    /** Wants further objects, in the step that was begun last. */
    public Decision and(KubernetesObject... more) {
        return and(Mode.OWNED, more);
    }

    private Decision and(Mode mode, KubernetesObject... more) {
        for (KubernetesObject object : more) {
            objects.add(new Wanted(object, mode, step));
        }
        return this;
    }

    /**
     * Wants objects that are created if they do not exist, and never changed afterwards: generated passwords, immutable
     * Jobs. They are owned, and deleted when they are not wanted any more, as other objects are. The operator finds in
     * {@link Related} what was created, which may be what another process made.
     */
    public Decision createOnce(KubernetesObject... made) {
        return and(Mode.ONCE, made);
    }

    /**
     * Wants objects that outlive the primary object: {@link Context#applyUnowned} says how they are written. They are
     * never deleted by this decision or a later one.
     */
    public Decision applyUnowned(KubernetesObject... more) {
        return and(Mode.UNOWNED, more);
    }

    /** Keeps the objects that earlier decisions wanted and that this one does not name. */
    public Decision keepingOthers() {
        keepsOthers = true;
        return this;
    }

    /**
     * Wants this status. Its conditions are merged with the stored ones by their types, as those of {@link #condition}
     * are: conditions of other types stay.
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
        return condition(type, ConditionStatus.of(value), reason, message);
    }

    /** The same, also for a status that the operator does not know. */
    public Decision condition(String type, ConditionStatus value, String reason, String message) {
        conditions.add(new Condition(type, value, reason, message));
        return this;
    }

    /** Removes the condition of this type from the status. */
    public Decision withoutCondition(String type) {
        goneConditions.add(type);
        return this;
    }

    /** Records an Event. Equal Events are combined, so repeated decisions may record the same one. */
    public Decision event(EventType type, String reason, String message) {
        events.add(new Event(type, reason, message));
        return this;
    }

    /** Decides again after this time, even if nothing changes. The shortest of several times counts. */
    public Decision requeueAfter(Duration delay) {
        requeueAfter = requeueAfter == null || delay.compareTo(requeueAfter) < 0 ? delay : requeueAfter;
        return this;
    }

    /** The wanted objects, in order. */
    public List<KubernetesObject> objects() {
        return objects.stream().map(Wanted::object).toList();
    }

    /** The wanted objects of each step, in order. */
    public List<List<KubernetesObject>> steps() {
        return IntStream.rangeClosed(0, step).mapToObj(number -> objects.stream()
                .filter(each -> each.step() == number).map(Wanted::object).toList()).toList();
    }

    List<Wanted> wanted() {
        return List.copyOf(objects);
    }

    /** Whether later steps wait for an object. */
    boolean isAwaited(Wanted wanted) {
        return wanted.step() != step;
    }

    /** Why an object keeps later steps waiting, in a clause; empty if it does not. */
    String whyNotReady(Wanted wanted, KubernetesObject stored) {
        Predicate<KubernetesObject> own = ready.get(wanted.object());
        return !isAwaited(wanted)
                ? ""
                : own == null ? Readiness.whyNot(stored) : own.test(stored) ? "" : "it is not ready";
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

    /** The types of the conditions to remove. */
    public List<String> goneConditions() {
        return List.copyOf(goneConditions);
    }

    public List<Event> events() {
        return List.copyOf(events);
    }

    /** The time until the next decision; null if only a change leads to one. */
    public @Nullable Duration requeueAfter() {
        return requeueAfter;
    }
}
