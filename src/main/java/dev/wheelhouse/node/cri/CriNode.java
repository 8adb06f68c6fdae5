package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

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
    private static final Pattern MEMORY = Pattern.compile("(\\w+):\\s+(\\d{1,12}) kB");
    private static final Path PROC = Path.of("/proc");
    /** The port of a kubelet. */
    static final int DEFAULT_PORT = 10250;

    private final Path socket;
    private final Path directory;
    private final String version;
    private final @Nullable Integer port;
    private final @Nullable Path clientAuthorities;

    private CriNode(Path socket, Path directory, String version, @Nullable Integer port,
            @Nullable Path clientAuthorities) {
        this.socket = socket;
        this.directory = directory;
        this.version = version;
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
        return new CriNode(socket, directory, version, serverPort, authorities);
    }

    /**
     * @param directory the volumes and logs of pods lie below it
     * @throws IllegalArgumentException if the text is no address of a unix socket
     * @throws IOException if this user may not run containers, or no runtime answers; the message is a sentence
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
        if (!Files.exists(socket)) {
            throw new IOException("there is no socket " + socket);
        }
        try (CriClient client = new CriClient(socket)) {
            VersionResponse answer = new CriService(client).version();
            return new CriNode(socket, directory.toAbsolutePath().normalize(),
                    answer.getRuntimeName() + "://" + answer.getRuntimeVersion(), 0, null);
        } catch (CriException e) {
            throw new IOException("no container runtime answers at " + socket + ": " + e.getMessage());
        }
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
        } catch (IOException e) {
            throw new IllegalStateException("the directories of the node " + node.name() + " in " + directory
                    + " could not be made: " + e.getMessage(), e);
        }
        return new CriRuntime(this, node, new CriService(new CriClient(socket)), folders, client, events, clock);
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

    /** The resources of this machine: what {@code /proc} says, and as many pods as a kubelet runs by default. */
    public Map<String, String> resources() {
        return Map.of("cpu", String.valueOf(Runtime.getRuntime().availableProcessors()), "memory",
                String.valueOf(memory()), "pods", "110");
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

    /** An IPv4 address of this machine that others reach, else its loopback address. */
    public static String address() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress()
                            && !each.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress).findFirst().orElse("127.0.0.1");
        } catch (SocketException e) {
            return "127.0.0.1";
        }
    }
}
