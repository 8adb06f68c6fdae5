package dev.wheelhouse.controllers.certificates;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.SigningAuthority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The certificates that are issued (upstream: {@code authority_test.go}, {@code policies_test.go}). */
class CertificateIssuerTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration YEAR = Duration.ofDays(365);
    private static final SigningAuthority AUTHORITY = SignedRequests.authority(NOW.minus(YEAR), NOW.plus(YEAR));
    private static final List<String> CLIENT = List.of("digital signature", "client auth");

    private static X509Certificate issue(CertificateRequest request, List<String> usages, Duration life,
            SigningAuthority authority) throws Exception {
        return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(
                new ByteArrayInputStream(CertificateIssuer.issue(request, usages, life, authority, NOW)));
    }

    private static X509Certificate issue(Duration life) throws Exception {
        return issue(SignedRequests.parsed("CN=eve,O=a"), CLIENT, life, AUTHORITY);
    }

    @Test
    void aCertificateHasTheSubjectTheKeyTheNamesAndTheUsagesOfItsRequest() throws Exception {
        X509Certificate made = issue(SignedRequests.parsed("CN=system:node:a,O=system:nodes", "uri:spiffe://x",
                "ip:10.0.0.1", "email:a@b", "dns:node-1"),
                List.of("key encipherment", "digital signature",
                        "server auth", "client auth"),
                YEAR, AUTHORITY);
        made.verify(AUTHORITY.certificate().getPublicKey());
        assertThat(made.getSubjectX500Principal().getName()).isEqualTo("CN=system:node:a,O=system:nodes");
        assertThat(made.getIssuerX500Principal()).isEqualTo(AUTHORITY.certificate().getSubjectX500Principal());
        assertThat(made.getPublicKey()).isEqualTo(SignedRequests.KEYS.getPublic());
        assertThat(made.getSubjectAlternativeNames()).extracting(List::getLast).isEqualTo(
                List.of("node-1", "a@b", "10.0.0.1", "spiffe://x"));
        assertThat(made.getKeyUsage()).containsExactly(true, false, true, false, false, false, false, false, false);
        assertThat(made.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
        assertThat(made.getBasicConstraints()).isEqualTo(-1);
        assertThat(made.getCriticalExtensionOIDs()).containsExactlyInAnyOrder("2.5.29.15", "2.5.29.19");
        assertThat(made.getNonCriticalExtensionOIDs()).contains("2.5.29.35");
        assertThat(made.getSerialNumber()).isPositive().isNotEqualTo(issue(YEAR).getSerialNumber());
    }

    @ParameterizedTest
    @CsvSource({"PT1H, 2026-01-01T13:00:00Z", "PT8H, 2026-01-01T19:55:00Z", "P400D, 2027-01-01T12:00:00Z"})
    void itBeginsFiveMinutesAgoAndEndsWithItsLifeOrItsAuthority(Duration life, Instant end) throws Exception {
        X509Certificate made = issue(life);
        assertThat(made.getNotBefore().toInstant()).isEqualTo(NOW.minus(Duration.ofMinutes(5)));
        assertThat(made.getNotAfter().toInstant()).isEqualTo(end);
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"-, PT24H", "3600, PT1H", "60, PT10M", "864000, PT24H"})
    void theLifeIsTheOneThatIsAskedForWithinLimits(Integer seconds, Duration life) {
        assertThat(CertificateIssuer.life(seconds, Duration.ofHours(24))).isEqualTo(life);
    }

    @Test
    void anExpiredAuthoritySignsNothing() {
        SigningAuthority expired = SignedRequests.authority(NOW.minus(YEAR), NOW.minusSeconds(1));
        assertThatThrownBy(() -> issue(SignedRequests.parsed("CN=eve"), CLIENT, YEAR, expired))
                .hasMessageContaining("has expired at 2026-01-01T11:59:59Z");
    }

    @Test
    void unknownUsagesAreRefused() {
        assertThatThrownBy(() -> issue(SignedRequests.parsed("CN=eve"), List.of("client auth", "cooking"), YEAR,
                AUTHORITY)).hasMessage("unrecognized usage values: [\"cooking\"]");
    }

    @Test
    void aRequestMustBeSignedByItsOwnKey() throws Exception {
        String pem = new String(SignedRequests.pem("CN=eve"), StandardCharsets.UTF_8);
        String body = pem.replaceAll("-----[^-]*-----", "").replaceAll("\\s", "");
        byte[] bytes = Base64.getDecoder().decode(body);
        bytes[bytes.length - 1] ^= 1;
        CertificateRequest forged = CertificateRequest.parse(("-----BEGIN CERTIFICATE REQUEST-----\n"
                + Base64.getEncoder().encodeToString(bytes) + "\n-----END CERTIFICATE REQUEST-----\n")
                .getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> issue(forged, CLIENT, YEAR, AUTHORITY))
                .hasMessageContaining("unable to verify certificate request signature");
    }
}
