package dev.wheelhouse.spring;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The files of certificates and keys, under the names of kube-controller-manager's flags. */
class IdentitiesTest {
    private static final String SIGNERS = "kubernetes.io/";

    @TempDir
    Path directory;
    private OwnAuthority authority;

    @BeforeEach
    void makeAuthority() {
        authority = OwnAuthority.of(ServerKeys.inDirectory(directory), Instant.now());
        authority.authority();
    }

    /** @param options where {@code DIR} stands for the directory */
    private ControllerOptions.Identity identity(String... options) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String option : options) {
            String[] parts = option.replace("DIR", directory.toString()).split("=", 2);
            map.put("wheelhouse." + parts[0], parts[1]);
        }
        ControllerManagerFlags flags = new Binder(new MapConfigurationPropertySource(map))
                .bindOrCreate("wheelhouse", ControllerManagerFlags.class);
        try (Cluster cluster = new Cluster()) {
            return Identities.options(flags,
                    new ApiServerConnection(cluster.user(), new ApiClient(), null, ContentType.JSON, "default",
                            false, "that of the connection", null, null))
                    .get(ControllerOptions.Identity.DEFAULTS);
        }
    }

    @Test
    void withoutFilesOnlyTheAuthorityOfTheConnectionIsKnown() {
        assertThat(identity().rootCa()).isEqualTo("that of the connection");
        assertThat(identity().tokenKeys()).isNull();
        assertThat(identity().signers()).isEmpty();
    }

    @Test
    void aFileReplacesTheAuthorityOfTheConnection() throws IOException {
        assertThat(identity("root-ca-file=DIR/ca.crt").rootCa())
                .isEqualTo(Files.readString(directory.resolve("ca.crt")));
        assertThatThrownBy(() -> identity("root-ca-file=DIR/ca.key")).isInstanceOf(AuthConfigException.class)
                .hasMessageContaining("ca.key cannot be read as a certificate");
    }

    @ParameterizedTest
    @CsvSource({"RSA, 2048, SHA256withRSA, true", "RSA, 2048, SHA256withRSA, false",
            "EC, 256, SHA256withECDSA, true", "EC, 384, SHA384withECDSA, true"})
    void aKeyOfTokensHasItsPublicKeyInEachFormat(String algorithm, int size, String signature, boolean pkcs8)
            throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(size);
        KeyPair made = generator.generateKeyPair();
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(pkcs8 ? new JcaPKCS8Generator(made.getPrivate(), null) : made.getPrivate());
        }
        Files.writeString(directory.resolve("sa.key"), text.toString());

        KeyPair read = Objects.requireNonNull(identity("service-account-private-key-file=DIR/sa.key").tokenKeys())
                .get();
        assertThat(read.getPublic().getEncoded()).isEqualTo(made.getPublic().getEncoded());
        Signature signing = Signature.getInstance(signature);
        signing.initSign(read.getPrivate());
        assertThat(signing.sign()).isNotEmpty();
    }

    @Test
    void oneAuthorityIsForAllSignersAndIsReadAgain() throws IOException {
        ControllerOptions.Identity identity = identity("cluster-signing-cert-file=DIR/ca.crt",
                "cluster-signing-key-file=DIR/ca.key");
        assertThat(identity.signers()).containsOnlyKeys(SIGNERS + "kubelet-serving",
                SIGNERS + "kube-apiserver-client-kubelet", SIGNERS + "kube-apiserver-client",
                SIGNERS + "legacy-unknown");
        assertThat(identity.signers().values()).allSatisfy(
                each -> assertThat(each.get().certificate()).isEqualTo(authority.certificate()));

        Files.delete(directory.resolve("ca.crt"));
        OwnAuthority next = OwnAuthority.of(ServerKeys.inDirectory(directory), Instant.now());
        assertThat(identity.signers().get(SIGNERS + "kubelet-serving").get().certificate())
                .isEqualTo(next.certificate());
    }

    @ParameterizedTest
    @CsvSource({"kubelet-serving, kubelet-serving", "kubelet-client, kube-apiserver-client-kubelet",
            "kube-apiserver-client, kube-apiserver-client", "legacy-unknown, legacy-unknown"})
    void anAuthorityOfASingleSignerIsForThatSignerAlone(String option, String signer) {
        assertThat(identity("cluster-signing-" + option + "-cert-file=DIR/ca.crt",
                "cluster-signing-" + option + "-key-file=DIR/ca.key").signers()).containsOnlyKeys(SIGNERS + signer);
    }

    @Test
    void filesThatContradictEachOtherAreRefused() throws IOException {
        assertThatThrownBy(() -> identity("cluster-signing-cert-file=DIR/ca.crt")).isInstanceOf(BadOption.class)
                .hasMessage("wheelhouse.cluster-signing-cert-file is set without wheelhouse.cluster-signing-key-file: "
                        + "name both files");
        assertThatThrownBy(() -> identity("cluster-signing-cert-file=DIR/ca.crt",
                "cluster-signing-key-file=DIR/ca.key", "cluster-signing-legacy-unknown-cert-file=DIR/ca.crt",
                "cluster-signing-legacy-unknown-key-file=DIR/ca.key")).isInstanceOf(BadOption.class)
                .hasMessageContaining("beside the files of a single signer");
        String certificate = Files.readString(directory.resolve("ca.crt"));
        Files.writeString(directory.resolve("two.crt"), certificate + certificate);
        assertThatThrownBy(() -> identity("cluster-signing-cert-file=DIR/two.crt",
                "cluster-signing-key-file=DIR/ca.key")).isInstanceOf(BadOption.class)
                .hasMessageContaining("holds 2 certificates");
    }
}
