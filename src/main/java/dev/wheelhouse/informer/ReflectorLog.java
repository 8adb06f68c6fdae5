package dev.wheelhouse.informer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

/** The log lines of one Reflector, under its name and within a {@link LogBudget}. */
final class ReflectorLog {
    private static final Logger log = LoggerFactory.getLogger(Reflector.class);

    private final String reflector;
    private final LogBudget budget;

    ReflectorLog(String reflector, Clock clock) {
        this.reflector = reflector;
        this.budget = new LogBudget(clock);
    }

    void warn(String text) {
        budget.warn(log, reflector + ": " + text);
    }

    void info(String text) {
        budget.info(log, reflector + ": " + text);
    }

    /** Logs a failure of a watch. A stream that broke is opened again at once, which then succeeds or is logged. */
    void info(KubeApiException e, String text) {
        if (e.code() == 0) {
            log.debug("{}: {}", reflector, text);
        } else {
            info(text);
        }
    }

    void debug(String format, Object... values) {
        if (log.isDebugEnabled()) {
            log.debug(reflector + ": " + format, values);
        }
    }
}
