package dev.wheelhouse.bench.workloads;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real kube-apiserver with etcd, both from the PATH. etcd reports its progress as kubeadm configures it, so that
 * watches get bookmarks. The server logs requests of the user {@code manager}.
 */
final class BenchCluster implements AutoCloseable {
    static final JsonMapper JSON = new JsonMapper();
    private static final String BENCH = "bench-token";
    private static final String MANAGER = "manager-token";

    private final Path directory;
    private final List<Process> processes = new ArrayList<>();
    private final int port = freePort();
    private final Process server;
    private final Process etcd;
    private HttpClient http = HttpClient.newHttpClient();

    /** The verbs of the requests that change something. */
    static final String WRITES = "create, update, patch, delete, deletecollection";
    /** The verbs of all requests for objects. */
    static final String ALL = WRITES + ", get, list, watch";

    /** @param logged the verbs of the requests in the audit log */
    BenchCluster(Path directory, String logged) throws Exception {
        this.directory = directory;
        int client = freePort();
        int peer = freePort();
        etcd = start("etcd", "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=http://127.0.0.1:" + client, "--advertise-client-urls=http://127.0.0.1:" + client,
                "--listen-peer-urls=http://127.0.0.1:" + peer,
                "--initial-advertise-peer-urls=http://127.0.0.1:" + peer,
                "--initial-cluster=default=http://127.0.0.1:" + peer, "--unsafe-no-fsync",
                "--experimental-watch-progress-notify-interval=5s", "--quota-backend-bytes=8589934592");
        KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        Path signing = pem("sa.key", "PRIVATE KEY", keys.getPrivate().getEncoded());
        Path verifying = pem("sa.pub", "PUBLIC KEY", keys.getPublic().getEncoded());
        Path tokens = Files.writeString(directory.resolve("tokens.csv"),
                BENCH + ",bench,bench,system:masters\n" + MANAGER + ",manager,manager,system:masters\n");
        Path policy = Files.writeString(directory.resolve("audit.yaml"), """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived]
                rules:
                - {level: Metadata, users: [manager], verbs: [%s]}
                - {level: None}
                """.formatted(logged));
        server = start("kube-apiserver", "--etcd-servers=http://127.0.0.1:" + client, "--bind-address=127.0.0.1",
                "--secure-port=" + port, "--cert-dir=" + directory.resolve("certs"),
                "--service-cluster-ip-range=10.0.0.0/16", "--token-auth-file=" + tokens, "--authorization-mode=RBAC",
                "--service-account-issuer=https://127.0.0.1", "--service-account-key-file=" + verifying,
                "--service-account-signing-key-file=" + signing, "--disable-admission-plugins=ServiceAccount",
                "--max-requests-inflight=2000", "--max-mutating-requests-inflight=2000",
                "--audit-policy-file=" + policy, "--audit-log-path=" + audit(), "--audit-log-mode=batch",
                "--audit-log-batch-max-wait=1s", "--audit-log-batch-buffer-size=1000000", "--audit-log-maxsize=10000");
        awaitReady();
    }

    private void awaitReady() throws Exception {
        Path certificate = directory.resolve("certs/apiserver.crt");
        long end = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (System.nanoTime() < end) {
            if (Files.exists(certificate)) {
                http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(trusting(certificate))
                        .build();
                try {
                    if (send("GET", "/readyz", "", null).statusCode() == 200
                            && send("GET", "/api/v1/namespaces/default", "", null).statusCode() == 200) {
                        return;
                    }
                } catch (IOException e) {
                    // It does not listen yet.
                }
            }
            Thread.sleep(200);
        }
        throw new IllegalStateException("the API server is not ready; see " + directory);
    }

    Path directory() {
        return directory;
    }

    Path audit() {
        return directory.resolve("audit.log");
    }

    /** A kubeconfig of the user whose writes are logged. */
    Path kubeconfig() throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: bench
                clusters:
                - {name: bench, cluster: {server: "https://127.0.0.1:%d", certificate-authority: "%s"}}
                users: [{name: manager, user: {token: %s}}]
                contexts: [{name: bench, context: {cluster: bench, user: manager}}]
                """.formatted(port, directory.resolve("certs/apiserver.crt"), MANAGER));
    }

    /** The CPU time of the API server and etcd. */
    Duration cpu() {
        return Contestant.cpu(server).plus(Contestant.cpu(etcd));
    }

    private HttpRequest request(String method, String path, String type, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + BENCH).header("Accept", "application/json")
                .method(method, body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(body));
        return (type.isEmpty() ? request : request.header("Content-Type", type)).build();
    }

    private HttpResponse<byte[]> send(String method, String path, String type, String body)
            throws IOException, InterruptedException {
        return http.send(request(method, path, type, body), HttpResponse.BodyHandlers.ofByteArray());
    }

    /** @throws IllegalStateException if the answer is neither a success nor 404 nor 409 */
    JsonNode call(String method, String path, String type, String body) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = send(method, path, type, body);
        int code = answer.statusCode();
        if (code >= 300 && code != 404 && code != 409) {
            throw new IllegalStateException(method + " " + path + ": " + code + " "
                    + new String(answer.body(), StandardCharsets.UTF_8));
        }
        return JSON.readTree(answer.body());
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return call("GET", path, "", null);
    }

    /** A stream of watch events, one a line. */
    InputStream watch(String path) throws IOException, InterruptedException {
        return http.send(request("GET", path, "", null), HttpResponse.BodyHandlers.ofInputStream()).body();
    }

    /** Adds {@code node-NUMBER}, which is ready. */
    void addNode(int number) throws IOException, InterruptedException {
        String path = "/api/v1/nodes/node-" + number;
        call("POST", "/api/v1/nodes", "application/json", "{\"metadata\": {\"name\": \"node-" + number + "\"}}");
        call("PATCH", path, "application/merge-patch+json", "{\"spec\": {\"taints\": []}}");
        call("PATCH", path + "/status", "application/merge-patch+json",
                "{\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}");
    }

    private Process start(String program, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(directory.resolve(program + ".log").toFile()).start();
        processes.add(process);
        return process;
    }

    private Path pem(String file, String type, byte[] key) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(key);
        return Files.writeString(directory.resolve(file),
                "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }

    private static SSLContext trusting(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            int i = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("server-" + i++, each);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        processes.reversed().forEach(Process::destroyForcibly);
    }
}
