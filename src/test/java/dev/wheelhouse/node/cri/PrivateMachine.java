package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A machine of a test, on which containerd runs as Debian's package starts it: with the socket
 * {@code /run/containerd/containerd.sock}. Its file system is that of this machine, but for {@code /run/containerd} and
 * {@code /var/lib/wheelhouse}, which are directories of the test; its network is a namespace of its own.
 */
public final class PrivateMachine implements AutoCloseable {
    private static final String START = """
            mkdir -p /run/containerd /var/lib/wheelhouse "$0/run" "$0/lib"
            ln -sf "$0/c.sock" "$0/run/containerd.sock"
            mount --make-shared "$0"
            mount --bind "$0/run" /run/containerd
            mount --bind "$0/lib" /var/lib/wheelhouse
            exec "$@"
            """;

    private final PrivateContainerd containerd;

    private PrivateMachine(PrivateContainerd containerd) {
        this.containerd = containerd;
    }

    /** Starts it, or skips the test and says why. */
    public static PrivateMachine orSkip(Path home) throws IOException {
        return new PrivateMachine(PrivateContainerd.orSkip(home,
                List.of("unshare", "--mount", "--propagation", "slave", "sh", "-ec", START, home.toString())));
    }

    /**
     * Makes an image that the machine then has, of Debian's busybox.
     *
     * @param name the whole name, with its registry
     * @param script what its containers run
     */
    public void image(String name, String script) throws IOException {
        containerd.importImage(name, "[\"sh\", \"-c\", \"" + script + "\"]");
    }

    /** The words before a command that make it run on the machine, in a directory. */
    public List<String> in(Path directory) {
        return List.of("nsenter", "--target=" + containerd.pid(), "--mount", "--net", "sh", "-c",
                "cd \"$0\" && exec \"$@\"", directory.toString());
    }

    @Override
    public void close() throws Exception {
        containerd.close();
        for (String left : List.of("/run/containerd", "/var/lib/wheelhouse")) {
            String[] there = Path.of(left).toFile().list();
            if (there != null && there.length == 0) {
                Files.delete(Path.of(left));
            }
        }
    }
}
