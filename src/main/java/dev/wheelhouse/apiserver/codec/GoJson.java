package dev.wheelhouse.apiserver.codec;

import java.util.BitSet;

/**
 * Says why a text is not JSON, in the words of Go's {@code encoding/json}. One pass over the text, in linear time and
 * without recursion.
 */
public final class GoJson {
    private static final String END = "unexpected end of JSON input";

    private final byte[] text;
    private int at;
    /** For each depth, whether the open bracket is that of an object. */
    private final BitSet objects = new BitSet();
    private int depth;

    private GoJson(byte[] text) {
        this.text = text;
    }

    /** The first problem; empty if the text is JSON. */
    public static String problem(byte[] text) {
        try {
            new GoJson(text).document();
            return "";
        } catch (SyntaxException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static final class SyntaxException extends Exception {
        private static final long serialVersionUID = 1;

        SyntaxException(String problem) {
            super(problem, null, false, false);
        }
    }

    private void document() throws SyntaxException {
        boolean value = true;
        while (true) {
            if (value) {
                if (!open()) {
                    scalar();
                    value = false;
                } else if (closesAtOnce()) {
                    value = false;
                } else if (objects.get(depth - 1)) {
                    key();
                }
            } else if (depth == 0) {
                space();
                if (at < text.length) {
                    throw invalid("after top-level value");
                }
                return;
            } else {
                value = separator();
            }
        }
    }

    /** Consumes an opening bracket, if there is one. */
    private boolean open() throws SyntaxException {
        space();
        int c = peek();
        if (c != '{' && c != '[') {
            return false;
        }
        at++;
        objects.set(depth++, c == '{');
        return true;
    }

    private boolean closesAtOnce() throws SyntaxException {
        space();
        if (peek() != (objects.get(depth - 1) ? '}' : ']')) {
            return false;
        }
        at++;
        depth--;
        return true;
    }

    private void key() throws SyntaxException {
        space();
        if (peek() != '"') {
            throw invalid("looking for beginning of object key string");
        }
        string();
        space();
        if (peek() != ':') {
            throw invalid("after object key");
        }
        at++;
    }

    /**
     * Consumes a comma or closing bracket after a value.
     *
     * @return whether another value follows
     */
    private boolean separator() throws SyntaxException {
        space();
        boolean object = objects.get(depth - 1);
        int c = peek();
        if (c == ',') {
            at++;
            if (object) {
                key();
            }
            return true;
        }
        if (c != (object ? '}' : ']')) {
            throw invalid(object ? "after object key:value pair" : "after array element");
        }
        at++;
        depth--;
        return false;
    }

    private void scalar() throws SyntaxException {
        int c = peek();
        switch (c) {
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> {
                if (c != '-' && (c < '0' || c > '9')) {
                    throw invalid("looking for beginning of value");
                }
                number();
            }
        }
    }

    private void string() throws SyntaxException {
        at++;
        while (peek() != '"') {
            int c = peek();
            if (c < ' ') {
                throw invalid("in string literal");
            }
            at++;
            if (c == '\\') {
                escape();
            }
        }
        at++;
    }

    private void escape() throws SyntaxException {
        int c = peek();
        if ("bfnrt\\/\"u".indexOf(c) < 0) {
            throw invalid("in string escape code");
        }
        at++;
        for (int i = 0; c == 'u' && i < 4; i++) {
            if (Character.digit(peek(), 16) < 0) {
                throw invalid("in \\u hexadecimal character escape");
            }
            at++;
        }
    }

    private void literal(String word) throws SyntaxException {
        for (int i = 0; i < word.length(); i++) {
            if (peek() != word.charAt(i)) {
                throw invalid("in literal " + word + " (expecting '" + word.charAt(i) + "')");
            }
            at++;
        }
    }

    private void number() throws SyntaxException {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits("in numeric literal");
        }
        if (at < text.length && text[at] == '.') {
            at++;
            digits("after decimal point in numeric literal");
        }
        if (at < text.length && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits("in exponent of numeric literal");
        }
    }

    private void digits(String where) throws SyntaxException {
        if (peek() < '0' || peek() > '9') {
            throw invalid(where);
        }
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
    }

    private void space() {
        while (at < text.length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) {
            at++;
        }
    }

    private int peek() throws SyntaxException {
        if (at >= text.length) {
            throw new SyntaxException(END);
        }
        return text[at] & 255;
    }

    private SyntaxException invalid(String where) {
        int c = text[at] & 255;
        String shown = switch (c) {
            case '\'' -> "'\\''";
            case '"' -> "'\"'";
            case '\\' -> "'\\\\'";
            case '\n' -> "'\\n'";
            case '\r' -> "'\\r'";
            case '\t' -> "'\\t'";
            default -> c < ' ' || c == 127
                    ? String.format("'\\x%02x'", c)
                    : c > 127 && c < 160 || c == 173 ? String.format("'\\u%04x'", c) : "'" + (char) c + "'";
        };
        return new SyntaxException("invalid character " + shown + " " + where);
    }
}
