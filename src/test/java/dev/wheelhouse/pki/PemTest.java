package dev.wheelhouse.pki;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
