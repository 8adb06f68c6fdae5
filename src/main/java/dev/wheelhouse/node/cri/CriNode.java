package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.NodeRuntime;
import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.PodRuntime;
import dev.wheelhouse.node.cri.proto.Cri.VersionResponse;
import dev.wheelhouse.runtime.Clock;

/** A machine with a container runtime that speaks the Container Runtime Interface. */
public final class CriNode implements NodeRuntime {
    private static final Logger log = LoggerFactory.getLogger(CriNode.class);
    private static final String SCHEME = "unix://";
    private static final Pattern MEMORY = Pattern.compile("(\\w+):\\s+(\\d{1,12}) kB");
    private static final Path PROC = Path.of("/proc");
    /** The port of a kubelet. */
    static final int DEFAULT_PORT = 10250;

    private final Path socket;
    private final Path directory;
    private final boolean services;
    private volatile String version = "unknown://";
    private final @Nullable Integer port;
    private final @Nullable Path clientAuthorities;

    private CriNode(Path socket, Path directory, boolean services, @Nullable Integer port,
            @Nullable Path clientAuthorities) {
        this.socket = socket;
        this.directory = directory;
        this.services = services;
        this.port = port;
        this.clientAuthorities = clientAuthorities;
    }

    /**
     * The same with another server.
     *
     * @param serverPort null for kubelet's port, or any free one if that is taken; 0 for any free one
     * @param authorities the file of the authorities of client certificates; null for those that the API server
     *     publishes
     */
    public CriNode serving(@Nullable Integer serverPort, @Nullable Path authorities) {
        return new CriNode(socket, directory, services, serverPort, authorities);
    }

    /**
     * Looks for a runtime. If the directory is there, an earlier process has run containers, and the runtime may be
     * starting again, too: it need not be there yet.
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
        // Where containers have run before, the runtime may be starting again, and the node waits for it.
        if (!Files.exists(socket) && !Files.isDirectory(directory)) {
            throw new IOException("there is no socket " + socket);
        }
        return new CriNode(socket, directory.toAbsolutePath().normalize(), false, 0, null);
    }

    /** The runtime has said its name and version. */
    void isVersion(VersionResponse answer) {
        version = answer.getRuntimeName() + "://" + answer.getRuntimeVersion();
    }

    /**
     * A copy that gives its pods the addresses and names of Services, and a network if the runtime has none. This
     * process has to be in the runtime's network namespace.
     */
    public CriNode withServices() {
        return new CriNode(socket, directory, true, port, clientAuthorities);
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public PodRuntime open(NodeAgentOptions node, KubeClient client, KubeClient process, PodEventRecorder events,
            Clock clock) {
        NodeFolders folders = new NodeFolders(directory.resolve(node.name()));
        try {
            folders.make();
            // Nodes of other processes may have the same name, but not the same directory.
            String group = node.name() + "-" + Integer.toHexString(directory.toString().hashCode());
            return new CriRuntime(this, node, services, new CriService(new CriClient(socket)), folders,
                    ControlGroups.of(Files.readAllLines(Path.of("/proc/self/mountinfo")), group), client, process,
                    events, clock);
        } catch (IOException e) {
            throw new IllegalStateException("the directories of the node " + node.name() + " in " + directory
                    + " could not be made: " + e.getMessage(), e);
        }
    }

    /** The server of a node. Its threads start later. */
    NodeServer server(CriRuntime of) {
        String name = of.node.name();
        NodeApi api = new NodeApi(of, new NodeAuth(name, of.client, clientAuthorities, of.clock),
                new Streams(of.cri, name, of::run), new NodeUsage(name, of.cri, of.clock, PROC));
        try {
            return new NodeServer(name, of.node.hostIp(), port, api, of.clock);
        } catch (IOException e) {
            throw new IllegalStateException("the server of the node " + name + " cannot start: " + e.getMessage(), e);
        }
    }

    @Override
    public void discardVolume(String name) {
        try {
            NodeFolders.discard(directory, name);
        } catch (IOException e) {
            log.warn("the directory of the volume {} in {} could not be taken away: {}", name, directory,
                    e.getMessage());
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
        long total = memory(PROC, "MemTotal");
        return total > 0 ? total : 1L << 30;
    }

    /** An amount of memory of this machine in bytes, such as {@code MemAvailable}; 0 if it is unknown. */
    static long memory(Path proc, String name) {
        try (Stream<String> lines = Files.lines(proc.resolve("meminfo"))) {
            return lines.map(MEMORY::matcher).filter(m -> m.matches() && m.group(1).equals(name)).findFirst()
                    .map(m -> Long.parseLong(m.group(2)) * 1024).orElse(0L);
        } catch (IOException e) {
            return 0;
        }
    }
}
