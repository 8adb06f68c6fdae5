package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.NodeRuntime;
import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.PodRuntime;
import dev.wheelhouse.node.cri.proto.Cri.VersionResponse;
import dev.wheelhouse.runtime.Clock;

/** A machine with a container runtime that speaks the Container Runtime Interface. */
public final class CriNode implements NodeRuntime {
    private static final String SCHEME = "unix://";
    /** The attempts to reach a runtime that was there before, with a pause after each: a minute in all. */
    private static final int ATTEMPTS = 300;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Pattern MEMORY = Pattern.compile("MemTotal:\\s+(\\d{1,12}) kB");

    private final Path socket;
    private final Path directory;
    private final boolean services;
    private volatile String version = "unknown://";

    private CriNode(Path socket, Path directory, boolean services) {
        this.socket = socket;
        this.directory = directory;
        this.services = services;
    }

    /**
     * Looks for a runtime. If the directory is there, an earlier process has run containers, and the runtime may be
     * starting again, too: it has a minute.
     *
     * @param directory the volumes and logs of pods lie below it
     * @throws IllegalArgumentException if the text is no address of a unix socket
     * @throws IOException if this user may not run containers; the message is a sentence
     */
    public static CriNode at(String address, Path directory) throws IOException {
        Path socket;
        try {
            socket = Path.of(address.substring(address.startsWith(SCHEME) ? SCHEME.length() : 0));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("it is no path: " + e.getMessage());
        }
        if (!address.startsWith(SCHEME) || !socket.isAbsolute()) {
            throw new IllegalArgumentException("write hollow, or the socket of a container runtime, such as "
                    + "unix:///run/containerd/containerd.sock");
        }
        if (!Files.exists(Path.of("/proc/self")) || (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") != 0) {
            throw new IOException("running containers needs root on Linux");
        }
        return new CriNode(socket, directory.toAbsolutePath().normalize(), false);
    }

    /** The runtime has said its name and version. */
    void isVersion(VersionResponse answer) {
        version = answer.getRuntimeName() + "://" + answer.getRuntimeVersion();
    }

    /**
     * A copy that gives its pods the addresses and names of Services, and a network if the runtime has none. This process
     * has to be in the runtime's network namespace.
     */
    public CriNode withServices() {
        return new CriNode(socket, directory, true);
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public PodRuntime open(NodeAgentOptions node, KubeClient client, PodEventRecorder events, Clock clock) {
        NodeFolders folders = new NodeFolders(directory.resolve(node.name()));
        try {
            folders.make();
            return new CriRuntime(this, node, services, new CriService(new CriClient(socket)), folders,
                    ControlGroups.of(Files.readAllLines(Path.of("/proc/self/mountinfo")), node.name()), client, events,
                    clock);
        } catch (IOException e) {
            throw new IllegalStateException("the directories of the node " + node.name() + " in " + directory
                    + " could not be made: " + e.getMessage(), e);
        }
    }

    /** The resources of this machine: what {@code /proc} says, and as many pods as a kubelet runs by default. */
    public Map<String, String> resources() {
        return Map.of("cpu", String.valueOf(Runtime.getRuntime().availableProcessors()), "memory",
                String.valueOf(memory()), "pods", "110");
    }

    /** Whether the kernel of this machine labels processes and files. */
    boolean hasSelinux() {
        return Files.exists(Path.of("/sys/fs/selinux/enforce"));
    }

    /** The memory of this machine in bytes. */
    long memory() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.map(MEMORY::matcher).filter(m -> m.matches()).findFirst()
                    .map(m -> Long.parseLong(m.group(1)) * 1024).orElse(1L << 30);
        } catch (IOException e) {
            return 1L << 30;
        }
    }
}
