package dev.wheelhouse.workqueue;

import java.util.ArrayList;

import org.jspecify.annotations.Nullable;

/**
 * Delayed keys, the earliest due on top, those of one due time in the order in which they came. A binary heap whose entries
 * know their place, so that an earlier due time moves an entry instead of adding a second one. Guarded by the queue's lock.
 */
final class DelayHeap<K> {
    private final ArrayList<Entry<K>> heap = new ArrayList<>();
    private long orders;

    /** Makes the entry due at a time, unless it is due earlier already. */
    void schedule(Entry<K> entry, long dueAt) {
        if (entry.heapIndex == Entry.NOT_DELAYED) {
            entry.dueAt = dueAt;
            entry.dueOrder = orders++;
            heap.add(entry);
            up(entry, heap.size() - 1);
        } else if (dueAt - entry.dueAt < 0) {
            entry.dueAt = dueAt;
            up(entry, entry.heapIndex);
        }
    }

    @Nullable
    Entry<K> peek() {
        return heap.isEmpty() ? null : heap.get(0);
    }

    /** Takes the top if it is due. */
    @Nullable
    Entry<K> pollDue(long now) {
        Entry<K> top = peek();
        return top == null || top.dueAt - now > 0 ? null : poll();
    }

    /** Takes the top, due or not. */
    @Nullable
    Entry<K> poll() {
        Entry<K> top = peek();
        if (top == null) {
            return null;
        }
        Entry<K> last = heap.remove(heap.size() - 1);
        if (last != top) {
            down(last);
        }
        top.heapIndex = Entry.NOT_DELAYED;
        return top;
    }

    int size() {
        return heap.size();
    }

    private static boolean before(Entry<?> a, Entry<?> b) {
        long difference = a.dueAt - b.dueAt;
        return difference != 0 ? difference < 0 : a.dueOrder < b.dueOrder;
    }

    private void up(Entry<K> entry, int from) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (!before(entry, heap.get(parent))) {
                break;
            }
            place(heap.get(parent), at);
            at = parent;
        }
        place(entry, at);
    }

    private void down(Entry<K> entry) {
        int at = 0;
        int half = heap.size() >>> 1;
        while (at < half) {
            int child = 2 * at + 1;
            if (child + 1 < heap.size() && before(heap.get(child + 1), heap.get(child))) {
                child++;
            }
            if (!before(heap.get(child), entry)) {
                break;
            }
            place(heap.get(child), at);
            at = child;
        }
        place(entry, at);
    }

    private void place(Entry<K> entry, int at) {
        heap.set(at, entry);
        entry.heapIndex = at;
    }
}
