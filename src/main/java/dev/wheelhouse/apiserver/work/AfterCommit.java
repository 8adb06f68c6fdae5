package dev.wheelhouse.apiserver.work;

import java.time.Duration;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.OutOfMemory;

/**
 * Runs the work that is left when a request's change is committed. Its failure is logged and does not reach the client,
 * because an error would deny what has happened: the client would try again, or give up. Thread safe.
 */
public final class AfterCommit {
    private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);

    private static final Duration LONGEST_EFFECT = Duration.ofMinutes(1);

    private final Clock clock;
    private final LogBudget failures;

    public AfterCommit(Clock clock) {
        this.clock = clock;
        this.failures = new LogBudget(clock);
    }

    /**
     * Runs an effect of a change. The deadline of the request does not end it, because nothing would run it again.
     *
     * @param resource of the changed object, such as {@code pods}, for the log
     */
    public void run(String resource, String name, Runnable effect) {
        answer(resource, name, () -> Deadline.in(LONGEST_EFFECT, clock).call(() -> {
            effect.run();
            return true;
        }), () -> false);
    }

    /** The answer to a change; the short one if it cannot be made. */
    public <T> T answer(String resource, String name, Supplier<T> answer, Supplier<T> shortOne) {
        try {
            return answer.get();
        } catch (RuntimeException | Error e) {
            OutOfMemory.check(e);
            failures.error(log, ("a change of " + resource + " " + name).strip()
                    + " is stored, but the work that follows it failed", e);
            return shortOne.get();
        }
    }
}
