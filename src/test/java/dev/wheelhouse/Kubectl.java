package dev.wheelhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.opentest4j.TestAbortedException;

import dev.wheelhouse.testing.Eventually;

/** The real kubectl, where it is installed. */
public final class Kubectl {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final Path kubeconfig;
    private final Path home;

    /** The output and the exit code of a command. */
    public record Ran(String command, int code, String output) {
        public Ran succeeded() {
            if (code != 0) {
                throw new AssertionError(command + " ended with " + code + ":\n" + output);
            }
            return this;
        }
    }

    /** A command that runs until it is closed. */
    public record Running(String command, Process process, Path out) implements AutoCloseable {
        /** Waits until it has printed something that matches. */
        public void awaitOutput(String regex) {
            Pattern pattern = Pattern.compile(regex);
            try {
                Eventually.eventually(command + " prints " + regex, PATIENCE,
                        () -> pattern.matcher(Files.readString(out)).find());
            } catch (AssertionError e) {
                throw new AssertionError(output(), e);
            }
        }

        public String output() {
            try {
                return Files.readString(out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private Kubectl(Path kubeconfig, Path home) {
        this.kubeconfig = kubeconfig;
        this.home = home;
    }

    /** @throws TestAbortedException, loudly, where kubectl is not installed */
    public static Kubectl orSkip(Path kubeconfig, Path home) {
        if (onPath("kubectl").isEmpty()) {
            System.out.println("SKIPPED, because kubectl is not on the PATH");
            throw new TestAbortedException("kubectl is not on the PATH");
        }
        return new Kubectl(kubeconfig, home);
    }

    public static Optional<Path> onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":")).map(dir -> Path.of(dir, program))
                .filter(Files::isExecutable).findFirst();
    }

    /** Runs a line of shell, in the project's directory. */
    public Ran shell(String line) {
        return shell("bash", line);
    }

    Ran shell(String shell, String line) {
        return run(List.of(shell, "-c", line), line);
    }

    /** Runs kubectl. */
    public Ran run(String... args) {
        return run(kubectl(args), "kubectl " + String.join(" ", args));
    }

    /** Starts kubectl, and does not wait for its end. */
    public Running start(String... args) {
        return start(kubectl(args), "kubectl " + String.join(" ", args));
    }

    /** Starts a line of shell, and does not wait for its end. */
    public Running startShell(String line) {
        return start(List.of("bash", "-c", line), line);
    }

    private static List<String> kubectl(String... args) {
        return Stream.concat(Stream.of("kubectl"), Stream.of(args)).toList();
    }

    private Running start(List<String> command, String said) {
        try {
            Path out = Files.createTempFile(home, "out", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
            builder.environment().put("KUBECONFIG", kubeconfig.toString());
            builder.environment().put("HOME", home.toString());
            return new Running(said, builder.start(), out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Ran run(List<String> command, String said) {
        try (Running running = start(command, said)) {
            if (!running.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError(said + " did not end within " + PATIENCE + ":\n" + running.output());
            }
            return new Ran(said, running.process.exitValue(), running.output());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
