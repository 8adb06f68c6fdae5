package dev.wheelhouse.runtime;

import java.util.BitSet;

import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * A YAML text for SnakeYAML, read in time linear in its length. SnakeYAML's own reader copies the part of a scalar that
 * it has read for each further kilobyte: one scalar of three megabytes takes seconds, and seventeen gigabytes of
 * allocations. A tab between tokens counts as a space, as in Go's parser, which SnakeYAML refuses. Not thread safe.
 */
final class YamlCodePoints extends StreamReader {
    private static final String NAME = "'string'";
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    private final int[] text;
    /** The tabs that count as spaces. The text of a scalar keeps them. */
    private final BitSet blanks = new BitSet();
    private int at;
    private int documentBegin;
    private int line;
    private int column;

    /** @throws ReaderException if the text has characters that YAML does not allow */
    YamlCodePoints(String yaml) {
        super("");
        this.text = yaml.codePoints().toArray();
        for (int i = 0; i < text.length; i++) {
            if (!isPrintable(text[i])) {
                throw new ReaderException(NAME, i, text[i], "special characters are not allowed");
            }
        }
        findBlanks();
    }

    /**
     * Finds the tabs that do not indent a line of a block: those after a key, and all tabs in a text that looks like
     * JSON.
     */
    private void findBlanks() {
        int first = 0;
        while (first < text.length && (text[first] <= ' ' || text[first] == BYTE_ORDER_MARK)) {
            first++;
        }
        boolean flow = first < text.length && (text[first] == '{' || text[first] == '[');
        boolean indents = true;
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\t') {
                blanks.set(i, (flow || !indents) && (i == 0 || text[i - 1] != '\\'));
            } else {
                boolean indicates = (text[i] == '-' || text[i] == '?') && i + 1 < text.length && text[i + 1] <= ' ';
                indents = text[i] == '\n' || text[i] == '\r' || indents && (text[i] == ' ' || indicates);
            }
        }
    }

    @Override
    public Mark getMark() {
        return new Mark(NAME, at, line, column, text, at);
    }

    @Override
    public void forward() {
        forward(1);
    }

    @Override
    public void forward(int length) {
        for (int i = 0; i < length && at < text.length; i++) {
            int c = text[at++];
            if (c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029 || (c == '\r' && peek() != '\n')) {
                line++;
                column = 0;
            } else if (c != BYTE_ORDER_MARK) {
                column++;
            }
        }
    }

    @Override
    public int peek() {
        return peek(0);
    }

    @Override
    public int peek(int ahead) {
        if (ahead >= text.length - at) {
            return 0;
        }
        int c = text[at + ahead];
        return c == '\t' && blanks.get(at + ahead) ? ' ' : c;
    }

    @Override
    public String prefix(int length) {
        return new String(text, at, Math.min(length, text.length - at));
    }

    /** Counts columns only, because SnakeYAML asks only for characters of one line. */
    @Override
    public String prefixForward(int length) {
        String prefix = prefix(length);
        at = Math.min(at + length, text.length);
        column += length;
        return prefix;
    }

    @Override
    public int getColumn() {
        return column;
    }

    @Override
    public int getIndex() {
        return at;
    }

    @Override
    public int getDocumentIndex() {
        return at - documentBegin;
    }

    @Override
    public void resetDocumentIndex() {
        documentBegin = at;
    }

    @Override
    public int getLine() {
        return line;
    }
}
