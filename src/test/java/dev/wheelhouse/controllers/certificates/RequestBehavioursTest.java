package dev.wheelhouse.controllers.certificates;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestCondition;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.RoundController;
import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about CertificateSigningRequests (upstream: {@code test/integration/certificates}). */
class RequestBehavioursTest {
    private static final ObjectKey KEY = ObjectKey.cluster("csr");
    private static final byte[] NODE = SignedRequests.pem("CN=system:node:a,O=system:nodes");
    private static final String KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";
    private static final String CLIENT = "kubernetes.io/kube-apiserver-client";

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(String signer, byte[] request, String... usages) {
        cluster.create(CsrConditions.TYPE, SignedRequests.object("csr", signer, request, usages));
    }

    private V1CertificateSigningRequest stored() {
        return cluster.read(CsrConditions.TYPE, KEY, V1CertificateSigningRequest.class);
    }

    private void decide(String type) {
        V1CertificateSigningRequest request = stored();
        cluster.user().resource(CsrConditions.TYPE, V1CertificateSigningRequest.class)
                .updateSubresource(CsrConditions.with(
                        request, new V1CertificateSigningRequestCondition().type(type).reason("ByTest").message("")),
                        "approval");
    }

    private void settle(Controller controller) {
        cluster.settle(controller.loops());
    }

    private RequestSigner signer(Signer... signers) {
        SigningAuthority authority = SignedRequests.authority(cluster.clock.now().minusSeconds(60),
                cluster.clock.now().plus(Duration.ofDays(3650)));
        Map<String, Supplier<SigningAuthority>> all = Stream.of(signers)
                .collect(Collectors.toMap(signer -> signer.name, signer -> () -> authority));
        return new RequestSigner(cluster.context(Options.DEFAULTS.with(new ControllerOptions.Identity("",
                null, all, Duration.ofDays(365), Duration.ofDays(365)))));
    }

    // ---- approving

    @Test
    void aNodeAsksWithItsOwnRightFirst() {
        V1CertificateSigningRequest request = SignedRequests.object("csr", KUBELET, NODE, "digital signature",
                "client auth");
        assertThat(RequestApprover.rights(request)).containsExactly(RequestApprover.Right.ANY_NODE);
        request.getSpec().setUsername("system:node:a");
        assertThat(RequestApprover.rights(request)).containsExactly(RequestApprover.Right.OWN_NODE,
                RequestApprover.Right.ANY_NODE);
    }

    // ---- signing

    @ParameterizedTest
    @EnumSource(value = Signer.class, names = "LEGACY_UNKNOWN", mode = EnumSource.Mode.EXCLUDE)
    void eachSignerSignsApprovedRequestsAndNoOthers(Signer signer) {
        RequestSigner controller = signer(Signer.values());
        create(signer.name, signer == Signer.KUBELET_SERVING
                ? SignedRequests.pem("CN=system:node:a,O=system:nodes", "dns:a")
                : NODE, "digital signature", signer == Signer.KUBELET_SERVING ? "server auth" : "client auth");
        settle(controller);
        assertThat(CsrConditions.certificate(stored())).isNull();
        decide("Approved");
        settle(controller);
        assertThat(CsrConditions.certificate(stored())).asString(StandardCharsets.UTF_8)
                .startsWith("-----BEGIN CERTIFICATE-----");
        assertThat(cluster.requests.takeWrites())
                .containsExactly("update certificatesigningrequests.certificates.k8s.io/status csr");
    }

