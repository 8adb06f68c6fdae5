package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import dev.wheelhouse.runtime.Durations;

/**
 * Limits the memory that all requests together hold for one purpose. A sender may hold at most half of it, so that no
 * sender can keep all others out. Thread safe.
 */
final class ByteBudget {
    private final long total;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    /** The bytes by sender. Guarded by the lock. */
    private final Map<String, Long> held = new HashMap<>();
    private long used;

    ByteBudget(long total) {
        this.total = total;
    }

    /** The account of one request, which is empty at first. */
    Part part(String sender) {
        return new Part(sender);
    }

    long total() {
        return total;
    }

    /** The bytes that are held now. */
    long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** The bytes that one request holds until it is closed. Guarded by the budget's lock. */
    final class Part implements AutoCloseable {
        private final String sender;
        private long bytes;
        private volatile boolean closed;
        /** Whether the request ever took memory. Most do not, and then close without the lock. */
        private volatile boolean charged;

        private Part(String sender) {
            this.sender = sender;
        }

        /**
         * Takes memory, and waits for it if necessary. If this request alone holds all that its sender holds, it may
         * exceed the sender's half: no other request of the sender will release any.
         *
         * @return false if there was not enough in time
         */
        boolean take(long more, Duration wait) throws InterruptedException {
            charged = true;
            long left = Durations.saturatedNanos(wait);
            lock.lock();
            try {
                while (!fits(more)) {
                    if (left <= 0 || closed) {
                        return false;
                    }
                    left = released.awaitNanos(left);
                }
                add(more);
                return true;
            } finally {
                lock.unlock();
            }
        }

        /**
         * The bytes that the request lacks to hold so many; 0 for a few, which are not charged. It needs no lock,
         * because the request takes memory on one thread at a time.
         */
        long missing(long wanted) {
            return wanted <= BodyReader.UNCHARGED ? 0 : Math.max(0, wanted - bytes);
        }

        private boolean fits(long more) {
            long own = held.getOrDefault(sender, 0L);
            return !closed && used + more <= total && (own + more <= total / 2 || own == bytes);
        }

        private void add(long more) {
            bytes += more;
            used += more;
            if (held.merge(sender, more, Long::sum) == 0) {
                held.remove(sender);
            }
        }

        /** Releases everything and refuses further memory. Any thread may call it. */
        @Override
        public void close() {
            closed = true;
            if (!charged) {
                return;
            }
            lock.lock();
            try {
                if (bytes != 0) {
                    add(-bytes);
                    released.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
