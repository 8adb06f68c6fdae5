package dev.wheelhouse.runtime;

import java.util.regex.Pattern;

/** Makes texts that other programs or users chose fit for the log and for reports. */
public final class OneLine {
    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}\\u2028\\u2029\\u202a-\\u202e]+");

    private OneLine() {}

    /**
     * The text on one line, so that it cannot look like another line, and with a limited length. A long text loses its
     * middle.
     */
    public static String of(String text, int most) {
        String line = CONTROLS.matcher(text).replaceAll(" ").strip();
        int end = most / 3;
        return line.length() <= most
                ? line
                : line.substring(0, most - end - 3) + "..." + line.substring(line.length() - end);
    }
}
