package dev.wheelhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.opentest4j.TestAbortedException;

/** The real kubectl, where it is installed. */
public final class Kubectl {
    private final Path kubeconfig;
    private final Path home;

    /** The output and the exit code of a command. */
    record Ran(String command, int code, String output) {
        Ran succeeded() {
            if (code != 0) {
                throw new AssertionError(command + " ended with " + code + ":\n" + output);
            }
            return this;
        }
    }

    private Kubectl(Path kubeconfig, Path home) {
        this.kubeconfig = kubeconfig;
        this.home = home;
    }

    /** @throws TestAbortedException, loudly, where kubectl is not installed */
    static Kubectl orSkip(Path kubeconfig, Path home) {
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
    Ran shell(String line) {
        return run(List.of("bash", "-c", line), line);
    }

    /** Runs kubectl. */
    Ran run(String... args) {
        return run(Stream.concat(Stream.of("kubectl"), Stream.of(args)).toList(), "kubectl " + String.join(" ", args));
    }

    private Ran run(List<String> command, String said) {
        try {
            Path out = Files.createTempFile(home, "out", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
            builder.environment().put("KUBECONFIG", kubeconfig.toString());
            builder.environment().put("HOME", home.toString());
            Process process = builder.start();
            if (!process.waitFor(90, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(said + " did not end within 90 s:\n" + Files.readString(out));
            }
            return new Ran(said, process.exitValue(), Files.readString(out, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
