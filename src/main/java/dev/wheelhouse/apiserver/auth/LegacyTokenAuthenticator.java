package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import org.jose4j.jwt.JwtClaims;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;

/**
 * Verifies the tokens that Secrets of the type {@code kubernetes.io/service-account-token} hold (upstream:
 * {@code pkg/serviceaccount/legacy.go}). Such a token never expires. It is valid as long as its Secret holds it and its
 * account exists. The day of its last use is a label of the Secret. Thread safe.
 */
final class LegacyTokenAuthenticator {
    static final String ISSUER = "kubernetes/serviceaccount";
    private static final String CLAIM = "kubernetes.io/serviceaccount/";
    private static final String LAST_USED = "kubernetes.io/legacy-token-last-used";
    private static final String INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

    private final ObjectStore store;
    private final Clock clock;

    LegacyTokenAuthenticator(ObjectStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * @param claims of the token, whose signature is verified
     * @param audiences the token is valid for this server only
     */
    User verify(String token, JwtClaims claims, List<String> audiences) throws UnauthorizedException {
        if (!audiences.contains(ServiceAccountTokens.ISSUER)) {
            throw new UnauthorizedException("the token is for other audiences");
        }
        String namespace = claim(claims, "namespace");
        String name = claim(claims, "service-account.name");
        String uid = claim(claims, "service-account.uid");
        StoredObject secret = store.get("secrets", namespace, claim(claims, "secret.name"));
        if (!(User.SERVICE_ACCOUNT_PREFIX + namespace + ":" + name).equals(claims.getClaimValueAsString("sub"))) {
            throw new UnauthorizedException("invalid bearer token");
        }
        if (secret == null || Meta.isDeleting(secret.tree()) || !holds(secret.tree(), token)) {
            throw new UnauthorizedException("the token has been invalidated: its Secret no longer holds it");
        }
        StoredObject account = store.get("serviceaccounts", namespace, name);
        if (account == null || !account.uid().equals(uid) || Meta.isDeleting(account.tree())) {
            throw new UnauthorizedException("the service account of the token has been deleted");
        }
        String invalid = label(secret.tree(), INVALID_SINCE);
        markUsed(secret);
        if (!invalid.isEmpty()) {
            throw new UnauthorizedException("the token in secret " + namespace + "/" + secret.name()
                    + " has been marked invalid; remove the label " + INVALID_SINCE + " to allow its use for a while");
        }
        return User.authenticated(User.SERVICE_ACCOUNT_PREFIX + namespace + ":" + name, uid,
                User.serviceAccountGroups(namespace), Map.of());
    }

    private static String claim(JwtClaims claims, String name) throws UnauthorizedException {
        if (claims.getClaimValue(CLAIM + name) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw new UnauthorizedException("invalid bearer token");
    }

    private static boolean holds(ObjectNode secret, String token) {
        String held = Json.text(secret, "data", "token");
        String wanted = Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.UTF_8));
        return MessageDigest.isEqual(held.getBytes(StandardCharsets.UTF_8), wanted.getBytes(StandardCharsets.UTF_8));
    }

    private static String label(ObjectNode secret, String key) {
        return Json.text(secret, "metadata", "labels", key);
    }

    /** Writes the label once a day. If the write fails, the next use tries it again. */
    private void markUsed(StoredObject secret) {
        LocalDate today = clock.now().atOffset(ZoneOffset.UTC).toLocalDate();
        String last = label(secret.tree(), LAST_USED);
        if (last.equals(today.toString()) || last.equals(today.plusDays(1).toString())) {
            return;
        }
        try {
            store.guaranteedUpdate("secrets", secret.namespace(), secret.name(), used -> {
                Json.child(Meta.of(used), "labels").put(LAST_USED, today.toString());
                return Json.text(used, "metadata", "uid").equals(secret.uid());
            });
        } catch (StoreException | TooLargeException e) {
            // The store takes no writes. The token is valid all the same.
        }
    }
}
