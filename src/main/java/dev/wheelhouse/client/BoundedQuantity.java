package dev.wheelhouse.client;

import java.math.BigDecimal;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;

/**
 * Reads the official client's quantities within limits: the time to read digits grows with the square of their number,
 * and a sum with {@code 1e999999999} has a billion digits. {@code facts.Quantities} reads the quantities of plain JSON.
 */
public final class BoundedQuantity {
    private static final int MOST_DIGITS = 1000;

    private BoundedQuantity() {}

    /**
     * @throws QuantityFormatException if the text is not a quantity, has more than 1,000 characters, or stands for more
     *     than 1,000 digits on either side of the point
     */
    public static Quantity parse(String text) {
        if (text.length() > MOST_DIGITS) {
            throw new QuantityFormatException("a quantity of " + text.length() + " characters: at most " + MOST_DIGITS
                    + " are read");
        }
        Quantity quantity = Quantity.fromString(text);
        BigDecimal number = quantity.getNumber();
        if ((long) number.precision() - number.scale() > MOST_DIGITS || number.scale() > MOST_DIGITS) {
            throw new QuantityFormatException("the quantity " + text + " is out of range");
        }
        return quantity;
    }
}
