package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Users of bootstrap tokens (upstream: {@code bootstrap_test.go}). */
class BootstrapTokensTest {
    private static final String TOKEN = "abcdef.0123456789abcdef";

    private final ManualClock clock = new ManualClock();
    private final ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
    private final BootstrapTokens tokens = new BootstrapTokens(store, clock);

    private ObjectNode secret(Map<String, String> changes) {
        ObjectNode secret = Json.object().put("type", "bootstrap.kubernetes.io/token");
        secret.putObject("metadata").put("namespace", "kube-system").put("name", "bootstrap-token-abcdef");
        put(secret, "token-id", "abcdef");
        put(secret, "token-secret", "0123456789abcdef");
        put(secret, "usage-bootstrap-authentication", "true");
        changes.forEach((key, value) -> {
            if (key.equals("type")) {
                secret.put("type", value);
            } else if (key.equals("deletionTimestamp")) {
                Json.child(secret, "metadata").put(key, value);
            } else {
                put(secret, key, value);
            }
        });
        return secret;
    }

    private static void put(ObjectNode secret, String key, String value) {
        Json.child(secret, "data").put(key,
                Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource({"token-id, abcdef, true", "token-id, tokenx, false", "token-secret, 0123456789abcdeX, false",
            "usage-bootstrap-authentication, false, false", "usage-bootstrap-authentication, yes, false",
            "expiration, 1969-01-01T00:00:00Z, false", "expiration, 2999-01-01T00:00:00Z, true",
            "expiration, tomorrow, false", "type, Opaque, false", "deletionTimestamp, 2999-01-01T00:00:00Z, false",
            "auth-extra-groups, system:bootstrappers:a, true", "auth-extra-groups, system:masters, false",
            "auth-extra-groups, 'system:bootstrappers:a,', false", "auth-extra-groups, system:bootstrappers:, false"})
    void aTokenIsValidWhileItsSecretSaysSo(String field, String value, boolean valid) {
        store.create("secrets", secret(Map.of(field, value)));
        assertThat(tokens.user(TOKEN) != null).isEqualTo(valid);
    }

    @Test
    void itsUserIsInTheGroupOfBootstrappersAndInItsOwn() {
        store.create("secrets", secret(Map.of("auth-extra-groups", "system:bootstrappers:a,system:bootstrappers:b:c")));
        User user = tokens.user(TOKEN);
        assertThat(user.name()).isEqualTo("system:bootstrap:abcdef");
        assertThat(user.groups()).containsExactly("system:bootstrappers", "system:bootstrappers:a",
                "system:bootstrappers:b:c", "system:authenticated");
    }

    @ParameterizedTest
    @CsvSource({"abcdef", "abcdef.", "abcdef.0123456789abcde", "ABCDEF.0123456789abcdef", "fedcba.0123456789abcdef",
            "abcdef.0123456789abcdef0"})
    void anotherTextIsNoToken(String text) {
        store.create("secrets", secret(Map.of()));
        assertThat(tokens.user(text)).isNull();
    }
}
