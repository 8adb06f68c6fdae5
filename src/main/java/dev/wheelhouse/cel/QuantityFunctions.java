package dev.wheelhouse.cel;

import java.math.BigDecimal;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.QuantityFormatException;
import io.kubernetes.client.custom.QuantityFormatter;

import static dev.wheelhouse.cel.KubernetesLibrary.BOOL;
import static dev.wheelhouse.cel.KubernetesLibrary.INT;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;

/** Functions on quantities such as {@code 1.5Gi} (upstream: {@code library/quantity.go}). */
final class QuantityFunctions {
    private static final KubernetesLibrary.Type<Double> DOUBLE = new KubernetesLibrary.Type<>(SimpleType.DOUBLE,
            Double.class);
    private static final KubernetesLibrary.Type<Quantity> QUANTITY = KubernetesLibrary.Type
            .opaque("kubernetes.Quantity", Quantity.class);
    /** Limits the time to parse digits, which is quadratic in their number. */
    private static final int MAX_CHARACTERS = 1_000;
    private static final Pattern SHAPE = Pattern
            .compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\\d{1,3})?");

    /** Has its own equality by value. CEL's equality of numbers does not support BigDecimal. */
    private record Quantity(BigDecimal number) {
        static Quantity of(BigDecimal number) {
            return new Quantity(number.stripTrailingZeros());
        }

        Quantity plus(BigDecimal more) {
            return of(number.add(more));
        }
    }

    private QuantityFunctions() {}

    static void addTo(KubernetesLibrary library) {
        library.global("quantity", "string_to_quantity", QUANTITY, STRING, text -> {
            Quantity quantity = parse(text);
            if (quantity == null) {
                throw new CelEvaluationException("quantities must match the regular expression "
                        + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$': " + text);
            }
            return quantity;
        });
        library.global("isQuantity", "is_quantity_string", BOOL, STRING, text -> parse(text) != null);
        library.member("sign", "quantity_sign", INT, QUANTITY, one -> (long) one.number.signum());
        library.member("isInteger", "quantity_is_integer", BOOL, QUANTITY, one -> integer(one.number) != null);
        library.member("asInteger", "quantity_as_integer", INT, QUANTITY, one -> {
            Long value = integer(one.number);
            if (value == null) {
                throw new CelEvaluationException("cannot convert value to integer");
            }
            return value;
        });
        library.member("asApproximateFloat", "quantity_as_float", DOUBLE, QUANTITY, one -> one.number.doubleValue());
        library.member("isGreaterThan", "quantity_is_greater_than", BOOL, QUANTITY, QUANTITY,
                (one, other) -> one.number.compareTo(other.number) > 0);
        library.member("isLessThan", "quantity_is_less_than", BOOL, QUANTITY, QUANTITY,
                (one, other) -> one.number.compareTo(other.number) < 0);
        library.member("compareTo", "quantity_compare_to", INT, QUANTITY, QUANTITY,
                (one, other) -> (long) one.number.compareTo(other.number));
        library.member("add", "quantity_add", QUANTITY, QUANTITY, QUANTITY, (one, other) -> one.plus(other.number));
        library.member("add", "quantity_add_int", QUANTITY, QUANTITY, INT,
                (one, more) -> one.plus(BigDecimal.valueOf(more)));
        library.member("sub", "quantity_sub", QUANTITY, QUANTITY, QUANTITY,
                (one, other) -> one.plus(other.number.negate()));
        library.member("sub", "quantity_sub_int", QUANTITY, QUANTITY, INT,
                (one, less) -> one.plus(BigDecimal.valueOf(less).negate()));
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
