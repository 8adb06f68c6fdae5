package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The log files of containers, in CRI's format: each line has a time, a stream and a tag before its text. */
final class CriLogs {
    private static final int MOST_BYTES = 2_048;
    private static final int MOST_LINES = 80;
    private static final int FIELDS = 4;

    private CriLogs() {}

    /**
     * The text of the last lines: at most 80, with at most 2,048 bytes, as for a termination message.
     * @return empty if there is no file, or it cannot be read
     */
    static String tail(Path file) {
        if (!Files.isRegularFile(file)) {
            return "";
        }
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            // Each line has some forty bytes before its text.
            long from = Math.max(0, log.length() - 3L * MOST_BYTES);
            log.seek(from);
            byte[] bytes = new byte[(int) Math.min(log.length() - from, 3L * MOST_BYTES)];
            log.readFully(bytes);
            StringBuilder text = new StringBuilder();
            String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n");
            for (int i = Math.max(from == 0 ? 0 : 1, lines.length - MOST_LINES); i < lines.length; i++) {
                String[] fields = lines[i].split(" ", FIELDS);
                if (fields.length == FIELDS) {
                    text.append(fields[3]).append(fields[2].startsWith("P") ? "" : "\n");
                }
            }
            return text.length() <= MOST_BYTES ? text.toString() : text.substring(text.length() - MOST_BYTES);
        } catch (IOException e) {
            return "";
        }
    }
}
