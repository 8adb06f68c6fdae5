package dev.wheelhouse.controllers.serviceaccount;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.List;
import java.util.Map;

import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about token Secrets (upstream: {@code tokens_controller_test.go} and integration tests). */
class TokenBehavioursTest {
    private static final ObjectKey ROBOT = ObjectKey.of("default", "robot");
    private static final ObjectKey TOKEN = ObjectKey.of("default", "robot-token");
    private static final String CA = "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n";

    private final Cluster cluster = new Cluster();
    private final KeyPair keys = pair("EC", 256);
    private Controller controller = TokenController.of(cluster.context(options(keys)));

    private static KeyPair pair(String algorithm, int size) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(size);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static Options options(KeyPair keys) {
        ControllerOptions.Identity defaults = ControllerOptions.Identity.DEFAULTS;
        return Options.DEFAULTS.with(new ControllerOptions.Identity(CA, () -> keys, Map.of(),
                defaults.clusterSigningDuration(), defaults.legacyTokenCleanUpPeriod()));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private V1ServiceAccount account() {
        return cluster.create(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class, """
                {apiVersion: v1, kind: ServiceAccount, metadata: {namespace: default, name: robot},
                 secrets: [{name: robot-token}, {name: other}]}""");
    }

    private V1Secret secret(String more) {
        return cluster.create(ResourceType.SECRETS, V1Secret.class, """
                {apiVersion: v1, kind: Secret, metadata: {namespace: default, name: robot-token, annotations:
                 {kubernetes.io/service-account.name: robot%s}}, type: kubernetes.io/service-account-token}""", more);
    }

    private V1Secret stored() {
        return cluster.read(ResourceType.SECRETS, TOKEN, V1Secret.class);
    }

    private static String text(V1Secret secret, String key) {
        return new String(secret.getData().get(key), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"EC, 256, ES256", "EC, 384, ES384", "EC, 521, ES512", "RSA, 2048, RS256"})
    void aSecretGetsASignedTokenTheNamespaceAndTheCertificates(String algorithm, int size, String header)
            throws Exception {
        KeyPair pair = pair(algorithm, size);
        controller = TokenController.of(cluster.context(options(pair)));
        String uid = account().getMetadata().getUid();
        secret("");
        settle();

        V1Secret filled = stored();
        assertThat(text(filled, "ca.crt")).isEqualTo(CA);
        assertThat(text(filled, "namespace")).isEqualTo("default");
        assertThat(filled.getMetadata().getAnnotations()).containsEntry("kubernetes.io/service-account.uid", uid);
        JsonWebSignature token = new JsonWebSignature();
        token.setCompactSerialization(text(filled, "token"));
        token.setKey(pair.getPublic());
        assertThat(token.verifySignature()).isTrue();
        assertThat(token.getAlgorithmHeaderValue()).isEqualTo(header);
        assertThat(token.getKeyIdHeaderValue()).hasSize(43);
        assertThat(JwtClaims.parse(token.getPayload()).getClaimsMap()).isEqualTo(Map.of("iss",
                "kubernetes/serviceaccount", "sub", "system:serviceaccount:default:robot",
                "kubernetes.io/serviceaccount/namespace", "default", "kubernetes.io/serviceaccount/secret.name",
                "robot-token", "kubernetes.io/serviceaccount/service-account.name", "robot",
                "kubernetes.io/serviceaccount/service-account.uid", uid));
    }

    @Test
    void aFilledSecretIsNotWrittenAgainUntilItsCertificatesChange() {
        account();
        secret("");
        settle();
        String token = text(stored(), "token");
        cluster.requests.takeWrites();
        cluster.edit(ResourceType.SECRETS, V1Secret.class, TOKEN,
                secret -> secret.getMetadata().putLabelsItem("touched", "yes"));
        settle();
        assertThat(cluster.requests.takeWrites()).isEmpty();

        cluster.edit(ResourceType.SECRETS, V1Secret.class, TOKEN,
                secret -> secret.getData().put("ca.crt", "old".getBytes(StandardCharsets.UTF_8)));
        settle();
        assertThat(cluster.requests.takeWrites()).containsExactly("update secrets default/robot-token");
        assertThat(text(stored(), "ca.crt")).isEqualTo(CA);
        assertThat(text(stored(), "token")).isEqualTo(token);
    }

    /** The account is newer than the cache. */
    @Test
    void aSecretIsNotDeletedBecauseTheCacheDoesNotShowItsAccountYet() {
        settle();
        cluster.withhold(ResourceType.SERVICE_ACCOUNTS);
        account();
        secret("");
        settle();
        assertThat(text(stored(), "token")).isNotEmpty();
    }

    @Test
    void withoutAKeyNothingHappens() {
        controller = TokenController.of(cluster.context());
        secret("");
        settle();
        assertThat(controller.informers()).isEmpty();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void aPlanShowsNoToken() {
        account();
        secret("");
        cluster.deliver();
        assertThat(controller.plan("serviceaccounts", ROBOT).orElseThrow()).hasSize(1).first().isInstanceOfSatisfying(
                Action.Batch.class,
                batch -> assertThat(batch.writes()).first().isInstanceOfSatisfying(Action.Update.class,
                        update -> assertThat(text((V1Secret) update.object(), "token")).isEqualTo("a token")));
    }

    @Test
    void secretsOfOtherTypesAreNotCached() {
        cluster.create(ResourceType.SECRETS, V1Secret.class,
                "{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: password}}");
        account();
        secret("");
        settle();
        assertThat(controller.informers()).filteredOn(informer -> informer.type().equals(ResourceType.SECRETS))
                .allSatisfy(informer -> assertThat(informer.getIndexer().list()).hasSize(1));
        assertThat(controller.plan("serviceaccounts", ROBOT).orElseThrow()).isEqualTo(List.of());
    }
}
