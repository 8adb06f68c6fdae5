package dev.wheelhouse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.opentest4j.TestAbortedException;

import static dev.wheelhouse.testing.Eventually.eventually;

/**
 * A real kube-apiserver with etcd, on loopback, where both are on the PATH. It has no controllers, scheduler or nodes.
 */
public final class RealApiServer implements AutoCloseable {
    public static final String TOKEN = "wheelhouse-test";
    /** The token of the user that kube-controller-manager has in a cluster of kubeadm. */
    public static final String MANAGER_TOKEN = "manager-test";

    private final List<Process> processes = new ArrayList<>();
    private final Path directory;
    private final Path kubeconfig;
    private final int port;

    private RealApiServer(Path directory) throws Exception {
        this.directory = directory;
        this.kubeconfig = directory.resolve("kubeconfig");
        int etcd = freePort();
        int peer = freePort();
        port = freePort();
        start("etcd", "--data-dir=" + directory.resolve("etcd"), "--listen-client-urls=http://127.0.0.1:" + etcd,
                "--advertise-client-urls=http://127.0.0.1:" + etcd, "--listen-peer-urls=http://127.0.0.1:" + peer,
                "--initial-advertise-peer-urls=http://127.0.0.1:" + peer,
                "--initial-cluster=default=http://127.0.0.1:" + peer,
                "--unsafe-no-fsync");
        KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        Path signing = pem("sa.key", "PRIVATE KEY", keys.getPrivate().getEncoded());
        Path verifying = pem("sa.pub", "PUBLIC KEY", keys.getPublic().getEncoded());
        Path tokens = Files.writeString(directory.resolve("tokens.csv"),
                TOKEN + ",admin,admin,system:masters\n" + MANAGER_TOKEN
                        + ",system:kube-controller-manager,manager\n");
        start("kube-apiserver", "--etcd-servers=http://127.0.0.1:" + etcd, "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--cert-dir=" + directory.resolve("certs"), "--service-cluster-ip-range=10.0.0.0/24",
                "--token-auth-file=" + tokens,
                "--authorization-mode=RBAC", "--service-account-issuer=https://127.0.0.1",
                "--service-account-key-file=" + verifying,
                "--service-account-signing-key-file=" + signing, "--disable-admission-plugins=ServiceAccount",
                "--shutdown-delay-duration=0s");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                current-context: real
                clusters:
                - name: real
                  cluster: {server: "https://127.0.0.1:%d", certificate-authority: "%s"}
                users:
                - name: admin
                  user: {token: wheelhouse-test}
                contexts:
                - name: real
                  context: {cluster: real, user: admin}
                """.formatted(port, directory.resolve("certs/apiserver.crt")));
        eventually("etcd and kube-apiserver listen; see " + directory, Duration.ofSeconds(90), () -> listens(port));
    }

    /** @throws TestAbortedException, loudly, where there is none */
    public static RealApiServer startOrSkip(Path directory) throws Exception {
        for (String program : List.of("kube-apiserver", "etcd")) {
            if (Kubectl.onPath(program).isEmpty()) {
                System.out.println(
                        "SKIPPED, because " + program + " is not on the PATH: no test against a real kube-apiserver");
                throw new TestAbortedException(program + " is not on the PATH");
            }
        }
        return new RealApiServer(directory);
    }

    /** Where it listens by TLS on 127.0.0.1; the administrator's token is {@value #TOKEN}. */
    public int port() {
        return port;
    }

    /** The certificate that it presents, by PEM. */
    public Path certificate() {
        return directory.resolve("certs/apiserver.crt");
    }

    public Path kubeconfig() {
        return kubeconfig;
    }

    private void start(String program, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(Kubectl.onPath(program).orElseThrow().toString()));
        command.addAll(List.of(args));
        processes.add(new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(directory.resolve(program + ".log").toFile()).start());
    }

    private Path pem(String file, String type, byte[] key) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(key);
        return Files.writeString(directory.resolve(file),
                "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }

    private static boolean listens(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        }
    }

    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() throws Exception {
        for (Process process : processes.reversed()) {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }
}
