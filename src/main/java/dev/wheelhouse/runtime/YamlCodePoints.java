package dev.wheelhouse.runtime;

import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * A YAML text for SnakeYAML, read in time linear in its length. SnakeYAML's own reader copies the part of a scalar that
 * it has read for each further kilobyte: one scalar of three megabytes takes seconds, and seventeen gigabytes of
 * allocations. Not thread safe.
 */
final class YamlCodePoints extends StreamReader {
    private static final String NAME = "'string'";
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    private final int[] text;
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
        return at < text.length ? text[at] : 0;
    }

    @Override
    public int peek(int ahead) {
        return ahead < text.length - at ? text[at + ahead] : 0;
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
