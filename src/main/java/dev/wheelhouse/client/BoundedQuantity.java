package dev.wheelhouse.client;

import java.math.BigDecimal;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;

import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.runtime.OneLine;

/**
 * Reads and writes the official client's quantities. Its own methods lose digits (of {@code 11Pi}), fail to write what
 * they have read ({@code 1Ei}, {@code 1.1n}), and take a time that grows with the square of the number of digits.
 */
public final class BoundedQuantity {
    private static final int MOST_IN_MESSAGE = 100;
    private static final int MOST_DIGITS = 1000;
    private static final BigDecimal LEAST = new BigDecimal("1e-9");

    private BoundedQuantity() {}

    /** @throws QuantityFormatException if {@link Quantities#parse} finds no quantity in the text */
    public static Quantity parse(String text) {
        BigDecimal number = Quantities.parse(text);
        if (number == null) {
            throw new QuantityFormatException("\"" + OneLine.of(text, MOST_IN_MESSAGE) + "\" is no quantity of at most "
                    + "1,000 digits");
        }
        BigDecimal stripped = number.stripTrailingZeros();
        return new Quantity(stripped.scale() < 0 ? stripped.setScale(0) : stripped, format(text));
    }

    private static Quantity.Format format(String text) {
        if (text.endsWith("i")) {
            return Quantity.Format.BINARY_SI;
        }
        int at = Math.max(text.indexOf('e'), text.indexOf('E'));
        return at >= 0 && at < text.length() - 1 ? Quantity.Format.DECIMAL_EXPONENT : Quantity.Format.DECIMAL_SI;
    }

    /** The canonical text of every value that {@link #parse} gives; the official client's text of others. */
    public static String text(Quantity quantity) {
        BigDecimal number = quantity.getNumber();
        if ((long) number.precision() - number.scale() > MOST_DIGITS) {
            // No server accepts such a quantity, and its canonical text would have millions of digits.
            return quantity.toSuffixedString();
        }
        if (number.abs().compareTo(LEAST) < 0) {
            // The rounding of 1e-99999999 takes a minute.
            number = LEAST.multiply(BigDecimal.valueOf(number.signum()));
        }
        return Quantities.canonical(number, quantity.getFormat() == Quantity.Format.BINARY_SI,
                quantity.getFormat() == Quantity.Format.DECIMAL_EXPONENT);
    }
}
