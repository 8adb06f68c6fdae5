package dev.wheelhouse.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Runs programs of this machine. */
public final class Commands {
    private static final int MOST_OUTPUT = 1000;

    private Commands() {}

    /** @throws IOException if the program is not there, fails or takes too long; the message has its first words */
    public static void run(Duration deadline, String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var output = process.getInputStream()) {
            process.getOutputStream().close();
            // A program whose output nobody reads would wait; one that stays silent ends at the deadline.
            process.onExit().orTimeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(e -> process.destroyForcibly());
            String words = new String(output.readNBytes(MOST_OUTPUT), StandardCharsets.UTF_8).strip();
            output.skip(Long.MAX_VALUE);
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + (words.isEmpty()
                        ? "no success within " + deadline.toSeconds() + " s"
                        : words));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(command[0] + " was interrupted");
        } finally {
            process.destroyForcibly();
        }
    }
}
