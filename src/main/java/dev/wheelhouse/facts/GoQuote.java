package dev.wheelhouse.facts;

import java.nio.charset.StandardCharsets;

/** Texts in double quotes, as Go's messages show them. */
public final class GoQuote {
    private static final String NAMED = "\u0007\b\f\n\r\t\u000b\"\\";
    private static final String NAMES = "abfnrtv\"\\";

    private GoQuote() {}

    /** The text as {@code %q} and {@code strconv.Quote} print it: characters that do not print are escaped. */
    public static String of(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> {
            int named = NAMED.indexOf(c);
            if (named >= 0) {
                quoted.append('\\').append(NAMES.charAt(named));
            } else if (prints(c)) {
                quoted.appendCodePoint(c);
            } else {
                quoted.append(String.format(c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
            }
        });
        return quoted.append('"').toString();
    }

    /** Whether {@code strconv.IsPrint} says so of a character. */
    public static boolean prints(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE,
                    Character.UNASSIGNED, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    /** The text as Go's package {@code time} prints it: every byte that is not printable ASCII is escaped. */
    public static String ascii(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b < ' ') {
                quoted.append(String.format("\\x%02x", b & 255));
            } else {
                quoted.append(b == '"' || b == '\\' ? "\\" : "").append((char) b);
            }
        }
        return quoted.append('"').toString();
    }
}
