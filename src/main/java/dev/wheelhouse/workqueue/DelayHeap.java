package dev.wheelhouse.workqueue;

import java.util.ArrayList;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.journal.Cause;

/**
 * A binary heap of delayed keys: the key that is due first is on top. Keys with the same due time come out in insertion
 * order. Each element knows its position, so that an earlier due time moves the element instead of adding a second one.
 * A key may have two delays: one that {@code addAfter} asked for, and one that its own last sync asked for. The earlier
 * due time counts. Guarded by the queue's lock.
 */
final class DelayHeap<K> {
    /**
     * The due time and the heap position of a delayed key. It is an object of its own because most keys are never
     * delayed.
     */
    static final class Delay<K> {
        final KeyState<K> entry;
        private final long order;
        private long dueAt;
        private Cause cause;
        private int index;

        Delay(KeyState<K> entry, long dueAt, Cause cause, long order) {
            this.entry = entry;
            this.dueAt = dueAt;
            this.cause = cause;
            this.order = order;
        }

        /** The event that delayed the key; {@link Cause#ITSELF} if its own sync did. */
        Cause cause() {
            return cause;
        }

        long dueAt() {
            return dueAt;
        }
    }

    private final ArrayList<Delay<K>> heap = new ArrayList<>();
    private long orders;

    /** Delays the entry until {@code dueAt}, unless it is already due earlier. */
    void schedule(KeyState<K> entry, long dueAt, Cause cause) {
        Delay<K> delay = entry.delay;
        if (delay == null) {
            entry.delay = add(entry, dueAt, cause);
        } else if (dueAt - delay.dueAt < 0) {
            delay.dueAt = dueAt;
            delay.cause = cause;
            up(delay, delay.index);
        }
    }

    /** Delays the entry until {@code dueAt}, in place of the time that its last sync asked for. */
    void requeue(KeyState<K> entry, long dueAt, Cause cause) {
        endRequeue(entry);
        entry.requeue = add(entry, dueAt, cause);
    }

    /** Drops the due time that the entry's last sync asked for, if there is one. */
    void endRequeue(KeyState<K> entry) {
        if (entry.requeue != null) {
            remove(entry.requeue);
        }
    }

    private Delay<K> add(KeyState<K> entry, long dueAt, Cause cause) {
        Delay<K> delay = new Delay<>(entry, dueAt, cause, orders++);
        heap.add(delay);
        up(delay, heap.size() - 1);
        return delay;
    }

    @Nullable
    Delay<K> peek() {
        return heap.isEmpty() ? null : heap.get(0);
    }

    /** Removes and returns the top if it is due; null otherwise. The key's other delay ends with it. */
    @Nullable
    Delay<K> pollDue(long now) {
        Delay<K> top = peek();
        if (top == null || top.dueAt - now > 0) {
            return null;
        }
        remove(top);
        Delay<K> other = top.entry.delay != null ? top.entry.delay : top.entry.requeue;
        if (other != null) {
            remove(other);
        }
        return top;
    }

    /** Removes and returns the top, due or not; null if the heap is empty. */
    @Nullable
    Delay<K> poll() {
        Delay<K> top = peek();
        if (top != null) {
            remove(top);
        }
        return top;
    }

    private void remove(Delay<K> delay) {
        Delay<K> last = heap.remove(heap.size() - 1);
        if (last != delay) {
            down(last, delay.index);
            up(last, last.index);
        }
        if (delay == delay.entry.requeue) {
            delay.entry.requeue = null;
        } else {
            delay.entry.delay = null;
        }
    }

    int size() {
        return heap.size();
    }

    private static boolean before(Delay<?> a, Delay<?> b) {
        long difference = a.dueAt - b.dueAt;
        return difference != 0 ? difference < 0 : a.order < b.order;
    }

    private void up(Delay<K> delay, int from) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (!before(delay, heap.get(parent))) {
                break;
            }
            place(heap.get(parent), at);
            at = parent;
        }
        place(delay, at);
    }

    private void down(Delay<K> delay, int from) {
        int at = from;
        int half = heap.size() >>> 1;
        while (at < half) {
            int child = 2 * at + 1;
            if (child + 1 < heap.size() && before(heap.get(child + 1), heap.get(child))) {
                child++;
            }
            if (!before(heap.get(child), delay)) {
                break;
            }
            place(heap.get(child), at);
            at = child;
        }
        place(delay, at);
    }

    private void place(Delay<K> delay, int at) {
        heap.set(at, delay);
        delay.index = at;
    }
}
