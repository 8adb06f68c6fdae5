package dev.wheelhouse.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Ends a process that has run out of memory: a thread that serves others may have died of it, such as one that accepts
 * connections, and nothing starts it again. A JVM with {@code -XX:+ExitOnOutOfMemoryError} ends by itself before that.
 * This class is for one that was started without the option, and for errors that the option does not notice.
 */
public final class OutOfMemory {
    /** The most causes that are looked at; causes can form a ring. */
    private static final int MOST_CAUSES = 16;
    private static volatile @Nullable Runnable end;

    private OutOfMemory() {}

    /**
     * Lets an OutOfMemoryError end the process, if it is passed to {@link #check} or ends a thread. For the program;
     * a library does not end its user's process.
     *
     * @param ending ends the process, without allocating memory
     */
    public static void ends(Runnable ending) {
        end = ending;
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            check(e);
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            e.printStackTrace();
        });
    }

    /** Ends the process if memory ran out. Code that catches any Throwable, and goes on, calls it first. */
    public static void check(Throwable e) {
        Runnable ending = end;
        if (ending != null && isCauseOf(e)) {
            ending.run();
        }
    }

    /** Whether memory ran out. Libraries wrap the error in exceptions of their own. */
    public static boolean isCauseOf(Throwable e) {
        Throwable cause = e;
        for (int i = 0; i < MOST_CAUSES && cause != null && !(cause instanceof OutOfMemoryError); i++) {
            cause = cause.getCause();
        }
        return cause instanceof OutOfMemoryError;
    }
}
