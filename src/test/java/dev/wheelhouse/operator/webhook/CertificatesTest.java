package dev.wheelhouse.operator.webhook;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.pki.Pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The certificates of a webhook server are replaced before they end. */
class CertificatesTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final List<String> HOSTS = List.of("hooks.default.svc", "127.0.0.1");

    /** Whether a client that trusts these authorities accepts the serving certificate at a time. */
    private static void assertTrusted(String authorities, Certificates serving, Instant at) throws Exception {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Set<TrustAnchor> anchors = new HashSet<>();
        factory.generateCertificates(new ByteArrayInputStream(authorities.getBytes(StandardCharsets.UTF_8)))
                .forEach(certificate -> anchors.add(new TrustAnchor((X509Certificate) certificate, null)));
        PKIXParameters parameters = new PKIXParameters(anchors);
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(at));
        CertPath path = factory.generateCertPath(List.of(serving.servingChain()));
        CertPathValidator.getInstance("PKIX").validate(path, parameters);
    }

    @Test
    void aServingCertificateIsForItsHostsAndSignedByItsAuthority() throws Exception {
        Certificates made = Certificates.create(HOSTS, NOW);
        X509Certificate leaf = made.servingChain()[0];

        assertTrusted(made.authorities(), made, NOW);
        assertThat(leaf.getSubjectAlternativeNames()).extracting(name -> (Object) name.get(1))
                .containsExactlyInAnyOrderElementsOf((Collection<Object>) (Collection<?>) HOSTS);
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(NOW.plus(Certificates.SERVING_LIFE));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(made.privateKey());
        byte[] signed = signature.sign();
        signature.initVerify(leaf);
        assertThat(signature.verify(signed)).isTrue();
        assertThat(Certificates.of(made.data())).isEqualTo(made);
    }

    @Test
    void aServingCertificateIsReplacedWhenAThirdOfItsTimeIsLeftOrItsNamesChange() throws Exception {
        Certificates made = Certificates.create(HOSTS, NOW);

        assertThat(made.renewed(HOSTS, NOW.plus(Duration.ofDays(59)))).isEqualTo(made);
        Certificates next = made.renewed(HOSTS, NOW.plus(Duration.ofDays(61)));
        assertThat(next.chain()).isNotEqualTo(made.chain());
        assertThat(next.authorities()).isEqualTo(made.authorities());
        assertTrusted(made.authorities(), next, NOW.plus(Duration.ofDays(100)));
        assertThat(made.renewed(List.of("other.default.svc"), NOW).chain()).isNotEqualTo(made.chain());
        assertThat(made.renewed(HOSTS, NOW.minus(Duration.ofDays(1))).chain()).as("the clock was set back")
                .isNotEqualTo(made.chain());
    }

    @Test
    void aNewAuthorityIsTrustedBeforeACertificateDependsOnItAndTheOldOneAsLongAsOneMay() throws Exception {
        Certificates known = Certificates.create(HOSTS, NOW);
        String trusted = known.authorities();
        Instant now = NOW;
        int authorities = 1;
        for (int day = 10; day < 8000; day += 10) {
            now = now.plus(Duration.ofDays(10));
            Certificates next = known.renewed(HOSTS, now);
            assertThat(next.serves(HOSTS, now)).isTrue();
            if (next.equals(known)) {
                continue;
            }
            // An API server that has not heard of the change yet.
            assertTrusted(trusted, next, now);
            assertTrusted(next.authorities(), known, now);
            authorities += next.authorityKey().equals(known.authorityKey()) ? 0 : 1;
            trusted = next.authorities();
            known = next;
        }
        assertThat(authorities).isEqualTo(4);
        assertThat(trusted.split("BEGIN CERTIFICATE")).as("expired authorities are dropped").hasSizeLessThan(4);
    }

    @Test
    void certificatesOfSomebodyElseAreNotRenewed() throws Exception {
        Certificates made = Certificates.create(HOSTS, NOW);
        Certificates foreign = Certificates.of(Map.of("tls.crt", made.data().get("tls.crt"), "tls.key",
                made.data().get("tls.key")));

        assertThat(foreign.renewed(HOSTS, NOW.plus(Duration.ofDays(80)))).isEqualTo(foreign);
        assertThat(Certificates.of(Map.of())).isNull();
    }

    @Test
    void aKeyInTheOlderFormatOfOpenSslIsRead() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair keys = generator.generateKeyPair();
        byte[] pkcs8 = keys.getPrivate().getEncoded();
        // The PKCS#1 form is the last octet string of the PKCS#8 form, which here has a head of 26 bytes.
        byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);
        Certificates made = Certificates.create(HOSTS, NOW);
        String pem = "-----BEGIN RSA PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(pkcs1)
                + "\n-----END RSA PRIVATE KEY-----\n";

        assertThat(Pem.first(pem, PrivateKey.class)).isEqualTo(keys.getPrivate());
        assertThatThrownBy(() -> Certificates.of(Map.of("tls.crt", made.data().get("tls.crt"), "tls.key",
                pem.getBytes(StandardCharsets.UTF_8)))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the private key does not fit its certificate");
    }

    @Test
    void aClientThatTrustsAnotherAuthorityRefuses() {
        Certificates made = Certificates.create(HOSTS, NOW);
        assertThatThrownBy(() -> assertTrusted(Certificates.create(HOSTS, NOW).authorities(), made, NOW))
                .isInstanceOf(CertPathValidatorException.class);
    }
}
