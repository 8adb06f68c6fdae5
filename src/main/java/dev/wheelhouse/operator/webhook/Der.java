package dev.wheelhouse.operator.webhook;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/**
 * Writes the few types of DER (ITU-T X.690) of which a certificate consists. The JDK signs, but makes no certificates;
 * this spares users a library for it.
 */
final class Der {
    private static final int SEQUENCE = 0x30;
    private static final int FIRST_YEAR_OF_GENERALIZED_TIME = 2050;

    private Der() {}

    /** A value with its tag and length. */
    static byte[] value(int tag, byte[]... contents) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(contents).forEach(all::writeBytes);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = all.size();
        if (length < 0x80) {
            out.write(length);
        } else {
            byte[] digits = BigInteger.valueOf(length).toByteArray();
            int from = digits[0] == 0 ? 1 : 0;
            out.write(0x80 | digits.length - from);
            out.write(digits, from, digits.length - from);
        }
        out.writeBytes(all.toByteArray());
        return out.toByteArray();
    }

    static byte[] sequence(byte[]... contents) {
        return value(SEQUENCE, contents);
    }

    static byte[] set(byte[]... contents) {
        return value(0x31, contents);
    }

    static byte[] integer(BigInteger number) {
        return value(0x02, number.toByteArray());
    }

    static byte[] bool(boolean truth) {
        return value(0x01, new byte[]{(byte) (truth ? 0xff : 0)});
    }

    static byte[] octets(byte[]... contents) {
        return value(0x04, contents);
    }

    /** @param unused how many of the last bits do not count */
    static byte[] bits(int unused, byte... bytes) {
        return value(0x03, new byte[]{(byte) unused}, bytes);
    }

    static byte[] text(String text) {
        return value(0x0c, text.getBytes(StandardCharsets.UTF_8));
    }

    /** A value under an explicit tag of its context. */
    static byte[] tagged(int number, byte[]... contents) {
        return value(0xa0 | number, contents);
    }

    /** @param dotted such as {@code 2.5.4.3} */
    static byte[] oid(String dotted) {
        int[] arcs = Arrays.stream(dotted.split("\\.")).mapToInt(Integer::parseInt).toArray();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(40 * arcs[0] + arcs[1]);
        for (int i = 2; i < arcs.length; i++) {
            for (int shift = 28; shift > 0; shift -= 7) {
                if (arcs[i] >>> shift != 0) {
                    out.write(0x80 | arcs[i] >>> shift & 0x7f);
                }
            }
            out.write(arcs[i] & 0x7f);
        }
        return value(0x06, out.toByteArray());
    }

    /** A time, to the second, in the form that RFC 5280 asks for. */
    static byte[] time(Instant time) {
        boolean general = time.atOffset(ZoneOffset.UTC).getYear() >= FIRST_YEAR_OF_GENERALIZED_TIME;
        String text = DateTimeFormatter.ofPattern(general ? "yyyyMMddHHmmss'Z'" : "yyMMddHHmmss'Z'")
                .withZone(ZoneOffset.UTC).format(time);
        return value(general ? 0x18 : 0x17, text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The first value in a sequence, such as the algorithm of an encoded public key. */
    static byte[] first(byte[] sequence) {
        int start = contents(sequence, 0);
        int length = sequence[start + 1] & 0xff;
        int end = contents(sequence, start) + (length < 0x80 ? length : longLength(sequence, start));
        return Arrays.copyOfRange(sequence, start, end);
    }

    private static int contents(byte[] der, int at) {
        int length = der[at + 1] & 0xff;
        return at + 2 + (length < 0x80 ? 0 : length & 0x7f);
    }

    private static int longLength(byte[] der, int at) {
        int length = 0;
        for (int i = at + 2; i < contents(der, at); i++) {
            length = length << 8 | der[i] & 0xff;
        }
        return length;
    }
}
