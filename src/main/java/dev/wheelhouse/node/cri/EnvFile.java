package dev.wheelhouse.node.cri;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of variables that a container reads from a volume: lines such as {@code NAME='value'}. A value may have many
 * lines (upstream: {@code pkg/kubelet/util/env}).
 */
final class EnvFile {
    /** A blank line or a comment; a name with a blank behind {@code =}, which is an empty value; or a value. */
    private static final Pattern ENTRY = Pattern.compile(
            "[ \t]*+(?:(?:#[^\n]*+)?|(?<empty>[^=\n]*[^=\\s])=[ \t][^\n]*+|(?<name>[^=\n]*[^=\\s])='(?<value>[^']*+)'"
                    + "[ \t]*+(?:#[^\n]*+)?)(?:\n|\\z)");

    private EnvFile() {}

    /**
     * The value of a variable; empty if the file does not have it. As upstream, what comes after it is not looked at.
     *
     * @throws IllegalArgumentException if the file has another form before the variable
     */
    static String value(String text, String name) {
        String lines = text.replace("\r\n", "\n");
        Matcher entry = ENTRY.matcher(lines);
        for (int at = 0; at < lines.length(); at = entry.end()) {
            if (!entry.region(at, lines.length()).lookingAt()) {
                throw new IllegalArgumentException("couldn't parse env file");
            }
            if (name.equals(entry.group("empty"))) {
                return "";
            }
            if (name.equals(entry.group("name"))) {
                return entry.group("value");
            }
        }
        return "";
    }
}
