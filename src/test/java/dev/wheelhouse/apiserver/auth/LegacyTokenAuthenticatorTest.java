package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tokens that Secrets hold (upstream: {@code pkg/serviceaccount/jwt_test.go}). */
class LegacyTokenAuthenticatorTest {
    private static final List<String> HERE = List.of(ServiceAccountTokens.ISSUER);
    private static final String USED = "kubernetes.io/legacy-token-last-used";

    private final ManualClock clock = new ManualClock();
    private final ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
    private final KeyPair keys = Keys.newPair();
    private final ServiceAccountTokens tokens = new ServiceAccountTokens(store, clock, () -> keys);
    private final String token = token(keys, "robot");

    @BeforeEach
    void makeAccountAndSecret() {
        store.create("serviceaccounts", object("robot"));
        ObjectNode secret = object("held");
        secret.putObject("data").put("token",
                Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.UTF_8)));
        store.create("secrets", secret);
    }

    private static ObjectNode object(String name) {
        return (ObjectNode) Json.object().put("kind", "X").put("apiVersion", "v1").set("metadata",
                Json.object().put("namespace", "team").put("name", name).put("uid", "uid-" + name));
    }

    private static String token(KeyPair keys, String account) {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer("kubernetes/serviceaccount");
        claims.setSubject("system:serviceaccount:team:" + account);
        claims.setStringClaim("kubernetes.io/serviceaccount/namespace", "team");
        claims.setStringClaim("kubernetes.io/serviceaccount/secret.name", "held");
        claims.setStringClaim("kubernetes.io/serviceaccount/service-account.name", "robot");
        claims.setStringClaim("kubernetes.io/serviceaccount/service-account.uid", "uid-robot");
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(keys.getPrivate());
        signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256);
        try {
            return signature.getCompactSerialization();
        } catch (JoseException e) {
            throw new AssertionError(e);
        }
    }

    private ObjectNode secret() {
        return store.get("secrets", "team", "held").tree();
    }

    private void change(ObjectNode secret) {
        store.update("secrets", secret, store.get("secrets", "team", "held").version());
    }

    private void assertRefused(String given, List<String> audiences, String why) {
        assertThatThrownBy(() -> tokens.verify(given, audiences)).isInstanceOf(UnauthorizedException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aTokenSaysWhoseItIsAndNeverExpires() throws Exception {
        clock.advance(Duration.ofDays(5000));
        User user = tokens.verify(token, HERE);
        assertThat(user.name()).isEqualTo("system:serviceaccount:team:robot");
        assertThat(user.uid()).isEqualTo("uid-robot");
        assertThat(user.groups()).contains("system:serviceaccounts:team");
        assertThat(user.extra()).isEmpty();
    }

    @Test
    void theDayOfTheLastUseIsALabelThatIsWrittenOnceADay() throws Exception {
        tokens.verify(token, HERE);
        assertThat(Json.text(secret(), "metadata", "labels", USED)).isEqualTo(day());
        long version = store.version();
        tokens.verify(token, HERE);
        assertThat(store.version()).isEqualTo(version);
        clock.advance(Duration.ofDays(2));
        tokens.verify(token, HERE);
        assertThat(Json.text(secret(), "metadata", "labels", USED)).isEqualTo(day());
    }

    private String day() {
        return clock.now().toString().substring(0, 10);
    }

    @Test
    void aTokenEndsWithItsSecretOrWhenTheSecretHoldsAnother() {
        ObjectNode changed = secret();
        ((ObjectNode) changed.get("data")).put("token", "eA==");
        change(changed);
        assertRefused(token, HERE, "no longer holds it");
        StoredObject secret = store.get("secrets", "team", "held");
        store.delete("secrets", "team", "held", secret.version());
        assertRefused(token, HERE, "no longer holds it");
    }

    @Test
    void aTokenEndsWithItsAccountEvenIfOneOfTheSameNameFollows() {
        store.delete("serviceaccounts", "team", "robot",
                store.get("serviceaccounts", "team", "robot").version());
        assertRefused(token, HERE, "has been deleted");
        ObjectNode next = object("robot");
        ((ObjectNode) next.get("metadata")).put("uid", "another");
        store.create("serviceaccounts", next);
        assertRefused(token, HERE, "has been deleted");
    }

    @Test
    void aTokenThatTheCleanerMarkedIsRefusedAndItsUseIsRecorded() {
        ObjectNode marked = secret();
        Json.child(Json.child(marked, "metadata"), "labels").put("kubernetes.io/legacy-token-invalid-since",
                "2026-01-01");
        change(marked);
        assertRefused(token, HERE, "has been marked invalid");
        assertThat(Json.text(secret(), "metadata", "labels", USED)).isEqualTo(day());
    }

    @Test
    void aTokenIsForThisServerAlone() {
        assertRefused(token, List.of("vault"), "for other audiences");
    }

    @Test
    void aTokenOfAnotherKeyOrOfAnotherAccountIsRefused() {
        assertRefused(token(Keys.newPair(), "robot"), HERE, "invalid bearer token");
        assertRefused(token(keys, "boss"), HERE, "invalid bearer token");
        assertRefused(token.substring(0, token.length() - 4), HERE, "invalid bearer token");
    }

    /** The first use of a day is a write, but the request may be a read. */
    @Test
    void aStoreThatTakesNoWritesMakesNoTokenInvalid() throws Exception {
        store.close();
        assertThat(tokens.verify(token, HERE).name()).isEqualTo("system:serviceaccount:team:robot");
        assertThat(Json.text(secret(), "metadata", "labels", USED)).isEmpty();
    }
}
