package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import dev.wheelhouse.runtime.Durations;

/**
 * The memory that all requests together may hold for one purpose. A sender has at most half of it, so that no sender keeps the
 * others out. Thread safe.
 */
final class ByteBudget {
    private final long total;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition given = lock.newCondition();
    /** Bytes by sender; guarded by the lock. */
    private final Map<String, Long> held = new HashMap<>();
    private long used;

    ByteBudget(long total) {
        this.total = total;
    }

    /** A request's part of what its sender may have, of which it has nothing yet. */
    Part part(String sender) {
        return new Part(sender);
    }

    long total() {
        return total;
    }

    /** The bytes that are held at the moment. */
    long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** The bytes that one request holds until it is closed. Guarded by the lock. */
    final class Part implements AutoCloseable {
        private final String sender;
        private long bytes;
        private volatile boolean closed;
        /** Whether anything was ever asked for: most requests do not, and then need no lock. */
        private volatile boolean asked;

        private Part(String sender) {
            this.sender = sender;
        }

        /**
         * Takes more, and waits for it until others have given some back. A request that holds all that is held may have more
         * than its sender's part: it would wait for nobody.
         *
         * @return false if there was not enough in time
         */
        boolean take(long more, Duration wait) throws InterruptedException {
            asked = true;
            long left = Durations.saturatedNanos(wait);
            lock.lock();
            try {
                while (!fits(more)) {
                    if (left <= 0 || closed) {
                        return false;
                    }
                    left = given.awaitNanos(left);
                }
                add(more);
                return true;
            } finally {
                lock.unlock();
            }
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

        /** Gives everything back, and takes no more. Any thread may call it. */
        @Override
        public void close() {
            closed = true;
            if (!asked) {
                return;
            }
            lock.lock();
            try {
                if (bytes != 0) {
                    add(-bytes);
                    given.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
