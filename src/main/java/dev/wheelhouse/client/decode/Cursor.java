package dev.wheelhouse.client.decode;

import java.nio.charset.Charset;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A position in the bytes of one object, with the texts and predictions that its decoding has collected so far. Not
 * thread safe.
 */
abstract sealed class Cursor permits JsonCursor, WireCursor {
    /** Shorter texts are not kept in the table of texts. */
    private static final int SHORTEST_KEPT = 6;
    private static final int TEXTS = 16;
    private static final int[] NONE = {};

    final byte[] bytes;
    final int end;
    final Predictor predictor = new Predictor();
    int at;
    /** The table of texts: the latest text of each hash, and the index of its first byte. Made for the first text. */
    private @Nullable String @Nullable [] texts;
    private int[] textsFrom = NONE;

    Cursor(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    /** The text of a range. A text that the table has is returned again, because objects repeat texts. */
    final String text(int from, int to, Charset charset) {
        int length = to - from;
        if (length < SHORTEST_KEPT) {
            return new String(bytes, from, length, charset);
        }
        @Nullable
        String[] table = texts;
        if (table == null) {
            table = new String[TEXTS];
            texts = table;
            textsFrom = new int[TEXTS];
        }
        int place = bytes[to - 1] * 31 + bytes[to - 2] * 7 + bytes[to - 4] + length & TEXTS - 1;
        int known = textsFrom[place];
        String text = table[place];
        // A text with other characters than ASCII has fewer characters than bytes, and is never found.
        if (text != null && text.length() == length
                && Arrays.equals(bytes, known, known + length, bytes, from, to)) {
            return text;
        }
        text = new String(bytes, from, length, charset);
        table[place] = text;
        textsFrom[place] = from;
        return text;
    }
}
