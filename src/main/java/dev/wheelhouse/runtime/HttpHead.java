package dev.wheelhouse.runtime;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The first lines of a request or an answer of HTTP/1.1.
 *
 * @param lines without the empty line at their end
 */
public record HttpHead(List<String> lines) {
    private static final int MOST_CHARACTERS = 64 * 1024;

    /** @throws IOException if it is too long, or does not end */
    public static HttpHead read(InputStream in) throws IOException {
        return read(in, () -> false);
    }

    /** @param patient whether to go on when nothing has come in time */
    public static HttpHead read(InputStream in, BooleanSupplier patient) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < 4 || text.indexOf("\r\n\r\n", text.length() - 4) < 0) {
            try {
                int next = in.read();
                if (next < 0 || text.length() >= MOST_CHARACTERS) {
                    throw next < 0 ? new EOFException("EOF") : new IOException("the head is too long");
                }
                text.append((char) next);
            } catch (SocketTimeoutException e) {
                if (!text.isEmpty() || !patient.getAsBoolean()) {
                    throw e;
                }
            }
        }
        return new HttpHead(List.of(text.substring(0, text.length() - 4).split("\r?\n")));
    }

    /** The value of a header; several are joined by commas; empty if there is none. */
    public String header(String name) {
        return String.join(",", headers().filter(line -> name(line).equalsIgnoreCase(name))
                .map(HttpHead::value).toList());
    }

    /** The lines of headers. */
    public Stream<String> headers() {
        return lines.stream().skip(1).filter(line -> line.indexOf(':') > 0);
    }

    /** The name of a header. */
    public static String name(String line) {
        return line.substring(0, line.indexOf(':')).strip();
    }

    /** The value of a header. */
    public static String value(String line) {
        return line.substring(line.indexOf(':') + 1).strip();
    }

    /** A word of the first line; empty if there is none. */
    public String word(int index) {
        String[] words = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ");
        return words.length > index ? words[index] : "";
    }
}
