package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/** Interrupts the calls of an operator that take longer than its timeout. Thread safe. */
final class Timeouts extends SignalledLoop {
    private final Duration limit;
    private final Clock clock;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    /** Whether the loop waits for no deadline. Guarded by this. */
    private boolean idle = true;

    Timeouts(Duration limit, Clock clock) {
        this.limit = limit;
        this.clock = clock;
    }

    /** Begins a call on the current thread. Every call must {@link Running#end}. */
    synchronized Running begin() {
        Running call = new Running(Thread.currentThread(), clock.deadline(limit));
        running.add(call);
        // The loop needs no wake-up if it waits for a deadline, because the deadline of this call is later.
        if (idle) {
            wake();
        }
        return call;
    }

    @Override
    public synchronized long step() {
        long next = IDLE;
        for (Running call : running) {
            next = Math.min(next, call.check(clock.nanoTime()));
        }
        idle = next == IDLE;
        return isClosed() ? IDLE : next;
    }

    /** One call of the operator, with its deadline. */
    final class Running {
        private final Thread thread;
        private final long deadline;
        private boolean ended;
        private boolean interrupted;

        Running(Thread thread, long deadline) {
            this.thread = thread;
            this.deadline = deadline;
        }

        /** Interrupts the thread if it is time. @return the nanoseconds until it is time */
        private synchronized long check(long now) {
            if (ended || interrupted) {
                return IDLE;
            }
            if (now - deadline < 0) {
                return deadline - now;
            }
            interrupted = true;
            thread.interrupt();
            // The call was interrupted. The loop does not wait for its end.
            running.remove(this);
            return IDLE;
        }

        /**
         * Ends the call.
         * @return whether it took too long and was interrupted. The thread's interrupt flag is then cleared
         */
        boolean end() {
            running.remove(this);
            synchronized (this) {
                ended = true;
                return interrupted && (Thread.interrupted() || interrupted);
            }
        }
    }
}
