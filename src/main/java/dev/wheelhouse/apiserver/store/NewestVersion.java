package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file beside the store that holds the version acknowledged last. Its length is fixed, so that it can be written
 * even if the disk is full.
 *
 * @param acknowledged the version; 0 if the file holds none
 * @param undone whether a commit after that version failed: all writes after it are to be removed from the store
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

    /** Writes as {@link #write} does, and returns when the content is on the disk. */
    static void writeAndSync(FileChannel file, long acknowledged) throws IOException {
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
