package dev.wheelhouse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.wheelhouse.testing.Eventually;

/** The service in a process of its own, as a user starts it. */
public final class WheelhouseProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Pattern PORT = Pattern.compile("Health and metrics: http://127\\.0\\.0\\.1:(\\d+)/");

    private final Process process;
    private final Thread reader;
    private final List<String> output = new CopyOnWriteArrayList<>();

    /** @param directory its working directory */
    public WheelhouseProcess(Path directory, String... options) {
        this(directory, Map.of(), options);
    }

    /** @param variables further environment variables */
    public WheelhouseProcess(Path directory, Map<String, String> variables, String... options) {
        this(List.of(), directory, variables, options);
    }

    /** @param before the words of a command that starts it */
    public WheelhouseProcess(List<String> before, Path directory, Map<String, String> variables, String... options) {
        List<String> command = new ArrayList<>(before);
        command.addAll(ServiceProgram.command());
        command.addAll(List.of(options));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
                    .redirectErrorStream(true);
            ServiceProgram.forgetSurroundings(builder);
            builder.environment().putAll(variables);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
            }
        } catch (IOException e) {
            output.add("reading the output failed: " + e);
        }
    }

    /** All that it has printed. */
    public String output() {
        return String.join("\n", output);
    }

    /** Waits until it says that it is ready. */
    public WheelhouseProcess awaitReady() {
        Eventually.eventually("the service is ready", PATIENCE, () -> {
            if (!process.isAlive()) {
                throw new AssertionError("ended with " + process.exitValue() + ":\n" + output());
            }
            // The last line of what it says then.
            return PORT.matcher(output()).find();
        });
        return this;
    }

    /** The port of health and metrics, which it says when it is ready. */
    public int port() {
        Matcher said = PORT.matcher(output());
        if (!said.find()) {
            throw new AssertionError("it has not said where its health and metrics are:\n" + output());
        }
        return Integer.parseInt(said.group(1));
    }

    /** Halts all its threads in the middle of whatever they do, as a machine that is overloaded or suspended does. */
    public void suspend() throws IOException, InterruptedException {
        signal("STOP");
    }

    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException("kill -" + name + " ended with " + code);
        }
    }

    /** Waits until it says something. */
    public void awaitOutput(String text) {
        Eventually.eventually("\"" + text + "\" is said", PATIENCE, () -> output().contains(text));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** Asks it to end, as a SIGTERM does. */
    public void terminate() {
        process.toHandle().destroy();
    }

    public void kill() {
        process.destroyForcibly();
    }

    /** Waits for its end. @return the exit code */
    public int awaitExit(Duration within) throws InterruptedException {
        if (!process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("did not end within " + within + ":\n" + output());
        }
        reader.join(PATIENCE);
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
