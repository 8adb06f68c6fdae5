package dev.wheelhouse.workqueue;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The ready keys, in the order in which workers take them: first by priority, with aging; within a priority the flows
 * take turns; within a flow in insertion order. A flow is a group of keys, such as a namespace. Guarded by the queue's
 * lock.
 */
final class ReadyKeys<K> {
    private final Lane<K> live;
    private final Lane<K> background;
    private final long agingNanos;
    private int size;

    /**
     * @param flow the flow of a key; a flow with many keys does not delay the keys of another
     * @param agingNanos a background key goes before live keys that were added more than this much later
     */
    ReadyKeys(Function<? super K, ?> flow, long agingNanos) {
        this.live = new Lane<>(flow);
        this.background = new Lane<>(flow);
        this.agingNanos = agingNanos;
    }

    void push(KeyState<K> entry) {
        entry.queued = true;
        lane(entry.priority).push(entry);
        size++;
    }

    @Nullable
    KeyState<K> pop() {
        KeyState<K> first = live.peek();
        KeyState<K> second = background.peek();
        KeyState<K> taken = first == null
                || (second != null && second.addedAt + agingNanos - first.addedAt < 0) ? second : first;
        if (taken != null) {
            lane(taken.priority).pop();
            taken.queued = false;
            size--;
        }
        return taken;
    }

    /** Changes the priority of a queued entry. */
    void move(KeyState<K> entry, Priority priority) {
        lane(entry.priority).remove(entry);
        entry.priority = priority;
        lane(priority).push(entry);
    }

    int size() {
        return size;
    }

    private Lane<K> lane(Priority priority) {
        return priority == Priority.LIVE ? live : background;
    }

    /**
     * The flows of one priority that have keys, in turn order. A flow that becomes empty out of turn is removed at its
     * turn.
     */
    private static final class Lane<K> {
        private final Function<? super K, ?> flow;
        private final Map<Object, Flow<K>> flows = new HashMap<>();
        private final ArrayDeque<Flow<K>> turns = new ArrayDeque<>();
        /** The flow of the last lookup. The next key probably belongs to it, which saves a map lookup. */
        private @Nullable Flow<K> latest;

        Lane(Function<? super K, ?> flow) {
            this.flow = flow;
        }

        private Flow<K> flowOf(KeyState<K> entry) {
            Object name = flow.apply(entry.key);
            Flow<K> found = latest;
            if (found != null && found.name.equals(name)) {
                return found;
            }
            found = flows.get(name);
            if (found == null) {
                found = new Flow<>(name);
                flows.put(name, found);
                turns.add(found);
            }
            latest = found;
            return found;
        }

        void push(KeyState<K> entry) {
            flowOf(entry).append(entry);
        }

        @Nullable
        KeyState<K> peek() {
            for (Flow<K> next = turns.peek(); next != null; next = turns.peek()) {
                if (next.head != null) {
                    return next.head;
                }
                turns.remove();
                flows.remove(next.name);
                if (latest == next) {
                    latest = null;
                }
            }
            return null;
        }

        /** Removes the entry that {@link #peek} returned last, and gives the turn to the next flow. */
        void pop() {
            Flow<K> turn = turns.element();
            if (turn.head != null) {
                turn.unlink(turn.head);
            }
            if (turns.size() > 1) {
                turns.add(turns.remove());
            }
        }

        void remove(KeyState<K> entry) {
            flowOf(entry).unlink(entry);
        }
    }

    private static final class Flow<K> {
        final Object name;
        @Nullable
        KeyState<K> head;
        @Nullable
        KeyState<K> tail;

        Flow(Object name) {
            this.name = name;
        }

        void append(KeyState<K> entry) {
            entry.previous = tail;
            if (tail == null) {
                head = entry;
            } else {
                tail.next = entry;
            }
            tail = entry;
        }

        void unlink(KeyState<K> entry) {
            KeyState<K> previous = entry.previous;
            KeyState<K> next = entry.next;
            if (previous == null) {
                head = next;
            } else {
                previous.next = next;
            }
            if (next == null) {
                tail = previous;
            } else {
                next.previous = previous;
            }
            entry.previous = null;
            entry.next = null;
        }
    }
}
