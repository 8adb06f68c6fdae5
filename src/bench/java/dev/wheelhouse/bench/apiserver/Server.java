package dev.wheelhouse.bench.apiserver;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server under test, in processes of its own. */
final class Server implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    final String name;
    final Endpoint endpoint;
    private final List<Process> processes;
    private final Path directory;

    private Server(String name, Endpoint endpoint, List<Process> processes, Path directory) {
        this.name = name;
        this.endpoint = endpoint;
        this.processes = processes;
        this.directory = directory;
    }

    /** The failures that a write of the embedded server survives. */
    enum Durability {
        NOTHING("in memory"), PROCESS("data directory"), POWER("data directory, fsync");

        final String text;

        Durability(String text) {
            this.text = text;
        }
    }

    /** A command that runs a class with the options of the measured JVM. */
    static List<String> jvm(Class<?> program) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx2500m",
                "-XX:+UseCompactObjectHeaders", "-Dlogback.configurationFile=src/bench/logback.xml"));
        command.addAll(Stream.of(System.getenv().getOrDefault("BENCH_JVM_OPTS", "").split(" "))
                .filter(option -> !option.isEmpty()).toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        return command;
    }

    /** Wheelhouse's own. */
    static Server embedded(String name, Durability durability) throws IOException {
        Path directory = Files.createTempDirectory("bench-apiserver");
        List<String> command = jvm(ServedProcess.class);
        if (durability != Durability.NOTHING) {
            command.addAll(List.of(directory.resolve("data").toString(), durability.name()));
        }
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        if (line == null || !line.startsWith("listening ")) {
            throw new IOException("the embedded server did not start: " + line);
        }
        return new Server(name, new Endpoint(URI.create(line.substring(10)), ""), List.of(process), directory);
    }

    /**
     * A real kube-apiserver and its etcd; null where they are not found. @param fsync whether etcd waits for the disk
     */
    static Server real(String name, boolean fsync) throws Exception {
        String kubeApiserver = program("kube-apiserver");
        String etcd = program("etcd");
        if (kubeApiserver.isEmpty() || etcd.isEmpty()) {
            System.out.println("no kube-apiserver and etcd on the PATH: the comparison is left out");
            return null;
        }
        Path directory = Files.createTempDirectory("bench-kube");
        int store = freePort();
        int peer = freePort();
        int port = freePort();
        List<String> command = new ArrayList<>(List.of(etcd, "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=http://127.0.0.1:" + store, "--advertise-client-urls=http://127.0.0.1:" + store,
                "--listen-peer-urls=http://127.0.0.1:" + peer, "--quota-backend-bytes=4000000000",
                "--initial-advertise-peer-urls=http://127.0.0.1:" + peer,
                "--initial-cluster=default=http://127.0.0.1:" + peer));
        if (!fsync) {
            command.add("--unsafe-no-fsync");
        }
        Process first = start(directory.resolve("etcd.log"), command);
        KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        Path tokens = Files.writeString(directory.resolve("tokens.csv"), "bench,admin,admin,system:masters\n");
        Process second = start(directory.resolve("kube-apiserver.log"), List.of(kubeApiserver,
                "--etcd-servers=http://127.0.0.1:" + store, "--bind-address=127.0.0.1", "--secure-port=" + port,
                "--cert-dir=" + directory.resolve("certs"), "--service-cluster-ip-range=10.0.0.0/24",
                "--token-auth-file=" + tokens, "--authorization-mode=RBAC",
                "--service-account-issuer=https://127.0.0.1",
                "--service-account-key-file=" + pem(directory, "sa.pub", "PUBLIC KEY", keys.getPublic().getEncoded()),
                "--service-account-signing-key-file="
                        + pem(directory, "sa.key", "PRIVATE KEY", keys.getPrivate().getEncoded()),
                "--disable-admission-plugins=ServiceAccount", "--shutdown-delay-duration=0s",
                "--max-requests-inflight=4000", "--max-mutating-requests-inflight=2000"));
        Server server = new Server(name, new Endpoint(URI.create("https://127.0.0.1:" + port), "bench"),
                List.of(second, first), directory);
        server.awaitReady();
        return server;
    }

    private static Process start(Path log, List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    }

    private static String program(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(d -> Path.of(d, name))
                .filter(Files::isExecutable).map(Path::toString).findFirst().orElse("");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Path pem(Path directory, String file, String type, byte[] key) throws IOException {
        return Files.writeString(directory.resolve(file), "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(key) + "\n-----END " + type + "-----\n");
    }

    private void awaitReady() throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try (Connection connection = new Connection(endpoint)) {
                connection.get("/readyz");
                connection.get("/api/v1/namespaces/default");
                return;
            } catch (IOException e) {
                if (System.nanoTime() > end) {
                    throw new IOException(name + " did not become ready; see " + directory, e);
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    /** CPU seconds of all its processes so far. */
    double cpuSeconds() {
        return processes.stream().mapToDouble(
                p -> p.info().totalCpuDuration().map(Duration::toNanos).orElse(0L) / 1e9).sum();
    }

    /** Resident bytes of all its processes. */
    long residentBytes() {
        return processes.stream().mapToLong(p -> {
            try {
                return Files.readAllLines(Path.of("/proc/" + p.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024).sum();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }).sum();
    }

    /** Heap bytes that an embedded server retains. @param compact whether it first forgets the past */
    long retained(boolean compact) throws IOException {
        Process process = processes.getFirst();
        process.getOutputStream().write(compact ? 'c' : 'g');
        process.getOutputStream().flush();
        String line = process.inputReader(StandardCharsets.UTF_8).readLine();
        return Long.parseLong(line.substring("retained ".length()));
    }

    @Override
    public void close() throws Exception {
        for (Process process : processes) {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
