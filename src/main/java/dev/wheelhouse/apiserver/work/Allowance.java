package dev.wheelhouse.apiserver.work;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The memory that one request may use. The transport sets up an allowance for the request's thread with {@link #call}.
 * Code that is about to build something large reserves the memory first with {@link #take}. Code that runs outside a
 * request, such as this process' own controllers, is not limited.
 */
public interface Allowance {
    /**
     * Reserves memory until the request is answered. It may wait until other requests release some.
     *
     * @param inAll whether memory that the request holds already counts. The memory for its work serves its answer, too
     * @throws OutOfBudgetException if not enough memory is available
     */
    void grant(long bytes, boolean inAll);

    /**
     * Reserves the memory for the answer to a change, before the change is committed; does nothing outside a request.
     *
     * @param bytes of the changed object's JSON
     * @throws OutOfBudgetException if not enough memory is available
     */
    static void coverAnswer(long bytes) {
        Current.grant(bytes, true);
    }

    /**
     * Reserves memory for the request that this thread works on; does nothing outside a request.
     *
     * @throws OutOfBudgetException if not enough memory is available
     */
    static void take(long bytes) {
        Current.grant(bytes, false);
    }

    /** Runs the work on this thread under this allowance. Calls do not nest. */
    default <T> T call(Supplier<T> work) {
        Current.OF_THREAD.set(this);
        try {
            return work.get();
        } finally {
            Current.OF_THREAD.remove();
        }
    }

    /** Holds the allowance of each thread. */
    final class Current {
        private static final ThreadLocal<@Nullable Allowance> OF_THREAD = new ThreadLocal<>();

        private Current() {}

        private static void grant(long bytes, boolean inAll) {
            Allowance current = OF_THREAD.get();
            if (current != null) {
                current.grant(bytes, inAll);
            }
        }
    }
}
