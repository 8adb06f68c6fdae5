package dev.wheelhouse.apiserver.metrics;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.runtime.Durations;

/**
 * A value that changes with time, as an annotation says it:
 *
 * <ul>
 * <li>{@code 250m}: a quantity; {@code 80%}: a part of the container's request
 * <li>{@code sine(100m, 900m, 10m)}: from the low value to the high one and back, in a period
 * <li>{@code steps(100m, 5m: 900m, 20m: 100m)}: the first value, and others from given ages on
 * <li>{@code shared 2}, {@code shared sine(…)}, {@code shared steps(…)}: the pods of one controller share the value
 * </ul>
 *
 * @param shared whether the value is for all running pods of a controller together
 */
record Load(boolean shared, Curve curve) {
    private static final String SHARED = "shared ";
    private static final Pattern CALL = Pattern.compile("(sine|steps)\\((.*)\\)");
    private static final BigDecimal PERCENT = BigDecimal.valueOf(1, 2);

    /** A value at an age. */
    private interface Curve {
        Amount at(Duration age);
    }

    /** @param ofRequest whether the value is a factor of the request */
    private record Amount(BigDecimal value, boolean ofRequest) {
        static @Nullable Amount parse(String text) {
            boolean percent = text.endsWith("%");
            BigDecimal value = Quantities.parse(percent ? text.substring(0, text.length() - 1) : text);
            return value == null ? null : new Amount(percent ? value.multiply(PERCENT) : value, percent);
        }
    }

    private record Step(Duration from, Amount amount) {}

    /** Reads an annotation; null if it cannot be parsed. */
    static @Nullable Load parse(String text) {
        boolean shared = text.startsWith(SHARED);
        String curve = (shared ? text.substring(SHARED.length()) : text).strip();
        Matcher call = CALL.matcher(curve);
        Curve parsed = !call.matches()
                ? constant(curve)
                : call.group(1).equals("sine") ? sine(parts(call.group(2))) : steps(parts(call.group(2)));
        return parsed == null ? null : new Load(shared, parsed);
    }

    private static List<String> parts(String text) {
        return Stream.of(text.split(",", -1)).map(String::strip).toList();
    }

    private static @Nullable Curve constant(String text) {
        Amount amount = Amount.parse(text);
        return amount == null ? null : age -> amount;
    }

    private static @Nullable Curve sine(List<String> parts) {
        Amount low = parts.size() == 3 ? Amount.parse(parts.get(0)) : null;
        Amount high = parts.size() == 3 ? Amount.parse(parts.get(1)) : null;
        Duration period = parts.size() == 3 ? Durations.parse(parts.get(2)) : null;
        if (low == null || high == null || period == null || period.isZero() || low.ofRequest != high.ofRequest) {
            return null;
        }
        BigDecimal range = high.value.subtract(low.value);
        return age -> {
            double turns = (double) age.toMillis() / Math.max(1, period.toMillis());
            double part = (1 - Math.cos(2 * Math.PI * turns)) / 2;
            return new Amount(low.value.add(range.multiply(BigDecimal.valueOf(part))), low.ofRequest);
        };
    }

    private static @Nullable Curve steps(List<String> parts) {
        List<Step> steps = new ArrayList<>();
        for (String part : parts) {
            int colon = part.indexOf(':');
            Duration from = colon < 0 ? Duration.ZERO : Durations.parse(part.substring(0, colon).strip());
            Amount amount = Amount.parse(part.substring(colon + 1).strip());
            if (from == null || amount == null || colon < 0 != steps.isEmpty()) {
                return null;
            }
            steps.add(new Step(from, amount));
        }
        return age -> steps.reversed().stream().filter(step -> step.from.compareTo(age) <= 0).findFirst()
                .orElse(steps.getFirst()).amount;
    }

    /**
     * The value at an age.
     *
     * @param request the container's request; null if there is none, and percentages have no value
     * @param pods the number of pods that share the value
     * @return thousandths; null if there is no value
     */
    @Nullable
    Long milli(Duration age, @Nullable BigDecimal request, int pods) {
        Amount amount = curve.at(age);
        if (amount.ofRequest && request == null) {
            return null;
        }
        BigDecimal value = amount.ofRequest && request != null ? amount.value.multiply(request) : amount.value;
        long milli = Quantities.milli(value);
        return shared ? milli / Math.max(1, pods) : milli;
    }
}
