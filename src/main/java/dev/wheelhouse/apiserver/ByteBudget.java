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

    /** A sender's part, of which it has nothing yet. For one thread. */
    Part part(String sender) {
        return new Part(sender);
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

    /** What one request holds, until it is closed. */
    final class Part implements AutoCloseable {
        private final String sender;
        private long bytes;

        private Part(String sender) {
            this.sender = sender;
        }

        /**
         * Takes more, and waits for it until others have given some back. A request that holds all that is held may have more
         * than the total: it would wait for nobody.
         *
         * @return false if there was not enough in time
         */
        boolean take(long more, Duration wait) throws InterruptedException {
            long left = Durations.saturatedNanos(wait);
            lock.lock();
            try {
                while (!fits(more)) {
                    if (left <= 0) {
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
            boolean alone = own == bytes;
            return used + more <= total && (own + more <= total / 2 || alone) || used == bytes;
        }

        /** Changes what is held, whether or not there is enough: for memory that is in use already. */
        void become(long now) {
            lock.lock();
            try {
                add(now - bytes);
                given.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private void add(long more) {
            bytes += more;
            used += more;
            if (held.merge(sender, more, Long::sum) == 0) {
                held.remove(sender);
            }
        }

        /** Gives everything back. */
        @Override
        public void close() {
            if (bytes != 0) {
                become(0);
            }
        }
    }
}
