package dev.wheelhouse.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Runs programs of this machine. */
public final class Commands {
    private static final int MOST_OUTPUT = 1000;

    private Commands() {}

    /**
     * @param input what the program reads
     * @return the first words of the program
     * @throws IOException if the program is not there, fails or takes too long; the message has its first words
     */
    public static String run(Duration deadline, String input, String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var output = process.getInputStream()) {
            // The program's end at the deadline also ends the waits for it to read and to write.
            process.onExit().orTimeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(e -> process.destroyForcibly());
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            }
            String words = new String(output.readNBytes(MOST_OUTPUT), StandardCharsets.UTF_8).strip();
            output.skip(Long.MAX_VALUE);
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + (words.isEmpty()
                        ? "no success within " + deadline.toSeconds() + " s"
                        : words));
            }
            return words;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(command[0] + " was interrupted");
        } finally {
            process.destroyForcibly();
        }
    }
}