    @Test
    void aSignerWithoutAnAuthoritySignsNothing() {
        RequestSigner controller = signer(Signer.KUBELET_SERVING);
        create(CLIENT, NODE, "client auth");
        decide("Approved");
        settle(controller);
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void aLegacyRequestWithAnyUsageIsSigned() {
        V1CertificateSigningRequest request = SignedRequests.object("csr", Signer.LEGACY_UNKNOWN.name, NODE,
                "code signing");
        request.setStatus(new V1CertificateSigningRequestStatus().addConditionsItem(
                new V1CertificateSigningRequestCondition().type("Approved").status("True")));
        ControllerOptions.Identity identity = new ControllerOptions.Identity("", null,
                Map.of(Signer.LEGACY_UNKNOWN.name, () -> SignedRequests.authority(cluster.clock.now(),
                        cluster.clock.now().plusSeconds(3600))),
                Duration.ofHours(1), Duration.ofHours(1));
        assertThat(RequestSigner.decide(request, identity, cluster.clock.now())).hasSize(1);
    }

    // ---- cleaning

    private boolean isDeletedAfter(Duration age, Consumer<V1CertificateSigningRequest> change) {
        V1CertificateSigningRequest request = SignedRequests.object("csr", CLIENT, NODE, "client auth");
        request.getMetadata().creationTimestamp(cluster.clock.now().atOffset(ZoneOffset.UTC));
        request.setStatus(new V1CertificateSigningRequestStatus());
        change.accept(request);
        return !RequestCleaner.decide(request, cluster.clock.now().plus(age)).isEmpty();
    }

    private void add(V1CertificateSigningRequest request, String condition) {
        request.getStatus().addConditionsItem(new V1CertificateSigningRequestCondition().type(condition)
                .status("True").lastUpdateTime(cluster.clock.now().atOffset(ZoneOffset.UTC)));
    }

    @ParameterizedTest
    @CsvSource({"'', PT24H", "Denied, PT1H", "Failed, PT1H", "Approved, PT24H", "Issued, PT1H"})
    void aRequestIsDeletedWhenItIsOlderThanItsStateAllows(String state, Duration age) {
        Consumer<V1CertificateSigningRequest> change = request -> {
            if (!state.isEmpty()) {
                add(request, state.equals("Issued") ? "Approved" : state);
            }
            if (state.equals("Issued")) {
                request.getStatus().setCertificate("not PEM".getBytes(StandardCharsets.UTF_8));
            }
        };
        assertThat(isDeletedAfter(age, change)).isFalse();
        assertThat(isDeletedAfter(age.plusSeconds(1), change)).isTrue();
    }

    @Test
    void aRequestWhoseCertificateHasExpiredIsDeleted() {
        byte[] certificate = CertificateIssuer.issue(CertificateRequest.parse(NODE), List.of("client auth"),
                Duration.ofMinutes(10), SignedRequests.authority(cluster.clock.now().minusSeconds(60),
                        cluster.clock.now().plus(Duration.ofDays(1))),
                cluster.clock.now());
        Consumer<V1CertificateSigningRequest> change = request -> {
            add(request, "Approved");
            request.getStatus().setCertificate(certificate);
        };
        assertThat(isDeletedAfter(Duration.ofMinutes(10), change)).isFalse();
        assertThat(isDeletedAfter(Duration.ofMinutes(11), change)).isTrue();
    }

    @Test
    void theCleanersPlanOfARequestIsItsPartOfTheRound() {
        create(CLIENT, NODE, "client auth");
        RequestCleaner controller = new RequestCleaner(cluster.context());
        cluster.deliver();
        ObjectKey key = ObjectKey.cluster("csr");
        String type = CsrConditions.TYPE.groupResource();
        assertThat(controller.plan(type, key)).hasValue(List.of());
        cluster.clock.advance(Duration.ofHours(24).plusSeconds(1));
        assertThat(controller.plan(type, key).orElseThrow()).singleElement().isInstanceOf(Action.Delete.class);
        assertThat(controller.plan(type, ObjectKey.cluster("none"))).isEmpty();
        assertThat(controller.plan(new RoundController.Round("certificatesigningrequests"))).hasSize(2).last()
                .isEqualTo(new Action.RequeueAfter(RequestCleaner.PERIOD));
    }

    @Test
    void theCleanerLooksAtAllRequestsOnceAnHourAndFirstAnHourAfterItsStart() {
        create(CLIENT, NODE, "client auth");
        cluster.clock.advance(Duration.ofHours(24).plusSeconds(1));
        RequestCleaner controller = new RequestCleaner(cluster.context());
        cluster.clock.advance(RequestCleaner.PERIOD.minusSeconds(1));
        settle(controller);
        assertThat(cluster.requests.takeWrites()).isEmpty();
        cluster.clock.advance(Duration.ofSeconds(1));
        settle(controller);
        assertThat(cluster.requests.takeWrites())
                .containsExactly("delete certificatesigningrequests.certificates.k8s.io csr uid");
    }
}
