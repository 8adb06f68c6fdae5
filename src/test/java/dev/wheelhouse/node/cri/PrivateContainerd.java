package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.testing.Eventually;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A containerd of a test: its root, state and socket lie in a directory of the test, and its network is a namespace of
 * its own. It has one image, of Debian's static busybox.
 */
final class PrivateContainerd implements AutoCloseable {
    static final String IMAGE = "wheelhouse.test/busybox:1";
    private static final Path BUSYBOX = Path.of("/bin/busybox");
    private static final List<String> APPLETS = List.of("sh", "cat", "echo", "false", "grep", "hostname", "httpd",
            "id", "kill", "ls", "md5sum", "seq", "sleep", "stat", "tail", "tar", "test", "touch", "true", "tty",
            "wget");

    private final Path home;
    private final List<String> starter;
    private @Nullable Process process;

    private PrivateContainerd(Path home, List<String> starter) {
        this.home = home;
        this.starter = starter;
    }

    /** Starts it, or skips the test and says why. */
    static PrivateContainerd orSkip(Path home) throws IOException {
        return orSkip(home, List.of());
    }

    /** @param starter a program that starts the program of its last arguments, in the network namespace */
    static PrivateContainerd orSkip(Path home, List<String> starter) throws IOException {
        require("root".equals(System.getProperty("user.name")), "running containers needs root");
        for (String program : List.of("containerd", "ctr", "runc", "unshare", "nsenter", "ip")) {
            require(run(home, "sh", "-c", "command -v " + program) == 0, program + " is not installed");
        }
        require(Files.isExecutable(Path.of("/usr/lib/cni/ptp")), "the CNI plugins are not installed");
        require(Files.isExecutable(BUSYBOX) && run(home, "sh", "-c", "! ldd " + BUSYBOX) == 0,
                "busybox-static is not installed");
        PrivateContainerd made = new PrivateContainerd(home, starter);
        // Containers may only share mounts that come from a shared mount point.
        require(run(home, "sh", "-ec", """
                mkdir -p root state net.d opt runc oci && touch netns
                mount --bind . . && cd "$PWD" && mount --make-private . && mount --make-shared .
                unshare --net=netns ip link set lo up
                ip link add LINK type veth peer name host netns "$PWD/netns"
                ip addr add NET1/30 dev LINK && ip link set LINK up
                nsenter --net=netns sh -ec 'ip addr add NET2/30 dev host && ip link set host up'"""
                .replace("LINK", made.link()).replace("NET", made.subnet())) == 0,
                "this machine allows no mounts or namespaces");
        try {
            made.configure();
            made.start();
            made.importImage(IMAGE, "[\"sleep\", \"2147483647\"]");
            return made;
        } catch (IOException | RuntimeException | Error e) {
            made.end();
            throw e;
        }
    }

    private static void require(boolean holds, String why) {
        if (!holds) {
            System.out.println("SKIPPED, because " + why);
        }
        assumeTrue(holds, why);
    }

    /** The name of a link to the namespace, in which the runtime's streaming server listens. */
    private String link() {
        return "wh" + Integer.toHexString(home.hashCode());
    }

    /** The beginning of the addresses of both ends of the link. */
    private String subnet() {
        return "10.88." + Math.floorMod(home.hashCode(), 256) + ".";
    }

    private void configure() throws IOException {
        Files.writeString(home.resolve("net.d/10-pods.conflist"), """
                {"cniVersion": "1.0.0", "name": "test", "plugins": [{"type": "ptp", "ipMasq": false, "ipam":
                  {"type": "host-local", "dataDir": "%s/leases", "ranges": [[{"subnet": "10.89.0.0/24"}]],
                   "routes": [{"dst": "0.0.0.0/0"}]}}]}
                """.formatted(home));
        Files.writeString(home.resolve("config.toml"), """
                version = 2
                root = "HOME/root"
                state = "HOME/state"
                disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
                  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
                [grpc]
                  address = "HOME/c.sock"
                [plugins."io.containerd.internal.v1.opt"]
                  path = "HOME/opt"
                [plugins."io.containerd.grpc.v1.cri"]
                  stream_server_address = "NET2"
                  stream_server_port = "0"
                  sandbox_image = "IMAGE"
                  restrict_oom_score_adj = true
                  disable_apparmor = true
                  netns_mounts_under_state_dir = true
                  [plugins."io.containerd.grpc.v1.cri".cni]
                    bin_dir = "/usr/lib/cni"
                    conf_dir = "HOME/net.d"
                  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
                    runtime_type = "io.containerd.runc.v2"
                    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
                      Root = "HOME/runc"
                """.replace("HOME", home.toString()).replace("IMAGE", IMAGE).replace("NET", subnet()));
    }

