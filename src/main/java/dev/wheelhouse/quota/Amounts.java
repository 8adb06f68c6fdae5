package dev.wheelhouse.quota;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.Quantity.Format;

/**
 * Sums and differences of amounts by name (upstream: {@code apiserver/pkg/quota/v1/resources.go}). The results are new
 * maps, sorted by name.
 */
public final class Amounts {
    /** The number 0 in decimal form. */
    public static final Quantity ZERO = new Quantity(BigDecimal.ZERO, Format.DECIMAL_SI);

    private Amounts() {}

    /** A whole number. */
    static Quantity of(long number) {
        return new Quantity(BigDecimal.valueOf(number), Format.DECIMAL_SI);
    }

    /** The sum by name. It has the form of the first amount that is not zero, as upstream's sums have. */
    public static Map<String, Quantity> sum(@Nullable Map<String, Quantity> some, Map<String, Quantity> more) {
        Map<String, Quantity> sum = new TreeMap<>(orEmpty(some));
        more.forEach((name, amount) -> sum.merge(name, amount, Amounts::sum));
        return sum;
    }

    static Quantity sum(Quantity some, Quantity more) {
        return new Quantity(some.getNumber().add(more.getNumber()),
                some.getNumber().signum() == 0 ? more.getFormat() : some.getFormat());
    }

    /** The amounts by which {@code some} exceeds {@code others}. Names without an excess are left out. */
    public static Map<String, Quantity> excess(Map<String, Quantity> some, Map<String, Quantity> others) {
        Map<String, Quantity> excess = new TreeMap<>();
        some.forEach((name, amount) -> {
            BigDecimal more = amount.getNumber().subtract(others.getOrDefault(name, ZERO).getNumber());
            if (more.signum() > 0) {
                excess.put(name, new Quantity(more, amount.getFormat()));
            }
        });
        return excess;
    }

    /** The larger amount by name. */
    static Map<String, Quantity> max(@Nullable Map<String, Quantity> some, @Nullable Map<String, Quantity> others) {
        Map<String, Quantity> max = new TreeMap<>(orEmpty(some));
        orEmpty(others).forEach((name, amount) -> max.merge(name, amount,
                (before, now) -> now.getNumber().compareTo(before.getNumber()) > 0 ? now : before));
        return max;
    }

    /** Whether both have the same names with equal numbers, in whatever form. */
    public static boolean same(@Nullable Map<String, Quantity> some, @Nullable Map<String, Quantity> others) {
        Map<String, Quantity> mine = orEmpty(some);
        Map<String, Quantity> theirs = orEmpty(others);
        return mine.keySet().equals(theirs.keySet()) && mine.entrySet().stream().allMatch(entry -> entry.getValue()
                .getNumber().compareTo(theirs.getOrDefault(entry.getKey(), ZERO).getNumber()) == 0);
    }

    /** The amounts, or none. */
    public static Map<String, Quantity> orEmpty(@Nullable Map<String, Quantity> amounts) {
        return Objects.requireNonNullElse(amounts, Map.of());
    }
}
