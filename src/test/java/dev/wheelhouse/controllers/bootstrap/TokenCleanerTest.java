package dev.wheelhouse.controllers.bootstrap;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about expired tokens (upstream: {@code tokencleaner_test.go}). */
class TokenCleanerTest {
    private final Cluster cluster = new Cluster();
    private final TokenCleaner controller = new TokenCleaner(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private ObjectKey secret(String namespace, String type, String expiration) {
        cluster.create(ResourceType.SECRETS, V1Secret.class, """
                {metadata: {namespace: %s, name: bootstrap-token-abcdef}, type: %s,
                 stringData: {token-id: abcdef%s}}""", namespace, type, expiration);
        return ObjectKey.of(namespace, "bootstrap-token-abcdef");
    }

    private boolean stays(ObjectKey secret) {
        cluster.settle(controller.loops());
        return cluster.exists(ResourceType.SECRETS, secret);
    }

    @Test
    void aTokenIsDeletedWhenItExpiresAndNotBefore() {
        ObjectKey token = secret("kube-system", BootstrapTokens.TYPE,
                ", expiration: '" + cluster.clock.now().plusSeconds(60) + "'");
        assertThat(stays(token)).isTrue();
        cluster.clock.advance(Duration.ofSeconds(59));
        assertThat(stays(token)).isTrue();
        cluster.clock.advance(Duration.ofSeconds(1));
        assertThat(stays(token)).isFalse();
    }

    @Test
    void aTokenWhoseTimeIsExtendedStays() {
        ObjectKey token = secret("kube-system", BootstrapTokens.TYPE,
                ", expiration: '" + cluster.clock.now().plusSeconds(60) + "'");
        cluster.settle(controller.loops());
        String later = cluster.clock.now().plusSeconds(600).toString();
        cluster.edit(ResourceType.SECRETS, V1Secret.class, token,
                secret -> secret.putStringDataItem("expiration", later));
        cluster.clock.advance(Duration.ofSeconds(120));
        assertThat(stays(token)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tomorrow", "2999-01-01", "2999-01-01T00:00Z", "2999-02-30T00:00:00Z",
            "2999-01-01t00:00:00z", "2999-01-01T00:00:00", "2999-01-01T24:00:00Z", "+12999-01-01T00:00:00Z",
            "2001-01-01T00:00:00+01:00"})
    void aTokenWithAPastTimeOrWithNoneThatGoReadsIsDeleted(String expiration) {
        assertThat(stays(secret("kube-system", BootstrapTokens.TYPE, ", expiration: '" + expiration + "'"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", expiration: ''", ", expiration: '2999-01-01T00:00:00Z'",
            ", expiration: '2999-01-01T00:00:00.123-11:30'"})
    void aTokenWithoutATimeOrWithALaterOneStays(String expiration) {
        assertThat(stays(secret("kube-system", BootstrapTokens.TYPE, expiration))).isTrue();
    }

    @Test
    void otherSecretsStay() {
        String past = ", expiration: '2001-01-01T00:00:00Z'";
        assertThat(stays(secret("default", BootstrapTokens.TYPE, past))).isTrue();
        assertThat(stays(secret("kube-system", "Opaque", past))).isTrue();
    }
}
