package dev.wheelhouse.apiserver.protocol;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Bounds the warnings of one answer, because each field of a request may cause one and all are headers (upstream:
 * {@code apiserver/pkg/endpoints/filters/warning.go}).
 */
final class Warnings {
    /** The most characters of all warnings together. If they are more, each warning is cut. */
    private static final int MOST_CHARACTERS = 4 * 1024;
    /** The most characters of each warning, if all together are too long. */
    private static final int MOST_OF_ONE = 256;

    private Warnings() {}

    /** The distinct warnings: all and whole if they are short, else the beginnings of the first ones. */
    static List<String> bounded(List<String> warnings) {
        Set<String> distinct = new LinkedHashSet<>(warnings);
        if (distinct.stream().mapToLong(Warnings::characters).sum() <= MOST_CHARACTERS) {
            return List.copyOf(distinct);
        }
        List<String> bounded = new ArrayList<>();
        int written = 0;
        for (String warning : distinct) {
            if (written >= MOST_CHARACTERS) {
                break;
            }
            String cut = characters(warning) <= MOST_OF_ONE
                    ? warning
                    : warning.substring(0, warning.offsetByCodePoints(0, MOST_OF_ONE));
            bounded.add(cut);
            written += characters(cut);
        }
        return List.copyOf(bounded);
    }

    private static int characters(String text) {
        return text.codePointCount(0, text.length());
    }
}
