package dev.wheelhouse.apiserver.work;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The memory that the work of one request may use. The transport sets it up; work that is about to make something large says so
 * before. Work outside a request takes what it wants.
 */
public interface Allowance {
    /**
     * Takes memory, if need be when other requests have given some back. It is given back when the answer is sent.
     *
     * @throws OutOfBudgetException if there is not so much
     */
    void grant(long bytes);

    /** Takes memory for the request that this thread works on. @throws OutOfBudgetException if there is not so much */
    static void take(long bytes) {
        Allowance current = Current.OF_THREAD.get();
        if (current != null) {
            current.grant(bytes);
        }
    }

    /** Works with this allowance, on this thread. */
    default <T> T call(Supplier<T> work) {
        Current.OF_THREAD.set(this);
        try {
            return work.get();
        } finally {
            Current.OF_THREAD.remove();
        }
    }

    /** Which request a thread works on. */
    final class Current {
        private static final ThreadLocal<@Nullable Allowance> OF_THREAD = new ThreadLocal<>();

        private Current() {}
    }
}
