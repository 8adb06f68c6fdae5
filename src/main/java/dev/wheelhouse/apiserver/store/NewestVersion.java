package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file beside the store that says which version was acknowledged last. It has a fixed length, so that it can be written when
 * the disk is full.
 *
 * @param acknowledged 0 if the file does not say
 * @param undone whether a commit after that version failed, so that whatever the store has of it has not happened
 */
record NewestVersion(long acknowledged, boolean undone) {
    private static final String UNDONE = "undone";
    private static final int LENGTH = 28;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})\\s*(" + UNDONE + ")?\\s*");

    static NewestVersion read(FileChannel file) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(64);
        file.read(text, 0);
        Matcher matcher = TEXT.matcher(new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII));
        return matcher.matches()
                ? new NewestVersion(Long.parseLong(matcher.group(1)), matcher.group(2) != null)
                : new NewestVersion(0, false);
    }

    static void write(FileChannel file, long acknowledged) throws IOException {
        write(file, acknowledged, "");
    }

    /** The same, on the disk when it returns. */
    static void writeForced(FileChannel file, long acknowledged) throws IOException {
        write(file, acknowledged, "");
        file.force(false);
    }

    static void writeUndone(FileChannel file, long acknowledged) throws IOException {
        write(file, acknowledged, UNDONE);
        file.force(false);
    }

    private static void write(FileChannel file, long acknowledged, String note) throws IOException {
        byte[] text = "%-20d%-7s%n".formatted(acknowledged, note).getBytes(StandardCharsets.US_ASCII);
        file.write(ByteBuffer.wrap(text, 0, LENGTH), 0);
    }

    boolean isUndone(long version) {
        return undone && version > acknowledged;
    }
}
