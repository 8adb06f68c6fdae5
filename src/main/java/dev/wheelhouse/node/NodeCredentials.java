package dev.wheelhouse.node;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.PrivateFiles;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * The client certificate of a node. The loop asks the API server for one as long as there is none, and for another one
 * when 70 to 90 % of its life are over (upstream: {@code pkg/kubelet/certificate}). Certificate and key are one file,
 * which a kubeconfig beside it names; only their owner can read them.
 */
public final class NodeCredentials extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(NodeCredentials.class);
    private static final ResourceType REQUESTS = new ResourceType("certificates.k8s.io", "v1",
            "certificatesigningrequests", "CertificateSigningRequest", false);
    private static final String SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
    private static final String PEM = "client.pem";
    private static final Duration POLL = Duration.ofSeconds(1);
    /** How long a request may wait before another one is made. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final String user;
    private final Path directory;
    private final ResourceClient<V1CertificateSigningRequest> requests;
    private final Clock clock;
    private final LogBudget lines;
    private final Backoff backoff;
    /** The part of its life after which a certificate is renewed. */
    private final int percent;
    private @Nullable Pending pending;

    private record Pending(String name, KeyPair keys, long until) {}

    /**
     * @param directory of the files
     * @param client with the rights of the node, or of a bootstrap token
     */
    public NodeCredentials(String node, Path directory, KubeClient client, Clock clock) {
        this.user = "system:node:" + node;
        this.directory = directory;
        this.requests = client.resource(REQUESTS, V1CertificateSigningRequest.class);
        this.clock = clock;
        this.lines = new LogBudget(clock);
        SplittableRandom random = new SplittableRandom(node.hashCode());
        this.percent = 70 + random.nextInt(20);
        this.backoff = new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(1), 2, 0.1, Duration.ofMinutes(5), clock,
                random);
    }

    /** The file that tells clients of the server to use the certificate. */
    public static Path kubeconfig(Path directory) {
        return directory.resolve("kubeconfig");
    }

    /** Whether a node has a kubeconfig, and a certificate that is still valid. */
    public static boolean areValid(String node, Path directory, Instant now) {
        X509Certificate certificate = certificate(directory);
        return certificate != null && Files.isRegularFile(kubeconfig(directory))
                && now.isBefore(certificate.getNotAfter().toInstant())
                && List.of(certificate.getSubjectX500Principal().getName().split(",", -1))
                        .contains("CN=system:node:" + node);
    }

    private static @Nullable X509Certificate certificate(Path directory) {
        try {
            return Pem.certificates(Files.readString(directory.resolve(PEM))).stream().findFirst().orElse(null);
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Asks for the first certificate, waits for it, and writes the kubeconfig.
     *
     * @param server the address of the API server
     * @param authority the certificates by which clients know the server, PEM
     * @throws IOException if nobody signs the certificate within a quarter of an hour, or the files cannot be written
     */
    public void join(String server, String authority) throws IOException, InterruptedException {
        PrivateFiles.createDirectories(directory);
        Files.deleteIfExists(directory.resolve(PEM));
        long end = clock.deadline(PATIENCE);
        long wait = step();
        while (certificate(directory) == null) {
            if (clock.nanoTime() - end >= 0) {
                throw new IOException("nobody has signed the certificate of " + user + " within "
                        + PATIENCE.toMinutes() + " minutes: approve its request, or bind the role "
                        + "system:certificates.k8s.io:certificatesigningrequests:nodeclient to the group of the token");
            }
            await(wait);
            wait = step();
        }
        PrivateFiles.write(kubeconfig(directory), """
                apiVersion: v1
                kind: Config
                current-context: node
                clusters:
                - {name: cluster, cluster: {server: "%s", certificate-authority-data: %s}}
                users:
                - {name: node, user: {client-certificate: %s, client-key: %s}}
                contexts:
                - {name: node, context: {cluster: cluster, user: node}}
                """.formatted(server, Base64.getEncoder().encodeToString(bytes(authority)), PEM, PEM)
                .getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public long step() {
        long wait = isClosed() ? IDLE : wait(certificate(directory));
        if (wait > 0) {
            return wait;
        }
        try {
            Pending asked = pending;
            pending = asked == null ? ask() : answer(asked);
            backoff.reset();
            return POLL.toNanos();
        } catch (KubeApiException | IOException | IllegalArgumentException e) {
            lines.warn(log, "the certificate of " + user + " could not be requested and is tried again: "
                    + e.getMessage());
            return backoff.next().toNanos();
        }
    }

    /** The nanoseconds until the certificate is to be renewed. */
    private long wait(@Nullable X509Certificate certificate) {
        if (certificate == null) {
            return 0;
        }
        Instant begin = certificate.getNotBefore().toInstant();
        Duration life = Duration.between(begin, certificate.getNotAfter().toInstant());
        return Durations.saturatedNanos(
                Duration.between(clock.now(), begin).plus(life.dividedBy(100).multipliedBy(percent)));
    }

    private Pending ask() {
        KeyPair keys = Keys.newPair();
        String name = "node-csr-" + Hashes.sha256(keys.getPublic().getEncoded()).substring(0, 32);
        requests.create(new V1CertificateSigningRequest().apiVersion(REQUESTS.apiVersion()).kind(REQUESTS.kind())
                .metadata(new V1ObjectMeta().name(name))
                .spec(new V1CertificateSigningRequestSpec().signerName(SIGNER)
                        .usages(List.of("digital signature", "client auth"))
                        .request(bytes(CertificateRequest.create(keys, "CN=" + user + ",O=system:nodes")))));
        log.info("the certificate of {} is requested by the CertificateSigningRequest {}", user, name);
        return new Pending(name, keys, clock.deadline(PATIENCE));
    }

    /** Looks whether a request is answered. @return the request if it still waits; null if it is over */
    private @Nullable Pending answer(Pending asked) throws IOException {
        V1CertificateSigningRequest request = requests.find(ObjectKey.cluster(asked.name)).orElse(null);
        byte[] signed = request == null || request.getStatus() == null ? null : request.getStatus().getCertificate();
        if (signed != null) {
            PrivateFiles.write(directory.resolve(PEM),
                    bytes(new String(signed, StandardCharsets.UTF_8) + Pem.of(asked.keys.getPrivate())));
            log.info("{} has a new certificate, in {}", user, directory);
            return null;
        }
        boolean refused = request == null || request.getStatus() != null && request.getStatus().getConditions() != null
                && request.getStatus().getConditions().stream()
                        .anyMatch(condition -> !condition.getType().equals("Approved"));
        if (refused) {
            pending = null;
            throw new IOException("the request " + asked.name + " is denied, failed or deleted");
        }
        return clock.nanoTime() - asked.until < 0 ? asked : null;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
