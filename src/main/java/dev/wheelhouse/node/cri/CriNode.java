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
    private static final Pattern MEMORY = Pattern.compile("MemTotal:\\s+(\\d{1,12}) kB");

    private final Path socket;
    private final Path directory;
    private volatile String version = "unknown://";

    private CriNode(Path socket, Path directory) {
        this.socket = socket;
        this.directory = directory;
    }

    /**
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
        return new CriNode(socket, directory.toAbsolutePath().normalize());
    }

    /** The runtime has said its name and version. */
    void isVersion(VersionResponse answer) {
        version = answer.getRuntimeName() + "://" + answer.getRuntimeVersion();
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
            return new CriRuntime(this, node, new CriService(new CriClient(socket)), folders,
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

    /** The memory of this machine in bytes. */
    long memory() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.map(MEMORY::matcher).filter(m -> m.matches()).findFirst()
                    .map(m -> Long.parseLong(m.group(1)) * 1024).orElse(1L << 30);
        } catch (IOException e) {
            return 1L << 30;
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
