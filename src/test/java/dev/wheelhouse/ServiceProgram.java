package dev.wheelhouse;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The compiled service as tests start it in processes of their own: a jar with an ahead-of-time cache, which halves the
 * CPU time of a start. The first test that needs them makes both.
 */
final class ServiceProgram {
    private static final List<String> OPTIONS = List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<String> COMMAND = make();

    private ServiceProgram() {}

    /** The command without the options of the service. */
    static List<String> command() {
        return COMMAND;
    }

    private static List<String> make() {
        try {
            Path directory = Files.createDirectories(Path.of("target", "service").toAbsolutePath());
            Path jar = directory.resolve("service.jar");
            Path cache = directory.resolve("service.aot");
            Path classes = origin(WheelhouseApplication.class);
            int failed = ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "--create", "--file",
                    jar.toString(), "-C", classes.toString(), ".");
            if (failed != 0) {
                throw new IllegalStateException("the classes of the service are not packed");
            }
            String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(entry -> Path.of(entry).toAbsolutePath())
                    .filter(entry -> !entry.equals(origin(ServiceProgram.class)))
                    .map(entry -> entry.equals(classes) ? jar : entry).map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
            List<String> java = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            java.addAll(OPTIONS);
            List<String> service = List.of("-cp", classPath, WheelhouseApplication.class.getName());
            if (record(java, cache, service, directory)) {
                java.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off,cds*=off"));
            } else {
                System.out.println("the service starts without a cache, because none was recorded");
            }
            java.addAll(service);
            return java;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("the program of the service is not made", e);
        }
    }

    /** Records the cache of a start, which ends when the service is ready. @return whether there is a cache */
    private static boolean record(List<String> java, Path cache, List<String> service, Path directory)
            throws IOException, InterruptedException {
        Files.deleteIfExists(cache);
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:aot*=error,cds*=error"));
        command.addAll(service);
        command.addAll(List.of("--server.port=0", "--wheelhouse.apiserver.port=0"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .directory(Files.createTempDirectory(directory, "rehearsal").toFile());
        forgetSurroundings(builder);
        Process process = builder.start();
        Thread limit = Thread.ofVirtual().start(() -> {
            try {
                if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                // It has ended.
            }
        });
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith("Wheelhouse is ready")) {
                    process.toHandle().destroy();
                }
            }
        }
        process.waitFor();
        limit.interrupt();
        return Files.exists(cache);
    }

    /** Removes the variables by which the process would find another cluster, or other options. */
    static void forgetSurroundings(ProcessBuilder builder) {
        Stream.of("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "JAVA_TOOL_OPTIONS").forEach(builder.environment()::remove);
    }

    private static Path origin(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toAbsolutePath();
    }
}
