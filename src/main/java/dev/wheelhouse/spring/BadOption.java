package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.function.Supplier;

/** An option has an unusable value. The message is a sentence that names the option, its value and the remedy. */
final class BadOption extends RuntimeException {
    BadOption(String message) {
        super(message);
    }

    /** A count from 1 to 1000. */
    static void requireFromOne(String option, int count) {
        require(count >= 1 && count <= 1000, option, count, "a number from 1 to 1000");
    }

    static void requirePositive(String option, Duration time) {
        require(time.isPositive(), option, seconds(time), "longer than 0 s");
    }

    static void requireNotNegative(String option, Duration time) {
        require(!time.isNegative(), option, seconds(time), "0 s or longer");
    }

    /** The value of an option. A refusal of the value becomes one of the option. */
    static <T> T checked(String option, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new BadOption(option + e.getMessage());
        }
    }

    private static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    static void require(boolean good, String option, Object value, String wanted) {
        if (!good) {
            throw new BadOption(option + " is " + value + ": it must be " + wanted);
        }
    }
}
