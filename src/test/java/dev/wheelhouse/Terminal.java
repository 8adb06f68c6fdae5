package dev.wheelhouse;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.opentest4j.TestAbortedException;

/**
 * An interactive shell in a process of its own, into which a test types lines as a person does: a variable, a directory
 * and a program that runs stay from one line to the next. For one thread.
 */
final class Terminal implements AutoCloseable {
    /** The prompt of a shell for a command, with the exit code of the last one, or for the rest of a command. */
    private static final Pattern PROMPT = Pattern.compile("@@(\\d+|more)@@");

    /** Shells that users have. A variable that nothing has set ends a command, as does a pattern that fits no file. */
    enum Shell {
        BASH("bash", "--norc", "--noprofile", "--noediting", "-u", "-O", "failglob", "-i"), DASH("dash", "-u", "-i");

        private final List<String> command;

        Shell(String... command) {
            this.command = List.of(command);
        }

        Shell orSkip() {
            // setsid takes the shell from the terminal of whoever runs the tests; Ctrl+C may be ignored there.
            for (String program : List.of(command.getFirst(), "setsid")) {
                if (Kubectl.onPath(program).isEmpty()) {
                    System.out.println("SKIPPED, because " + program + " is not on the PATH");
                    throw new TestAbortedException(program + " is not on the PATH");
                }
            }
            return this;
        }
    }

    /** The state of the terminal after a line. */
    enum State {
        /** The command has ended. */
        ENDED,
        /** The shell waits for the rest of the command. */
        UNFINISHED,
        /** The command runs, and has printed the words for which the caller looks. */
        RUNS
    }

    private final Process process;
    private final Writer keyboard;
    private final Thread reader;
    private final StringBuilder printed = new StringBuilder();
    /** How much of it belongs to earlier lines. */
    private int read;
    private int code;
    private String output = "";

    /** @param machine words before a command that make it run on a machine of its own; empty for this machine */
    Terminal(Shell shell, Path directory, Map<String, String> variables, List<String> machine) {
        List<String> command = new ArrayList<>(machine);
        command.addAll(List.of("setsid", "env", "--default-signal=INT"));
        command.addAll(shell.orSkip().command);
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        ServiceProgram.forgetSurroundings(builder);
        builder.environment().remove("ENV");
        builder.environment().putAll(variables);
        builder.environment().putAll(Map.of("PS1", "@@$?@@", "PS2", "@@more@@"));
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        keyboard = process.outputWriter(StandardCharsets.UTF_8);
        reader = Thread.ofVirtual().start(this::read);
        awaitPrompt("the start of " + shell, Pattern.compile("(?!)"), Duration.ofMinutes(1));
    }

    private void read() {
        try (Reader in = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            char[] buffer = new char[8192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                synchronized (printed) {
                    printed.append(buffer, 0, n);
                    printed.notifyAll();
                }
            }
        } catch (IOException e) {
            // It has been closed.
        }
    }

    /**
     * Types a line.
     *
     * @param running words by which a program says that it runs until somebody ends it
     * @throws AssertionError if the command neither ends nor says so in time: it blocks the terminal
     */
    State type(String line, Pattern running, Duration patience) {
        try {
            keyboard.write(line + "\n");
            keyboard.flush();
        } catch (IOException e) {
            throw new AssertionError("the shell has ended before: " + line + "\n" + printed(), e);
        }
        return awaitPrompt(line, running, patience);
    }

    private State awaitPrompt(String line, Pattern running, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        synchronized (printed) {
            while (true) {
                String news = printed.substring(read);
                Matcher prompt = PROMPT.matcher(news);
                if (prompt.find()) {
                    read += prompt.end();
                    output = news.substring(0, prompt.start());
                    boolean more = prompt.group(1).equals("more");
                    code = more ? code : Integer.parseInt(prompt.group(1));
                    return more ? State.UNFINISHED : State.ENDED;
                }
                if (running.matcher(news).find()) {
                    output = news;
                    return State.RUNS;
                }
                long left = (deadline - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AssertionError("blocks its terminal: " + line + "\n" + news);
                }
                try {
                    printed.wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError(e);
                }
            }
        }
    }

    /** The output of the last line, or of the program that runs. */
    String output() {
        return output;
    }

    /** The exit code of the last command. */
    int code() {
        return code;
    }

    private String printed() {
        synchronized (printed) {
            return printed.toString();
        }
    }

    /** Types Ctrl+C, and waits for the end of the program that runs. */
    void interrupt(Duration patience) {
        process.descendants().forEach(each -> signal(each.pid()));
        awaitPrompt("Ctrl+C", Pattern.compile("(?!)"), patience);
    }

    private static void signal(long pid) {
        try {
            new ProcessBuilder("sh", "-c", "kill -INT " + pid).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList()
                .forEach(ProcessHandle::destroyForcibly);
        try {
            reader.join(Duration.ofMinutes(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