    void start() throws IOException {
        Files.deleteIfExists(socket());
        process = new ProcessBuilder(Stream.of(List.of("nsenter", "--net=" + home.resolve("netns")), starter,
                List.of("containerd", "--config", home.resolve("config.toml").toString())).flatMap(List::stream)
                .toList()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("containerd.log").toFile())).start();
        Eventually.eventually("containerd answers", Duration.ofSeconds(30), this::answers);
    }

    private boolean answers() {
        try (CriClient client = new CriClient(socket())) {
            return !new CriService(client).version().getRuntimeName().isEmpty();
        }
    }

    /** Ends it as a crash does. The containers live on. */
    void kill() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    long pid() {
        return Objects.requireNonNull(process).pid();
    }

    Path socket() {
        return home.resolve("c.sock");
    }

    /** Pins the network namespace of its host. */
    Path network() {
        return home.resolve("netns");
    }

    /** Takes its configuration of pods' networks away. */
    void forgetNetwork() throws IOException {
        Files.delete(home.resolve("net.d/10-pods.conflist"));
    }

    /** @param command what its containers run, a list in JSON */
    void importImage(String name, String command) throws IOException {
        Path layer = home.resolve("layer.tar");
        if (!Files.exists(layer)) {
            makeLayer(layer);
        }
        importImage(layer, name, command);
    }

    private void makeLayer(Path layer) throws IOException {
        Path root = Files.createDirectories(home.resolve("image"));
        for (String folder : List.of("bin", "etc", "proc", "sys", "dev", "tmp")) {
            Files.createDirectories(root.resolve(folder));
        }
        Files.copy(BUSYBOX, root.resolve("bin/busybox"));
        for (String applet : APPLETS) {
            Files.createSymbolicLink(root.resolve("bin").resolve(applet), Path.of("busybox"));
        }
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/:/bin/sh\n");
        run(home, "tar", "--owner=0", "--group=0", "-C", root.toString(), "-cf", layer.toString(), ".");
    }

    private void importImage(Path layer, String name, String command) throws IOException {
        Path oci = home.resolve("oci");
        Files.createDirectories(oci.resolve("blobs/sha256"));
        byte[] bytes = Files.readAllBytes(layer);
        String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
        String config = blob(oci,
                """
                        {"architecture": "%s", "os": "linux", "config": {"Env": ["PATH=/bin"], "Cmd": %s},
                         "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}"""
                        .formatted(arch, command, Hashes.sha256(bytes))
                        .getBytes(StandardCharsets.UTF_8),
                "image.config.v1+json");
        String manifest = blob(oci, """
                {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": %s,
                 "layers": [%s]}""".formatted(config, blob(oci, bytes, "image.layer.v1.tar"))
                .getBytes(StandardCharsets.UTF_8), "image.manifest.v1+json");
        Files.writeString(oci.resolve("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}");
        Files.writeString(oci.resolve("index.json"), "{\"schemaVersion\": 2, \"manifests\": ["
                + manifest.replace("}", ", \"annotations\": {\"io.containerd.image.name\": \"" + name + "\"}}")
                + "]}");
        Path archive = home.resolve("image.tar");
        run(home, "tar", "-C", oci.toString(), "-cf", archive.toString(), ".");
        if (run(home, "ctr", "-a", socket().toString(), "-n", "k8s.io", "images", "import", archive.toString()) != 0) {
            throw new IOException("the image could not be imported");
        }
    }

    /** Writes a blob. @return its descriptor */
    private static String blob(Path oci, byte[] bytes, String type) throws IOException {
        Files.write(oci.resolve("blobs/sha256").resolve(Hashes.sha256(bytes)), bytes);
        return "{\"mediaType\": \"application/vnd.oci.%s\", \"digest\": \"sha256:%s\", \"size\": %d}".formatted(type,
                Hashes.sha256(bytes), bytes.length);
    }

    /** Runs a program in a directory. @return its exit code */
    static int run(Path directory, String... command) {
        try {
            Process running = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                    .redirectOutput(directory.resolve("commands.log").toFile()).start();
            if (!running.waitFor(60, TimeUnit.SECONDS)) {
                running.destroyForcibly();
                return -1;
            }
            return running.exitValue();
        } catch (IOException | InterruptedException e) {
            return -1;
        }
    }

    /** Ends all containers, then the runtime, and takes away the mounts. */
    @Override
    public void close() throws Exception {
        try (CriClient client = new CriClient(socket())) {
            CriService cri = new CriService(client);
            for (PodSandbox sandbox : cri.sandboxes(Map.of())) {
                cri.stopSandbox(sandbox.getId());
                cri.removeSandbox(sandbox.getId());
            }
        } finally {
            end();
        }
    }

    private void end() throws IOException {
        try {
            if (process != null) {
                process.destroy();
                process.waitFor(10, TimeUnit.SECONDS);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            List<String> mounts;
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
                mounts = lines.map(line -> line.split(" ")[4]).filter(each -> each.startsWith(home.toString()))
                        .toList();
            }
            for (String mount : mounts.reversed()) {
                run(home, "umount", "-l", mount);
            }
            run(home, "ip", "link", "del", link());
        }
    }
}
