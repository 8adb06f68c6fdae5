package dev.wheelhouse.node;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.ManualClock;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The certificate of the node {@code a}, whose requests this test answers. */
class NodeCredentialsTest {
    private static final ResourceType TYPE = new ResourceType("certificates.k8s.io", "v1",
            "certificatesigningrequests", "CertificateSigningRequest", false);
    private static final Duration LIFE = Duration.ofDays(10);

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final ResourceClient<V1CertificateSigningRequest> requests = server.client("test").resource(TYPE,
            V1CertificateSigningRequest.class);
    private final KeyPair keys = Keys.newPair();
    private final SigningAuthority authority = SigningAuthority.create("ca", keys, clock.now());

    private NodeCredentials credentials() {
        return new NodeCredentials("a", directory, server.client("node"), clock);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private List<V1CertificateSigningRequest> asked() {
        return requests.list("", LabelSelector.everything());
    }

    private void answer(V1CertificateSigningRequest request, String status) {
        for (String part : List.of("approval", "status")) {
            requests.patch(ObjectKey.of(request), part, PatchType.MERGE, "{\"status\": " + status + "}");
        }
    }

    private void sign(V1CertificateSigningRequest request) {
        String pem = Pem.of(List.of(authority.serving("system:node:a", keys.getPublic(), List.of("a"), LIFE,
                clock.now())));
        answer(request, "{\"conditions\": [{\"type\": \"Approved\", \"status\": \"True\"}], \"certificate\": \""
                + Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)) + "\"}");
    }

    @Test
    void itIsAskedForOnceAndWrittenForItsOwnerAlone() throws Exception {
        NodeCredentials node = credentials();
        assertThat(node.step()).as("it looks for the answer").isEqualTo(Duration.ofSeconds(1).toNanos());
        node.step();
        assertThat(asked()).hasSize(1);
        V1CertificateSigningRequest request = asked().getFirst();
        assertThat(request.getSpec().getSignerName()).isEqualTo("kubernetes.io/kube-apiserver-client-kubelet");
        assertThat(request.getSpec().getUsages()).containsExactly("digital signature", "client auth");
        CertificateRequest parsed = CertificateRequest.parse(request.getSpec().getRequest());
        assertThat(parsed.commonName()).isEqualTo("system:node:a");
        assertThat(parsed.organizations()).containsExactly("system:nodes");
        assertThat(parsed.isSignedByOwnKey()).isTrue();
        assertThat(NodeCredentials.areValid("a", directory, clock.now())).isFalse();

        sign(request);
        node.step();
        Path pem = directory.resolve("client.pem");
        assertThat(Files.readString(pem)).contains("BEGIN CERTIFICATE", "BEGIN PRIVATE KEY");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pem))).isEqualTo("rw-------");
        assertThat(asked()).hasSize(1);
    }

    @Test
    void joiningWritesAKubeconfigThatNamesTheCertificate() throws Exception {
        NodeCredentials node = credentials();
        Thread signer = Thread.ofVirtual().start(() -> {
            eventually("the request", Duration.ofSeconds(20), () -> !asked().isEmpty());
            sign(asked().getFirst());
            node.wake();
        });
        node.join("https://127.0.0.1:1", Pem.of(List.of(authority.certificate())));
        signer.join();
        assertThat(NodeCredentials.areValid("a", directory, clock.now())).isTrue();
        assertThat(NodeCredentials.areValid("b", directory, clock.now())).isFalse();
        assertThat(NodeCredentials.areValid("a", directory, clock.now().plus(LIFE).plusSeconds(1))).isFalse();
        assertThat(Files.readString(NodeCredentials.kubeconfig(directory))).contains("https://127.0.0.1:1",
                "client-certificate: client.pem", "client-key: client.pem");
    }

    @Test
    void itIsRenewedWhenSevenToNineTenthsOfItsLifeAreOver() {
        NodeCredentials node = credentials();
        node.step();
        sign(asked().getFirst());
        node.step();
        Duration wait = Duration.ofNanos(node.step());
        assertThat(wait).isBetween(LIFE.multipliedBy(69).dividedBy(100), LIFE.multipliedBy(90).dividedBy(100));
        assertThat(asked()).hasSize(1);
        clock.advance(wait.plusSeconds(1));
        node.step();
        assertThat(asked()).hasSize(2);
    }

    @Test
    void afterADenialAnotherOneIsAskedForLater() {
        NodeCredentials node = credentials();
        node.step();
        answer(asked().getFirst(), "{\"conditions\": [{\"type\": \"Denied\", \"status\": \"True\"}]}");
        assertThat(Duration.ofNanos(node.step())).as("the first pause").isBetween(Duration.ofSeconds(1),
                Duration.ofSeconds(3));
        assertThat(asked()).hasSize(1);
        node.step();
        assertThat(asked()).hasSize(2);
    }
}
