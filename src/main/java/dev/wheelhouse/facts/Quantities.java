package dev.wheelhouse.facts;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Reads and writes resource quantities as decimals, for JSON without model classes (upstream:
 * {@code apimachinery/pkg/api/resource}). A text of more than 1,000 characters, or a value of more than 1,000 digits
 * before the point, is no quantity.
 */
public final class Quantities {
    private static final Pattern FORM = Pattern.compile("([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))"
            + "(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE]?)|[eE]([+-]?[0-9]{1,9}))");
    private static final Pattern SUFFIXED = Pattern
            .compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)[eEinumkKMGTP]*[-+]?[0-9]*");
    /** The most characters of a quantity. The time to read digits grows with the square of their number. */
    private static final int MOST_CHARACTERS = 1_000;
    private static final String DECIMAL = "num_kMGTPE";
    private static final String BINARY = "_KMGTPE";
    private static final BigInteger KIBI = BigInteger.valueOf(1024);
    private static final BigDecimal MOST_BINARY = BigDecimal.valueOf(Long.MAX_VALUE);
    /** The most digits, and the least power of ten, of the quantities that upstream reads as whole numbers. */
    private static final int MOST_DIGITS = 18;
    private static final int LEAST_POWER = -9;
    private static final int MILLI = -3;

    private Quantities() {}

    /**
     * The value of a quantity; null if the text is none. As upstream, values are rounded up to a multiple of 10⁻⁹. The
     * scale is always 9, so that {@code equals} compares values.
     */
    public static @Nullable BigDecimal parse(String text) {
        Matcher m = FORM.matcher(text);
        return text.length() <= MOST_CHARACTERS && m.matches() ? value(m) : null;
    }

    /**
     * The canonical text ({@code 0.5} is {@code 500m}, {@code 1024Mi} is {@code 1Gi}); null if the text is no quantity.
     */
    public static @Nullable String canonical(String text) {
        Matcher m = FORM.matcher(text);
        if (text.length() > MOST_CHARACTERS || !m.matches()) {
            return null;
        }
        BigDecimal value = value(m);
        if (value == null) {
            return null;
        }
        return canonical(value, m.group(2) != null, m.group(4) != null);
    }

    /**
     * The text that upstream's API server keeps of a quantity: as it was sent where upstream takes it for canonical
     * ({@code 1E3}, {@code +1}), else the canonical text; null if the text is no quantity.
     *
     * @param inMilli whether it is rounded up to thousandths, as the values of resource lists are
     */
    public static @Nullable String stored(String text, boolean inMilli) {
        Matcher m = FORM.matcher(text.equals("-") || text.equals("+") ? "0" : text); // Go takes a sign alone for zero.
        BigDecimal value = text.length() <= MOST_CHARACTERS && m.matches() ? value(m) : null;
        if (value == null || isKept(m, inMilli)) {
            return value == null ? null : m.group();
        }
        boolean binary = m.group(2) != null;
        BigDecimal bounded = binary ? value.min(MOST_BINARY).max(MOST_BINARY.negate()) : value;
        return canonical(inMilli ? bounded.setScale(-MILLI, RoundingMode.UP) : bounded, binary, m.group(4) != null);
    }

    /** Whether upstream reads the quantity as a whole number of a canonical form (upstream: {@code ParseQuantity}). */
    private static boolean isKept(Matcher m, boolean inMilli) {
        String[] parts = m.group(1).replaceFirst("^[+-]", "").split("\\.", -1);
        String whole = parts[0].replaceFirst("^0+", "");
        String fraction = parts.length > 1 ? parts[1] : "";
        String digits = (whole.isEmpty() ? "0" : whole) + fraction;
        if (m.group(2) != null) {
            int power = 10 * BINARY.indexOf(m.group(2).charAt(0));
            return parts.length == 1 && 14 - digits.length() - power * 3 / 10 >= 0 && Long.parseLong(digits) % 8 != 0;
        }
        int power = (m.group(4) != null
                ? Math.clamp(Integer.parseInt(m.group(4)), -2000, 2000)
                : m.group(3).isEmpty() ? 0 : 3 * (DECIMAL.indexOf(m.group(3).charAt(0)) - 3)) - fraction.length();
        return digits.length() <= MOST_DIGITS && power >= (inMilli ? MILLI : LEAST_POWER) && power % 3 == 0
                && !digits.endsWith("000") && digits.charAt(0) != '0';
    }

    /** Whether a text that is no quantity has the form of one, with a suffix that none has. */
    public static boolean hasUnknownSuffix(String text) {
        return text.length() <= MOST_CHARACTERS && SUFFIXED.matcher(text).matches();
    }

    /**
     * The canonical text of a value, in upstream's formats: with a suffix of powers of 1024, with an exponent, or with
     * neither. It is rounded up to a multiple of 10⁻⁹.
     */
    public static String canonical(BigDecimal value, boolean binary, boolean exponent) {
        if (value.signum() == 0) {
            return "0";
        }
        return binary && value.abs().compareTo(BigDecimal.valueOf(1024)) >= 0 && value.stripTrailingZeros().scale() <= 0
                ? binary(value)
                : decimal(value.setScale(9, RoundingMode.UP), exponent);
    }

    /** The canonical text of a value; a positive multiple of 1024 with a binary suffix, if that is wanted. */
    public static String canonical(BigDecimal value, boolean inPowersOf1024) {
        if (value.signum() == 0) {
            return "0";
        }
        return inPowersOf1024 && value.signum() > 0 && value.remainder(BigDecimal.valueOf(1024)).signum() == 0
                ? binary(value)
                : decimal(value, false);
    }

    /** The canonical text of thousandths, by choice with the suffixes of powers of 1024, as memory has them. */
    public static String ofMilli(long milli, boolean inPowersOf1024) {
        BigDecimal value = BigDecimal.valueOf(milli, 3);
        if (milli == 0) {
            return "0";
        }
        return inPowersOf1024 && milli % 1000 == 0 && Math.abs(milli) >= 1_024_000
                ? binary(value)
                : decimal(value, false);
    }

    /** A value in thousandths, rounded away from zero; the nearest long if it is out of range. */
    public static long milli(BigDecimal value) {
        BigDecimal milli = value.movePointRight(3).setScale(0, RoundingMode.UP);
        return milli.max(BigDecimal.valueOf(Long.MIN_VALUE)).min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
    }

    /** Null for a value of more than 1,000 digits before the point. */
    private static @Nullable BigDecimal value(Matcher m) {
        BigDecimal number = new BigDecimal(m.group(1).endsWith(".") ? m.group(1) + "0" : m.group(1));
        BigDecimal value;
        if (m.group(2) != null) {
            value = number.multiply(new BigDecimal(KIBI.pow(BINARY.indexOf(m.group(2).charAt(0)))));
        } else if (m.group(4) != null) {
            value = number.scaleByPowerOfTen(Math.clamp(Integer.parseInt(m.group(4)), -2000, 2000));
        } else {
            String suffix = m.group(3);
            value = number.scaleByPowerOfTen(suffix.isEmpty() ? 0 : 3 * (DECIMAL.indexOf(suffix.charAt(0)) - 3));
        }
        return value.precision() - value.scale() > MOST_CHARACTERS ? null : value.setScale(9, RoundingMode.UP);
    }

    private static String binary(BigDecimal value) {
        BigInteger mantissa = value.setScale(0, RoundingMode.UP).toBigInteger();
        int power = 0;
        while (power < BINARY.length() - 1 && mantissa.mod(KIBI).signum() == 0) {
            mantissa = mantissa.divide(KIBI);
            power++;
        }
        return power == 0 ? mantissa.toString() : mantissa + BINARY.substring(power, power + 1) + "i";
    }

    private static String decimal(BigDecimal value, boolean exponent) {
        BigDecimal stripped = value.stripTrailingZeros();
        int power = Math.floorDiv(-stripped.scale(), 3) * 3;
        if (!exponent) {
            power = Math.min(power, 18);
        }
        BigInteger mantissa = stripped.scaleByPowerOfTen(-power).toBigIntegerExact();
        if (power == 0) {
            return mantissa.toString();
        }
        return exponent ? mantissa + "e" + power : mantissa.toString() + DECIMAL.charAt(power / 3 + 3);
    }
}
