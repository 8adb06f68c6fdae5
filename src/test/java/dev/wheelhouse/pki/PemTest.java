package dev.wheelhouse.pki;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Security;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The official client adds Bouncy Castle to the providers of the JVM, as a test here does. */
@Isolated
class PemTest {
    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aKeyOfEachAlgorithmIsReadAsItIsWritten(String algorithm) throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        String text = Pem.of(pair.getPublic()) + "between\n" + Pem.of(pair.getPrivate());

        PrivateKey read = Pem.first(text, PrivateKey.class);

        assertThat(read).isEqualTo(pair.getPrivate());
        assertThat(Pem.first(text, PublicKey.class)).isEqualTo(pair.getPublic());
        assertThat(Keys.isPair(read, pair.getPublic())).isTrue();
        assertThat(Keys.isPair(read, Keys.newPair().getPublic())).isFalse();
    }

    /** TLS finds no signature scheme for a key of another provider. */
    @Test
    void aKeyIsOfTheJdkWhateverProvidersThereAre() {
        KeyPair pair = Keys.newPair();
        boolean added = Security.addProvider(new BouncyCastleProvider()) >= 0;
        try {
            assertThat(Pem.first(Pem.of(pair.getPrivate()), PrivateKey.class)).hasSameClassAs(pair.getPrivate());
            assertThat(Keys.pair(pair.getPrivate()).getPublic()).hasSameClassAs(pair.getPublic());
        } finally {
            if (added) {
                Security.removeProvider(BouncyCastleProvider.PROVIDER_NAME);
            }
        }
    }

    @Test
    void certificatesAreReadBetweenOtherBlocks() {
        KeyPair pair = Keys.newPair();
        SigningAuthority authority = SigningAuthority.create("ca", pair, Instant.EPOCH);
        var leaf = authority.serving("a", pair.getPublic(), List.of("a.example.com"), Duration.ofDays(1),
                Instant.EPOCH);
        var both = List.of(leaf, authority.certificate());

        assertThat(Pem.certificates(Pem.of(pair.getPrivate()) + "text\n" + Pem.of(both))).isEqualTo(both);
        assertThat(Pem.certificates("none")).isEmpty();
        assertThatThrownBy(() -> Pem.certificates("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
