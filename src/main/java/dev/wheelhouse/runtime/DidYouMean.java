package dev.wheelhouse.runtime;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known word that a misspelt word stands for. */
public final class DidYouMean {
    private DidYouMean() {}

    /**
     * The question to put into an error message, such as {@code "did you mean --wheelhouse.nodes.count? "}; empty if no
     * known word is similar. A word is similar if it ends with the typed one after a dot, or if at most one letter, and
     * one more for each six, was left out, added, replaced, or swapped with its neighbour.
     */
    public static String ask(String typed, Collection<String> known) {
        return closest(typed, known).map(word -> "did you mean " + word + "? ").orElse("");
    }

    /** The known word that is most similar to a typed one, as of {@link #ask}; empty if none is. */
    public static Optional<String> closest(String typed, Collection<String> known) {
        String lower = typed.toLowerCase(Locale.ROOT);
        return known.stream().filter(word -> word.endsWith("." + lower)).min(Comparator.comparing(String::length))
                .or(() -> known.stream().filter(word -> isSimilar(lower, word))
                        .min(Comparator.comparing(word -> distance(lower, word))));
    }

    /** Words whose lengths differ by more than the allowed edits are not compared: the typed one may be long. */
    private static boolean isSimilar(String typed, String word) {
        int most = 1 + typed.length() / 6;
        return Math.abs(typed.length() - word.length()) <= most && distance(typed, word) <= most;
    }

    /** The number of edits between two words: optimal string alignment. */
    private static int distance(String a, String b) {
        int[][] edits = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    edits[i][j] = i + j;
                    continue;
                }
                int replaced = edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                edits[i][j] = Math.min(replaced, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
                }
            }
        }
        return edits[a.length()][b.length()];
    }
}
