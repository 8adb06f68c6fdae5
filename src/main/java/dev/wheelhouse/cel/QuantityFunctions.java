package dev.wheelhouse.cel;

import java.math.BigDecimal;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.QuantityFormatException;
import io.kubernetes.client.custom.QuantityFormatter;

import static dev.wheelhouse.cel.KubernetesLibrary.INT;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;

/** Functions on quantities such as {@code 1.5Gi} (upstream: {@code library/quantity.go}). */
final class QuantityFunctions {
    private static final OpaqueType QUANTITY = OpaqueType.create("kubernetes.Quantity");
    private static final KubernetesLibrary.Argument A_QUANTITY = new KubernetesLibrary.Argument(QUANTITY,
            Quantity.class);
    /** Limits the time to parse digits, which is quadratic in their number. */
    private static final int MAX_CHARACTERS = 1_000;
    private static final Pattern SHAPE = Pattern
            .compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\\d{1,3})?");

    /** Has its own equality by value. CEL's equality of numbers does not support BigDecimal. */
    private record Quantity(BigDecimal number) {
        static Quantity of(BigDecimal number) {
            return new Quantity(number.stripTrailingZeros());
        }
    }

    private QuantityFunctions() {}

    static void addTo(KubernetesLibrary library) {
        library.global("quantity", "string_to_quantity", QUANTITY, a -> {
            Quantity quantity = parse((String) a[0]);
            if (quantity == null) {
                throw new CelEvaluationException("quantities must match the regular expression "
                        + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$': " + a[0]);
            }
            return quantity;
        }, STRING);
        library.global("isQuantity", "is_quantity_string", SimpleType.BOOL, a -> parse((String) a[0]) != null, STRING);
        library.member("sign", "quantity_sign", SimpleType.INT, a -> (long) number(a[0]).signum(), A_QUANTITY);
        library.member("isInteger", "quantity_is_integer", SimpleType.BOOL, a -> integer(number(a[0])) != null,
                A_QUANTITY);
        library.member("asInteger", "quantity_as_integer", SimpleType.INT, a -> {
            Long value = integer(number(a[0]));
            if (value == null) {
                throw new CelEvaluationException("cannot convert value to integer");
            }
            return value;
        }, A_QUANTITY);
        library.member("asApproximateFloat", "quantity_as_float", SimpleType.DOUBLE, a -> number(a[0]).doubleValue(),
                A_QUANTITY);
        library.member("isGreaterThan", "quantity_is_greater_than", SimpleType.BOOL,
                a -> number(a[0]).compareTo(number(a[1])) > 0, A_QUANTITY, A_QUANTITY);
        library.member("isLessThan", "quantity_is_less_than", SimpleType.BOOL,
                a -> number(a[0]).compareTo(number(a[1])) < 0, A_QUANTITY, A_QUANTITY);
        library.member("compareTo", "quantity_compare_to", SimpleType.INT,
                a -> (long) number(a[0]).compareTo(number(a[1])), A_QUANTITY, A_QUANTITY);
        library.member("add", "quantity_add", QUANTITY, a -> Quantity.of(number(a[0]).add(number(a[1]))),
                A_QUANTITY, A_QUANTITY);
        library.member("add", "quantity_add_int", QUANTITY, a -> Quantity.of(number(a[0]).add(number(a[1]))),
                A_QUANTITY, INT);
        library.member("sub", "quantity_sub", QUANTITY, a -> Quantity.of(number(a[0]).subtract(number(a[1]))),
                A_QUANTITY, A_QUANTITY);
        library.member("sub", "quantity_sub_int", QUANTITY,
                a -> Quantity.of(number(a[0]).subtract(number(a[1]))), A_QUANTITY, INT);
    }

    private static BigDecimal number(Object value) {
        return value instanceof Quantity quantity ? quantity.number() : BigDecimal.valueOf((Long) value);
    }

    private static @Nullable Quantity parse(String text) {
        try {
            return text.length() <= MAX_CHARACTERS && SHAPE.matcher(text).matches()
                    ? Quantity.of(new QuantityFormatter().parse(text).getNumber())
                    : null;
        } catch (QuantityFormatException | IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Long integer(BigDecimal number) {
        try {
            return number.longValueExact();
        } catch (ArithmeticException e) {
            return null;
        }
    }
}
