package dev.wheelhouse.apiserver.json;

import java.nio.charset.StandardCharsets;

/**
 * Escapes of JSON that are half of a surrogate pair, and bytes that are not UTF-8. Go's decoder reads each as U+FFFD;
 * Jackson refuses some.
 */
public final class Surrogates {
    private static final byte[] REPLACEMENT = "\\ufffd".getBytes(StandardCharsets.US_ASCII);
    private static final int ESCAPE = REPLACEMENT.length;
    private static final int NONE = -1;

    private Surrogates() {}

    /** The text with U+FFFD in the place of each; the same array if it is of ASCII and has none. */
    public static byte[] paired(byte[] json) {
        byte[] out = json;
        boolean isAscii = true;
        int at = 0;
        while (at < json.length) {
            if (json[at] != '\\') {
                isAscii &= json[at] >= 0;
                at++;
                continue;
            }
            int unit = unit(json, at);
            if (unit == NONE || !Character.isSurrogate((char) unit)) {
                at += 2;
            } else if (Character.isHighSurrogate((char) unit) && isLow(unit(json, at + ESCAPE))) {
                at += 2 * ESCAPE;
            } else {
                out = out == json ? json.clone() : out;
                System.arraycopy(REPLACEMENT, 0, out, at, ESCAPE);
                at += ESCAPE;
            }
        }
        return isAscii ? out : new String(out, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isLow(int unit) {
        return unit != NONE && Character.isLowSurrogate((char) unit);
    }

    /** The UTF-16 unit of an escape; {@value #NONE} if there is none at this place. */
    private static int unit(byte[] json, int at) {
        if (at + ESCAPE > json.length || json[at] != '\\' || json[at + 1] != 'u') {
            return NONE;
        }
        int unit = 0;
        for (int i = at + 2; i < at + ESCAPE; i++) {
            int digit = Character.digit(json[i], 16);
            if (digit < 0) {
                return NONE;
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }
}
